"""Where and when something is decided about one pull request."""

from __future__ import annotations

from dataclasses import dataclass

from resolver.attribution import Verdict
from resolver.limits import Limits
from resolver.state import Pull, RepoState


@dataclass(frozen=True, slots=True)
class Here:
    """The state, the pull request, the verdict that leads now, and the time (seconds)."""

    state: RepoState
    pull: Pull
    lead: Verdict | None
    now: float
    limits: Limits
