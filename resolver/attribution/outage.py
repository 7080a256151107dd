"""
Outage mode: when many tasks fail together, each gets one explanation, and nothing is retried, mended or asked of a
model until it has been calm for a while (specification, section 5).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from resolver.config.sections import Outage
from resolver.ids import Fingerprint, Sha
from resolver.records import Record


class TaskRed(Record):
    """
    One failure on one task's current head. `base` is the base that it was tested with; `new` says that its fingerprint
    had not been seen before this wave; `infrastructure` that its surroundings failed.
    """

    task: str
    fingerprint: Fingerprint
    base: Sha | None
    at: float
    new: bool = True
    infrastructure: bool = False


class Wave(Record):
    """What the whole repository shows: `running` tasks had an execution lately; `green_probes` are still fresh."""

    reds: tuple[TaskRed, ...] = ()
    running: int = 0
    green_probes: frozenset[Fingerprint] = frozenset()


class OutageMode(Record):
    """Off where `since` is None. `over_at` is when the threshold was last exceeded, `reason` by what."""

    since: float | None = None
    over_at: float | None = None
    reason: str = ""

    @property
    def on(self) -> bool:
        """True while retries are parked."""
        return self.since is not None


def outage_mode(mode: OutageMode, wave: Wave, rules: Outage, now: float) -> OutageMode:
    """Give the mode at `now`: it begins when a threshold is exceeded and ends `calm_for` after it last was."""
    reason = threshold(wave, rules, now)
    if reason is not None:
        return OutageMode(since=now if mode.since is None else mode.since, over_at=now, reason=reason)
    if mode.since is None or mode.over_at is None or now - mode.over_at >= rules.calm_for:
        return OutageMode()
    return mode


def threshold(wave: Wave, rules: Outage, now: float) -> str | None:
    """Say which threshold the failures of the last `calm_for` seconds exceed, or None."""
    lately = [red for red in wave.reds if now - rules.calm_for <= red.at <= now]
    return (
        _many_kinds([red for red in lately if red.new and not red.infrastructure], rules)
        or _one_kind([red for red in lately if red.fingerprint in wave.green_probes], rules)
        or _surroundings([red for red in lately if red.infrastructure], wave.running, rules)
    )


def _tasks(reds: Iterable[TaskRed]) -> int:
    return len({red.task for red in reds})


def _many_kinds(reds: Sequence[TaskRed], rules: Outage) -> str | None:
    for base in sorted({red.base for red in reds if red.base is not None}):
        there = [red for red in reds if red.base == base]
        prints = len({red.fingerprint for red in there})
        if _tasks(there) >= rules.tasks and prints > rules.distinct_fingerprints:
            return f"{prints} new failures on {_tasks(there)} pull requests with one base"
    return None


def _one_kind(reds: Sequence[TaskRed], rules: Outage) -> str | None:
    for fingerprint in sorted({red.fingerprint for red in reds}):
        tasks = _tasks(red for red in reds if red.fingerprint == fingerprint)
        if tasks >= max(rules.tasks, rules.tasks_with_one_fingerprint):
            return f"the same failure on {tasks} pull requests although the base is green"
    return None


def _surroundings(reds: Sequence[TaskRed], running: int, rules: Outage) -> str | None:
    tasks = _tasks(reds)
    if tasks >= rules.tasks and tasks >= rules.infrastructure_share * running:
        return f"what the jobs run on failed for {tasks} of {running} pull requests"
    return None
