"""
Jobs that are red only because of other jobs: shown, never attributed, never counted (specification, section 3).

Two ways lead there: a job that needs a failed one (an aggregator with `if: always()`), and the cells that fail-fast
cancels when a sibling has failed. A job that names a failing item of its own is not derived.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from resolver.executions import Execution

_BAD = frozenset({"failed", "infrastructure", "cancelled"})


def derived_jobs(executions: Sequence[Execution], needs: Mapping[str, tuple[str, ...]]) -> tuple[Execution, ...]:
    """
    Give those of one workflow's executions that are only derived. `needs` maps a job's name to the names that it needs,
    as the workflow file has them.
    """
    return tuple(each for each in executions if _by_needs(each, executions, needs) or _by_fail_fast(each, executions))


def _same_attempt(each: Execution, other: Execution) -> bool:
    return (each.run, each.check.workflow) == (other.run, other.check.workflow) and other.attempt <= each.attempt


def _by_needs(each: Execution, all_: Sequence[Execution], needs: Mapping[str, tuple[str, ...]]) -> bool:
    if each.result != "failed" or any(not item.job_level for item in each.items):
        return False
    wanted = _closure(each.check.job, needs)
    newest: dict[str, Execution] = {}
    for other in sorted(all_, key=lambda one: (one.attempt, one.result not in _BAD)):
        if other.check.job in wanted and _same_attempt(each, other):
            newest[f"{other.check.job} {other.check.matrix}"] = other
    return any(other.result in _BAD for other in newest.values())


def _by_fail_fast(each: Execution, all_: Sequence[Execution]) -> bool:
    return each.result == "cancelled" and any(
        other.result == "failed" and other.check != each.check and other.check.job == each.check.job
        and (other.run, other.attempt) == (each.run, each.attempt)
        for other in all_
    )  # fmt: skip


def _closure(job: str, needs: Mapping[str, tuple[str, ...]]) -> frozenset[str]:
    found: set[str] = set()
    ahead = list(needs.get(job, ()))
    while ahead:
        name = ahead.pop()
        if name not in found:
            found.add(name)
            ahead.extend(needs.get(name, ()))
    return frozenset(found)
