"""What required checks have told on a merge group, and why GitHub let an entry go: tables."""

import pytest

from resolver.casework.queue_reports import reports
from resolver.facts.queue import MergeGroupSeen
from resolver.ids import Sha
from resolver.other_ci import CheckBegun
from resolver.queue_exit import exit_of
from tests.core.made import BASE, HEAD, check_run, config, job, pull, repo, run, state_of, status

GROUP = Sha("c" * 40)
GOING = {"status": "in_progress", "conclusion": None}
BEGUN = CheckBegun(check_run_id=71, app_id=44, app="acme-ci", name="build", head_sha=GROUP)
SEEN = MergeGroupSeen(head_sha=GROUP, base_ref="main", base_sha=BASE, number=7, at=90.0, task_head=HEAD)

TABLE = {
    "nothing ran": ([], None, ((), ("test", "build"), ())),
    "a run that has not come to its jobs": ([run(20, GROUP, **GOING)], None, (("test",), ("build",), ())),
    "all have ended": (
        [run(20, GROUP), job(30, "success", GROUP), check_run(70, "success", GROUP)],
        None,
        ((), (), ()),
    ),
    "one ended, nothing of the other": ([run(20, GROUP), job(30, "success", GROUP)], None, ((), ("build",), ())),
    "a check run goes on": ([run(20, GROUP), job(30, "success", GROUP), BEGUN], None, (("build",), (), ())),
    "a check run has ended": ([BEGUN, check_run(71, "success", GROUP)], None, ((), ("test",), ())),
    "a status is pending": ([status(80, "pending", GROUP, context="build")], None, (("build",), ("test",), ())),
    "cancelled": ([run(20, GROUP), job(30, "cancelled", GROUP)], None, ((), ("build",), ("test",))),
    "ended after it had left": ([run(20, GROUP), job(30, "success", GROUP)], 105.0, (("test",), ("build",), ())),
    "ended before it left": ([run(20, GROUP), job(30, "success", GROUP)], 109.0, ((), ("build",), ())),
    "cancelled because it left": ([run(20, GROUP), job(30, "cancelled", GROUP)], 105.0, (("test",), ("build",), ())),
}


@pytest.mark.parametrize(("facts", "left_at", "told"), TABLE.values(), ids=TABLE.keys())
def test_required_checks_are_sorted_by_how_far_they_have_come(facts, left_at, told):
    """Open, silent, cancelled: only what told nothing at all is called silent."""
    state = state_of(repo(), config(), pull(), SEEN, *facts)
    found = reports(state.head(GROUP), ("test", "build"), ("build",), left_at)
    assert (found.open, found.silent, found.cancelled) == told


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("CI_TIMEOUT", "timeout"),
        ("checks_timed_out", "timeout"),
        ("CI_FAILURE", "checks"),
        ("failed checks", "checks"),
        ("merge_conflict", "conflict"),
        ("BRANCH_PROTECTIONS", "rules"),
        ("MANUAL", "people"),
        ("merged", "people"),
        ("A_WORD_OF_TOMORROW", "unknown"),
        ("", "unknown"),
    ],
)
def test_githubs_reasons_are_understood_in_both_its_spellings(word, meaning):
    """Deliveries and conversations spell them differently; a new word accuses nobody."""
    assert exit_of(word) == meaning
