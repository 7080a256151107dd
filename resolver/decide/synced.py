"""What a synchronisation left on the branch: only what the task may change, or the task is quarantined (section 9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from resolver.decide.quarantine import quarantined
from resolver.decide.rights import config_of, managed
from resolver.facts.quarantine import QuarantinedAt, TaskQuarantined
from resolver.ids import Sha
from resolver.ledger.events import Synced
from resolver.report import Rebased
from resolver.runs import task_id
from resolver.state import Pull, RepoState

OUTSIDE = "after the rebase the branch still changes files that this task may not change"
LOST = "after the rebase commits are gone that had been on the branch"
"""Why a task is quarantined after its synchronisation."""


def after_sync(state: RepoState, pull: Pull, now: float) -> TaskQuarantined | None:
    """
    Quarantine a managed task whose head is our rebase, where files outside its scope are left in it, or commits of
    others are gone. Once for a head: what a person then decides is not undone. Its base is the one that the rebase
    found, which may not have been heard of otherwise yet.
    """
    head, left = pull.seen.head_sha, left_outside(pull)
    lost = _of_this_head(pull).get("lost", False)
    told = any(each.fact.cause == "sync" and each.fact.heads.head == head for each in pull.quarantines)
    if not (left or lost) or told or pull.quarantine is not None or not managed(state, pull, config_of(state, pull)):
        return None
    fail_class = "base-moved" if lost else "fixer-scope-violation"
    made = quarantined(state, pull, fail_class, "sync", LOST if lost else OUTSIDE, now=now)
    heads = QuarantinedAt(head=head, pushed=pull.pushed, base=Sha(str(_of_this_head(pull)["base"])))
    return made.model_copy(update={"message": ", ".join(left), "heads": heads})


def left_outside(pull: Pull) -> tuple[str, ...]:
    """Give the files beyond the task's scope that the rebase to this head left in it."""
    return tuple(str(name) for name in _of_this_head(pull).get("outside") or ())


def rebased(state: RepoState, pull: Pull) -> Rebased | None:
    """Say what our rebase to this head has done, where there was one: the ledger knows which head it began from."""
    base = _of_this_head(pull).get("base")
    mine = (each for each in state.ledger.events.values() if isinstance(each, Synced))
    before = [each for each in mine if each.task == task_id(pull.seen.number) and each.base == base]
    newest = max(before, key=lambda each: each.at, default=None)
    return Rebased(base=newest.base, before=newest.head) if newest is not None else None


def _of_this_head(pull: Pull) -> Mapping[str, Any]:
    effect = pull.effects.get(f"sync:{pull.seen.number}")
    mine = effect is not None and effect.status == "done" and effect.result.get("head") == pull.seen.head_sha
    return effect.result if mine and effect is not None else {}
