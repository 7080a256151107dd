"""Which greens ran what decides: a job may be green because a condition skipped the very step that fails elsewhere."""

from __future__ import annotations

from collections.abc import Iterable

from resolver.executions import Execution


def decided(executions: Iterable[Execution]) -> tuple[Execution, ...]:
    """Mark the greens in which a step was skipped that failed in another execution of the same job and cell.

    GitHub: a step that its `if:` leaves out is `skipped`, and the job is a success all the same.
    """
    known = tuple(executions)
    failed: dict[object, set[str]] = {}
    for each in known:
        if each.result == "failed":
            failed.setdefault(each.check.cell, set()).update(each.failed_steps)
    return tuple(_marked(each, failed.get(each.check.cell)) for each in known)


def _marked(each: Execution, failed: set[str] | None) -> Execution:
    if failed is None or each.result != "passed" or failed.isdisjoint(each.skipped_steps):
        return each
    return each.model_copy(update={"step_ran": False})
