"""What is open on a head beside its verdicts: the question that people are asked, and the limit that is waited for."""

from __future__ import annotations

from resolver.decide.comment_budget import left_here, left_in_repository
from resolver.decide.endings import how_it_ended
from resolver.decide.resolve_outcomes import RERUNS
from resolver.report import Asked
from resolver.state import Pull, RepoState


def asked(state: RepoState, pull: Pull, now: float | None) -> Asked | None:
    """Give the newest question that is open. Without `now` (seconds) it counts as one that has its comment."""
    waiting = [each for each in pull.talk.decisions.values() if how_it_ended(state, pull, each) is None]
    if not waiting:
        return None
    newest = waiting[-1]
    begun = f"decision:{newest.decision_id}" in pull.effects
    spent = now is not None and min(left_here(state, pull, now), left_in_repository(state, pull, now)) < 1
    return Asked(kind=newest.kind, question=newest.question, here=newest if spent and not begun else None)


def parked_until(pull: Pull) -> float | None:
    """Give the time (seconds) at which a limit ends that was met on this head, while it is waited for."""
    for each in tuple(pull.resolutions.values())[::-1]:
        decided = each.decided
        if decided.head_sha == pull.seen.head_sha and each.ended is None and decided.action in RERUNS:
            return decided.due_at if decided.parked else None
    return None
