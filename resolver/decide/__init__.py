"""`decide`: what is due now, from the whole state. Level-triggered and pure; it never reacts to an event.

The questions are asked in order: may anything be done here at all (`rights`), which evidence is missing (`gate`), and
what is to be said (`speak`). A question answers with desired actions; `due` keeps those that are not already under way
or done.
"""

from __future__ import annotations

from resolver.decide.due import Due, due
from resolver.decide.gate import reads, repository_reads
from resolver.decide.rights import Silence
from resolver.decide.speak import speak
from resolver.ids import PullNumber
from resolver.limits import LIMITS, Limits
from resolver.state import RepoState

__all__ = ["Due", "Silence", "decide_pull", "decide_repository"]


def decide_pull(state: RepoState, number: PullNumber, now: float, limits: Limits = LIMITS) -> Due:
    """Say what is due for one pull request, and when to look again (`again_at`, seconds, or None)."""
    pull = state.pulls.get(number)
    if pull is None or pull.stuck or pull.seen.state == "closed" or not state.active:
        return Due()
    desired = reads(state, pull, limits)
    said = speak(state, pull, now, limits)
    return due(pull.effects, (*desired, *said.actions), now, said.again_at)


def decide_repository(state: RepoState, now: float, limits: Limits = LIMITS) -> Due:
    """Say what is due for the repository itself: configuration, unknown heads, and the regular look at everything."""
    if not state.active or state.repo is None:
        return Due()
    wanted = repository_reads(state, now, limits)
    return due(state.effects, wanted.actions, now, wanted.again_at)
