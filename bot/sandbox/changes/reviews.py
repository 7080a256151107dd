"""Submitted reviews."""

from __future__ import annotations

from typing import Literal

from bot.sandbox.changes.refusals import Refused
from bot.sandbox.state import Act, Pull, Review

Verdict = Literal["APPROVED", "CHANGES_REQUESTED", "COMMENTED", "DISMISSED"]


def submit_review(act: Act, pull: Pull, verdict: Verdict, body: str = "", commit: str | None = None) -> Review:
    """Review a pull request at a commit, by default its head. Nobody approves their own (422). Tells `submitted`."""
    if verdict != "COMMENTED" and act.by.account is pull.author:
        word = "approve" if verdict == "APPROVED" else "request changes on"
        raise Refused(422, "Unprocessable Entity", [f"Can not {word} your own pull request"])
    now = act.now
    review = Review(act.github.new_id(), act.by.account, verdict, body, commit or pull.head_sha, now)
    pull.reviews.append(review)
    pull.updated_at = now
    act.tell("pull_request_review", "submitted", pull=pull, review=review)
    return review
