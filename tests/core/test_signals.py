"""Failure classes that no log shows: what shows them, and what the table makes of them."""

from __future__ import annotations

import pytest

from resolver.actions import PostCheck, PostComment
from resolver.config import ConfigProblem
from resolver.decide import Due, decide_pull, decide_repository
from resolver.facts import ActionDone, ActionStarted, InstallationChanged
from resolver.facts.quarantine import TaskQuarantined
from resolver.facts.resolve import ResolveDecided
from resolver.fold import fold
from resolver.ids import PullNumber
from resolver.ledger.events import RerunEnded, RerunStarted
from tests.core.made import HEAD, config, failure, pull, repo, state_of, triaged
from tests.core.test_resolving import LIMITS, MANAGED, of, red, settle

BROKEN = config(found=True, problems=(ConfigProblem(line=2, column=1, path="mode", message="must be a mapping"),))
FORK = pull(head_repo_id=2, updated_at=200.0)


def test_a_broken_configuration_is_recorded_once_and_told_by_the_check_run_alone():
    """The kill switch cannot be read, so that nobody is asked and no comment is written."""
    state, facts, _, _ = settle(state_of(*red(), BROKEN), 200.0)
    (decided,) = of(ResolveDecided, facts)
    assert (decided.fail_class, decided.attempt, decided.action) == ("runconfig-read-failed", 1, "escalate")
    assert decided.rationale == "the configuration on main cannot be used: line 2: must be a mapping"
    actions = decide_pull(state, PullNumber(7), 210.0, LIMITS).actions
    assert [each.report.base_config_problems for each in actions if isinstance(each, PostCheck)] == [BROKEN.problems]
    assert [each for each in actions if isinstance(each, PostComment)] == []
    assert settle(state, 5_000.0)[1] == []


@pytest.mark.parametrize("facts", [(*red(), BROKEN, FORK), (*red()[:5], BROKEN)])
def test_where_nothing_would_be_done_anyway_a_broken_configuration_is_no_failure(facts):
    """A fork is explained only, and what is not red needs no configuration."""
    assert of(ResolveDecided, settle(state_of(*facts), 200.0)[1]) == []


@pytest.mark.parametrize(
    ("lost", "reason"),
    [
        (repo(archived=True), "it is archived"),
        (InstallationChanged(installation_id=9, active=False, at=150.0), "the App has no access to it any more"),
    ],
)
def test_a_repository_out_of_reach_escalates_once_for_each_run(lost, reason):
    """Archived, or the App's access is gone: recorded for a task that failres was acting on, told once, then silence."""
    destinations = f"{MANAGED}notifications: {{destinations: [team]}}\n"
    state = fold(state_of(*red(settings=destinations)), lost)
    due = decide_repository(state, 200.0, LIMITS)
    decided, asked = due.facts
    assert (asked.kind, asked.fail_class, asked.options, asked.why) == ("reach", "not-a-git-repo", (), reason)
    assert (decided.fail_class, decided.scope, decided.of_run) == ("not-a-git-repo", "run", "pr-7")
    assert (decided.action, decided.rationale) == ("escalate", reason)
    assert [(each.destination, each.reason, each.pulls) for each in due.actions] == [
        ("", reason, (7,)),
        ("team", reason, (7,)),
    ]
    state = fold(fold(state, decided), asked)
    for action in due.actions:
        ticket = f"{action.target}#1"
        told = {"ticket": ticket, "key": action.key, "target": action.target, "number": None}
        state = fold(fold(state, ActionStarted(**told, type=action.type, at=200.0)), ActionDone(**told))
    assert decide_repository(state, 300.0, LIMITS) == Due()
    assert decide_pull(state, PullNumber(7), 300.0, LIMITS).actions == ()


def test_an_unmanaged_task_out_of_reach_is_nobodys_failure():
    """Nothing was being done on it."""
    state = fold(state_of(*red(settings="mode: {rerun: act}\n")), repo(archived=True))
    assert decide_repository(state, 200.0, LIMITS) == Due()


def test_a_spent_budget_of_reruns_ends_in_a_final_quarantine():
    """Five reruns of the workflow on one head: the row accepts the quarantine, and the rest of the run goes on."""
    found = failure(None, fail_class="unknown", kind="unknown", places=())
    state = state_of(*red()[:-1], triaged(40, found, head=HEAD, run_id=30))
    asked = {"task": "pr-7", "head": HEAD, "workflow": ".github/workflows/ci.yml", "fingerprints": ()}
    for attempt in range(1, 6):
        key = f"rerun:30:{attempt}"
        state = fold(state, RerunStarted(id=key, at=150.0, check="other", purpose="evidence", **asked))
        state = fold(state, RerunEnded(id=f"{key}:ended", rerun=key, at=160.0, useful=True))
    state, facts, _, _ = settle(state, 90_000.0)
    (decided,) = of(ResolveDecided, facts)
    assert (decided.fail_class, decided.action) == ("budget-exceeded", "accept-quarantine-continue")
    (made,) = of(TaskQuarantined, facts)
    assert (made.cause, made.fail_class, made.final) == ("row", "unknown", True)
    assert made.reason == "5 reruns of this workflow on this head are spent"
    assert state.pulls[7].quarantine.final
