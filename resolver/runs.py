"""How tasks are named, and which run each belongs to (specification, section 1)."""

from __future__ import annotations

from resolver.facts import PullObserved
from resolver.ids import PullNumber, RunId

PLAN = "plan/"


def run_id(pull: PullObserved) -> RunId:
    """Give `<slug>` for a branch `plan/<slug>--<taskId>`, else `pr-<number>`."""
    if pull.head_ref.startswith(PLAN):
        slug, separator, task = pull.head_ref.removeprefix(PLAN).partition("--")
        if slug and separator and task:
            return RunId(slug)
    return RunId(f"pr-{pull.number}")


def task_id(number: PullNumber) -> str:
    """Name a task in journals and ledgers: a task is a pull request."""
    return f"pr-{number}"
