"""Answers commands: a reaction to the comment, and a reply that is found again by its marker and this App's id."""

from __future__ import annotations

from typing import Any

from bot.github import NotFound
from bot.objects import seconds
from bot.words import answering as words
from bot.work.act.talking import may_answer, own_comment
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.talk import PostReply, React
from resolver.secrets import mask


async def react(place: Place, action: React) -> Outcome:
    """React to a comment. GitHub keeps one reaction of a kind by an account, so that twice is once."""
    refused = await may_answer(place, action.number)
    if refused is not None:
        return refused
    try:
        path = place.path("/issues/comments/{id}/reactions", id=action.comment_id)
        await place.installation.post(path, {"content": action.content})
    except NotFound:
        return Outcome(refused="the comment was deleted")
    return Outcome()


async def post_reply(place: Place, action: PostReply) -> Outcome:
    """Write the reply, or edit the one that is there."""
    refused = await may_answer(place, action.number)
    if refused is not None:
        return refused
    body = mask(words.reply(action, place.repo_url))
    known = action.reply_id
    if known is None:
        found = await own_comment(place, action.number, words.reply_marker(action.number, action.thread))
        known = int(found["id"]) if found is not None else None
    if known is None:
        path = place.path("/issues/{n}/comments", n=action.number)
        made: Any = await place.installation.post(path, {"body": body})
        return Outcome(result={"replyId": int(made["id"]), "createdAt": seconds(made["created_at"])})
    try:
        await place.installation.patch(place.path("/issues/comments/{id}", id=known), {"body": body})
    except NotFound:
        return Outcome(refused="somebody deleted the reply")
    return Outcome(result={"replyId": known})
