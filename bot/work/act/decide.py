"""Keeps a question's one comment: asked once, edited when it has ended."""

from __future__ import annotations

from typing import Any

from bot.github import NotFound
from bot.objects import seconds
from bot.words import decision as words
from bot.work.act.fresh import look, soon_again
from bot.work.act.talking import may_answer, own_comment
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions.talk import PostDecision
from resolver.secrets import mask


async def post_decision(place: Place, action: PostDecision) -> Outcome:
    """Write the question or edit the one that is there; one that has ended is never asked anew."""
    if action.ended is None:
        refused = await look(place, action.number, action.head_sha)
    else:
        refused = await may_answer(place, action.number, closed_too=True)
    if refused is not None:
        return soon_again(place, refused)
    body = mask(words.render(action, place.repo_url))
    known = action.comment_id
    if known is None:
        found = await own_comment(place, action.number, words.decision_marker(action.decision.decision_id))
        known = int(found["id"]) if found is not None else None
    if known is None:
        path = place.path("/issues/{n}/comments", n=action.number)
        made: Any = await place.installation.post(path, {"body": body})
        return Outcome(result={"decisionComment": int(made["id"]), "createdAt": seconds(made["created_at"])})
    try:
        await place.installation.patch(place.path("/issues/comments/{id}", id=known), {"body": body})
    except NotFound:
        return Outcome(refused="somebody deleted the question's comment")
    return Outcome(result={"decisionComment": known})
