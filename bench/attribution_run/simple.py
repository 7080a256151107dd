"""
Three simpler policies, given more than they have in life: the same reading of logs, and the two classes that a log
tells by itself (surroundings, stalls). What is compared is the attribution alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from attribution_world.world import Pull, World

from attribution_run.judge import Told
from attribution_run.read import execution
from resolver.executions import Execution, FailedItem

BLIND_RETRIES = 3


@dataclass
class Simple:
    """What a policy said of one pull request."""

    pull: Pull
    told: list[Told]
    red_at: float
    ended: float


Rule = Callable[[World, Pull, Execution, float], tuple[dict[str, str], float]]


def run(world: World, rule: Rule) -> list[Simple]:
    """Judge each failing check of each pull request by a rule; the result is a label for each fingerprint."""
    found: list[Simple] = []
    for pull in world.red_pulls():
        jobs = [job for job in world.first_jobs(pull) if job["conclusion"] == "failure"]
        told: list[Told] = []
        ended = max(job["completed_at"] for job in jobs)
        for job in jobs:
            red = execution(world, job, "task")
            labels, at = rule(world, pull, red, job["completed_at"])
            ended = max(ended, at)
            told += [Told(item, _known(item) or labels[item.fingerprint], at) for item in red.items]
        found.append(Simple(pull, told, min(job["completed_at"] for job in jobs), ended))
    return found


def _known(item: FailedItem) -> str | None:
    if not item.counts:
        return "infrastructure"
    return "gate-stalled" if item.stalled else None


def blind_retry(world: World, pull: Pull, red: Execution, at: float) -> tuple[dict[str, str], float]:
    """Run it again up to three times: whatever passes is a flake, the rest the task's."""
    label = "task-defect"
    job = _job(red)
    for _ in range(BLIND_RETRIES):
        job = world.rerun(pull, job, at)
        at = job["completed_at"]
        if job["conclusion"] == "success":
            label = "flake"
            break
    return dict.fromkeys((item.fingerprint for item in red.items), label), at


def look_at_base(world: World, _pull: Pull, red: Execution, at: float) -> tuple[dict[str, str], float]:
    """The base's last finished result of the check: what is red there is the base's, the rest the task's."""
    jobs = [job for job in world.push_jobs(at) if job["name"] == red.check.job]
    base: set[str] = set()
    if jobs:
        last = max(jobs, key=lambda job: job["completed_at"])
        base = {item.fingerprint for item in execution(world, last, "base").items}
    return {item.fingerprint: "base-defect" if item.fingerprint in base else "task-defect" for item in red.items}, at


def with_and_without(world: World, pull: Pull, red: Execution, at: float) -> tuple[dict[str, str], float]:
    """Once more with the change, if it fails again once without: failed twice with and passed without is the task's."""
    again = world.rerun(pull, _job(red), at)
    at = again["completed_at"]
    second = {item.fingerprint for item in execution(world, again, "task").items}
    if not second:
        return dict.fromkeys((item.fingerprint for item in red.items), "flake"), at
    assert red.tested_base is not None
    without = world.probe(red.tested_base, red.check.job, at)
    base = {item.fingerprint for item in execution(world, without, "probe").items}
    labels = {
        item.fingerprint: "base-defect"
        if item.fingerprint in base
        else "task-defect"
        if item.fingerprint in second
        else "flake"
        for item in red.items
    }
    return labels, without["completed_at"]


def _job(red: Execution) -> dict[str, object]:
    return {"name": red.check.job, "run_attempt": red.attempt, "run_id": red.run}


POLICIES: dict[str, Rule] = {
    "blind retry x3": blind_retry,
    "look at the base's last result": look_at_base,
    "same commit, retry without the change": with_and_without,
}
