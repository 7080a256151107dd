"""What is wrong with a task's `failres` block now, in words, and whom that holds: the task and the rest of its run."""

from __future__ import annotations

from collections.abc import Iterable

from resolver.config import ConfigProblem
from resolver.decide.rights import config_of, managed
from resolver.ids import PullNumber
from resolver.runs import PLAN, run_id
from resolver.state import Pull, RepoState


def plan_problems(state: RepoState, pull: Pull) -> tuple[ConfigProblem, ...]:
    """Give what is wrong with the block as the description has it now; nothing where there is none."""
    plan = pull.seen.plan
    if plan is None:
        return ()
    return plan.problems or plan.protected(config_of(state, pull).protected)


def words_of(found: Iterable[ConfigProblem]) -> str:
    """Say what is wrong, one problem a line, with the lines of the description."""
    return "\n".join(f"line {each.line}: {each.message}" for each in found)


def held_by_plan(state: RepoState, pull: Pull) -> str | None:
    """Say why nothing automatic is done on a task: its own block cannot be used, or that of another of its run."""
    if not managed(state, pull, config_of(state, pull)):
        return None
    if plan_problems(state, pull):
        return "the `failres` block of the description cannot be used"
    other = _of_run(state, pull)
    if other is None:
        return None
    return f"the `failres` block of #{other.seen.number}, which is of the same run, cannot be used"


def why_held(state: RepoState, pull: Pull) -> str | None:
    """Say the same with the first of the problems."""
    found, held = plan_problems(state, pull), held_by_plan(state, pull)
    if held is None or not found:
        return held
    more = f", and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{held} (line {found[0].line}: `{found[0].message}`{more})"


def also_held(state: RepoState, pull: Pull | None) -> frozenset[PullNumber]:
    """Say which other tasks a block concerns: the rest of its run, where a run has more than one task."""
    if pull is None or not pull.seen.head_ref.startswith(PLAN):
        return frozenset()
    ours = run_id(pull.seen)
    return frozenset(number for number, other in state.pulls.items() if run_id(other.seen) == ours)


def _of_run(state: RepoState, pull: Pull) -> Pull | None:
    """A task on a branch of its own name is a run of its own, and most are."""
    if not pull.seen.head_ref.startswith(PLAN):
        return None
    ours = run_id(pull.seen)
    for _, other in sorted(state.pulls.items()):
        alike = other.seen.state == "open" and other is not pull and run_id(other.seen) == ours
        if alike and plan_problems(state, other) and managed(state, other, config_of(state, other)):
            return other
    return None
