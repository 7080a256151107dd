"""
Which jobs of a run can begin, from what has ended. Pure.

GitHub: a job waits for all its `needs`; its `if` is asked before its matrix is made; `success()` and `failure()` look
at every ancestor, so that a skipped job skips what follows it, however far, unless `if` says otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.sandbox.ci.expressions import ExpressionError, Status, evaluate_condition, expand
from bot.sandbox.ci.expressions.values import truthy
from bot.sandbox.ci.plan import Plan, Ready
from bot.sandbox.ci.workflow import JobSpec, combinations


def ready(plan: Plan, contexts: Mapping[str, Any]) -> list[Ready]:
    """The jobs that can begin now, in the order of the file. `contexts` are those without `needs`."""
    results = {key: result(plan, key) for key in plan.opened}
    found: list[Ready] = []
    for key, spec in plan.file.jobs.items():
        if key not in plan.opened and all(results.get(needed) is not None for needed in spec.needs):
            found.append(_decide(plan, spec, {**contexts, "needs": needs_context(plan, spec)}, results))
    return found


def result(plan: Plan, key: str) -> str | None:
    """A job's result over all its matrix instances; None while one is not over. A tolerated failure is a success."""
    several = plan.opened.get(key)
    if several is None or any(one.job.status != "completed" for one in several):
        return None
    found = {_tolerant(one.job.conclusion, one.tolerated) for one in several}
    for worst in ("failure", "cancelled", "success"):
        if worst in found:
            return worst
    return "skipped"


def needs_context(plan: Plan, spec: JobSpec) -> dict[str, Any]:
    """`needs`: result and outputs of each job that this one needs."""
    context: dict[str, Any] = {}
    for key in spec.needs:
        outputs: dict[str, str] = {}
        for one in plan.opened.get(key, []):
            outputs.update({name: value for name, value in one.job.outputs.items() if value})
        context[key] = {"result": result(plan, key), "outputs": outputs}
    return context


def dependents(plan: Plan, keys: set[str]) -> set[str]:
    """The keys and all jobs of the file that need one of them, however far."""
    found = set(keys)
    while True:
        more = {key for key, spec in plan.file.jobs.items() if key not in found and found & set(spec.needs)}
        if not more:
            return found
        found |= more


def _decide(plan: Plan, spec: JobSpec, names: dict[str, Any], results: Mapping[str, str | None]) -> Ready:
    ancestors = {results[key] for key in _ancestors(plan, spec)}
    status = Status(
        failed="failure" in ancestors,
        cancelled=plan.cancelled,
        skipped=bool(ancestors & {"skipped", "cancelled"}),
    )
    try:
        if plan.forced or not evaluate_condition(spec.condition, names, status):
            return Ready(spec, skipped=True)
        if spec.strategy is None:
            return Ready(spec)
        matrix = expand(spec.strategy.matrix, names, status)
        fail_fast = truthy(expand(spec.strategy.fail_fast, names, status))
        return Ready(spec, tuple(combinations(matrix)), fail_fast=fail_fast)
    except ExpressionError as error:
        return Ready(spec, error=f"{plan.file.path}:{spec.line}: jobs.{spec.id}: {error}")


def _ancestors(plan: Plan, spec: JobSpec) -> set[str]:
    found: set[str] = set()
    waiting = list(spec.needs)
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting.extend(plan.file.jobs[key].needs)
    return found


def _tolerant(conclusion: str | None, tolerated: bool) -> str:
    if conclusion in {"success", "skipped", "cancelled"}:
        return conclusion
    return "success" if tolerated else "failure"
