"""What the resolver decides about: a class of failure of one check on one head, with what was decided on it before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resolver.breakers import Resolutions, Tripped
from resolver.casework import check_of
from resolver.config import RepoConfig
from resolver.decide.rights import config_of
from resolver.executions import Check
from resolver.facts import JobFinished
from resolver.facts.resolve import Resolution, ResolveDecided
from resolver.runs import run_id
from resolver.state import Head, Pull, RepoState, Run


@dataclass(frozen=True, slots=True)
class Matter:
    """A class of failure of one check on a pull request's head, as it stands now (seconds)."""

    state: RepoState
    pull: Pull
    check: Check
    fail_class: str
    now: float

    @property
    def config(self) -> RepoConfig:
        """The base's configuration."""
        return config_of(self.state, self.pull)

    @property
    def head(self) -> Head:
        """What is known of the head."""
        return self.state.head(self.pull.seen.head_sha)

    @property
    def job(self) -> JobFinished | None:
        """The check's newest failed execution whose run is known."""
        red = [job for job in self.head.failed() if check_of(job, self.head.runs.get(job.run_id)).same_job(self.check)]
        return red[-1] if red and red[-1].run_id in self.head.runs else None


def here_decided(pull: Pull, check: Check, fail_class: str) -> Resolution | None:
    """The newest decision on that class of failure of that workflow on this head: failed jobs run again together."""
    found = [
        each
        for each in pull.resolutions.values()
        if each.decided.head_sha == pull.seen.head_sha
        and each.decided.check is not None
        and each.decided.counts
        and each.decided.check.workflow == check.workflow
        and each.decided.fail_class == fail_class
    ]
    return found[-1] if found else None


def resolutions(state: RepoState, pull: Pull, fail_class: str) -> Resolutions:
    """Count the decisions: of this class on this task, and of the whole run since it was last paused."""
    ours = run_id(pull.seen)
    settled = state.runs.get(ours, Run()).settled
    made = (each for other in state.pulls.values() if run_id(other.seen) == ours for each in _of_tasks(other))
    of_run = sum(each.seq not in settled for each in made)
    of_class = sum(each.fail_class == fail_class for each in _of_tasks(pull))
    return Resolutions(of_class=of_class, of_run=of_run)


def _of_tasks(pull: Pull) -> Iterator[ResolveDecided]:
    """What was decided on the task itself and is an attempt; what is the run's own is counted by no breaker."""
    return (each.decided for each in pull.resolutions.values() if each.decided.scope == "task" and each.decided.counts)


def tripped_reason(trip: Tripped) -> str:
    """Say which breaker allows nothing more."""
    of_class = trip.breaker == "class"
    whose = "at this class of failure on this pull request" if of_class else "in this run"
    if trip.limit < 1:
        return f"the configuration allows no attempt {whose}"
    made = "1 attempt was made" if trip.count == 1 else f"{trip.count} attempts were made"
    return f"{made} {whose}, which is the limit"
