"""Keeps the one sticky comment: found by its marker and this App's id, edited in place, hidden once all is green."""

from __future__ import annotations

from typing import Any

from bot.github import NotFound
from bot.objects import seconds
from bot.words import comment as words
from bot.work.act.fresh import look
from bot.work.outcome import Outcome
from bot.work.place import Place
from bot.work.texts import Texts, excerpts_of
from resolver.actions import PostComment
from resolver.facts import CommentGone
from resolver.secrets import mask

HIDE = """mutation($id: ID!) { minimizeComment(input: {subjectId: $id, classifier: RESOLVED}) {
  minimizedComment { isMinimized } } }"""
SHOW = """mutation($id: ID!) { unminimizeComment(input: {subjectId: $id}) { unminimizedComment { isMinimized } } }"""


async def post_comment(place: Place, action: PostComment, texts: Texts) -> Outcome:
    """Create or edit the comment, then hide it or show it again where that has changed."""
    refused = await look(place, action.number, action.report.head_sha, closed_too=action.landed)
    if refused is not None:
        return refused
    excerpts = await excerpts_of(texts, action.report)
    body = mask(words.render(action.report, place.repo_url, excerpts, unfolded=action.unfolded))
    known = action.comment_id or await _find(place, action)
    if known is None and action.landed:
        return Outcome(refused="nothing new is said on a closed pull request")
    try:
        comment = await _write(place, action, known, body)
    except NotFound:
        if known is None:
            raise
        gone = CommentGone(number=action.number, comment_id=known)
        return Outcome((gone,), refused="somebody deleted the comment", retry_at=place.clock.now())
    if action.resolved or action.hidden:
        await place.installation.graphql(HIDE if action.resolved else SHOW, id=comment["node_id"])
    result: dict[str, Any] = {"commentId": int(comment["id"]), "hidden": action.resolved}
    if known is None:
        result["createdAt"] = seconds(comment["created_at"])
    return Outcome(result=result)


async def _write(place: Place, action: PostComment, known: int | None, body: str) -> Any:
    if known is None:
        path = place.path("/issues/{n}/comments", n=action.number)
        return await place.installation.post(path, {"body": body})
    return await place.installation.patch(place.path("/issues/comments/{id}", id=known), {"body": body})


async def _find(place: Place, action: PostComment) -> int | None:
    """Look through all pages for a comment with the marker by this App; anybody can post the marker alone."""
    app = place.github.app_id
    mark = words.marker(action.number)
    listed = place.installation.pages(place.path("/issues/{n}/comments", n=action.number))
    async for comment in listed:
        by = comment.get("performed_via_github_app") or {}
        if by.get("id") == app and str(comment.get("body") or "").startswith(mark):
            return int(comment["id"])
    return None
