"""
Whose change broke a merge group. Groups are cumulative: each holds the base, all groups ahead and what it adds.

The first red group after a green one names the suspect. A suspicion is no verdict: the same head is enqueued once more
before anybody is blamed, and then judged by its executions like any other failure.
"""

from __future__ import annotations

from collections.abc import Sequence

from resolver.executions import Execution
from resolver.ids import Fingerprint, Sha
from resolver.records import Record


class Group(Record):
    """One group of a queue: its place, the tasks that it adds to the one ahead, and its execution of the check."""

    place: int
    commit: Sha
    adds: tuple[str, ...]
    execution: Execution | None = None


class Suspect(Record):
    """
    The tasks among which the cause is: all that were added since the last green. Exactly one where the group ahead of
    the first red was green itself.
    """

    tasks: tuple[str, ...]
    group: Sha
    after: Sha | None


def suspect(groups: Sequence[Group], fingerprint: Fingerprint, green_base: Sha | None = None) -> Suspect | None:
    """
    Name the suspect of a failure in a queue, or None where no green stands ahead of it. `green_base` is the base below
    all groups where the check was seen green there.
    """
    ran = [each.execution for each in groups if each.execution is not None]
    decisive = {step for each in ran if each.fails_with(fingerprint) is not None for step in each.failed_steps}
    after, added = green_base, list[str]()
    known = green_base is not None
    for group in sorted(groups, key=lambda each: each.place):
        added.extend(group.adds)
        execution = group.execution
        if execution is None:
            continue
        if execution.fails_with(fingerprint) is not None:
            return Suspect(tasks=tuple(added), group=group.commit, after=after) if known else None
        if execution.result == "passed" and decisive.isdisjoint(execution.skipped_steps):
            after, known = group.commit, True
            added.clear()
    return None
