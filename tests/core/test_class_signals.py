"""By which signal each failure class is reached: lines of a log, or what GitHub says of a job. The rest is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from resolver.log.classify import classify
from resolver.stalls import findings_of
from resolver.taxonomy import TAXONOMY
from tests.core.made import job

LOGS = {
    "dep-provision-failed": ("npm error code ETIMEDOUT", "npm error network request to https://r.example.org/a failed"),
    "lockfile-out-of-sync": (
        "npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.",
        "npm error Missing: left-pad@1.3.0 from lock file",
    ),
    "registry-auth-missing": ("npm error code E401", "npm error 401 Unauthorized - GET https://r.example.org/@acme/a"),
    "gate-red-code": ("FAILED tests/test_shop.py::test_discount - assert 190 == 180", "1 failed in 0.02s"),
    "gate-red-env": ("curl: (6) Could not resolve host: downloads.example.org",),
    "disk-space-low": ("tar: write error: No space left on device",),
    "merge-conflict": ("CONFLICT (content): Merge conflict in src/a.py", "Automatic merge failed; fix conflicts"),
    "commit-hook-rejected": (" ! [remote rejected] main -> main (pre-receive hook declined)",),
    "artifacts-missing": ("##[error]Unable to download artifact(s): Artifact not found for name: build",),
    "unknown": ("something odd", "##[error]Process completed with exit code 7."),
}
GITHUB = {"task-stalled": findings_of(job(conclusion="timed_out"), None, "ci: test")}

RECORDS = {"orphan-worktree"}
"""What the regular look found is decided on for the repository: `test_orphans.py`."""

KNOWN = {
    "repeated-failure-stop": "test_two_identical_quarantines_on_one_base_stop_the_third",
    "budget-exceeded": "test_a_spent_budget_of_reruns_ends_in_a_final_quarantine",
    "plan-invalid": "test_a_block_that_cannot_be_used_is_asked_about_and_holds_the_task",
    "base-moved": "test_d13_a_base_that_moves_twice_at_that_moment_is_for_people",
    "journal-append-failed": "test_what_the_store_refused_twice_is_resumed_once_and_then_asked_about",
    "journal-state-unknown": "test_a_start_of_which_nobody_knows_is_repeated_once_and_then_asked_about",
    "runconfig-read-failed": "test_a_broken_configuration_is_recorded_once_and_told_by_the_check_run_alone",
    "journal-corrupt": "test_people_are_told_of_a_damaged_journal_where_they_are",
    "not-a-git-repo": "test_an_archived_repository_is_told_of_once_where_people_still_are",
}
"""What GitHub, the store or the ledger shows, with the test that shows how it is reached."""

UNREACHED = {
    # They need fix runs, which cannot be started yet.
    "gate-not-green-after-fixer",
    "fixer-scope-violation",
    "wrapper-engine-down",
    "wrapper-timeout-repeated",
    "wrapper-rate-limited",
    "provider-quota",
    "fallback-exhausted",
    "agent-idle",
    "adapter-contract-violation",
    "protected-path-touched",
    # They need landing.
    "land-failed",
    "land-blocked-unreviewed",
}
"""Shrinks as the parts that give these signals are built."""


@pytest.mark.parametrize(("fail_class", "lines"), LOGS.items())
def test_lines_of_a_log_reach_their_class(fail_class, lines):
    """What a failing step prints is enough."""
    assert classify("\n".join(lines).encode()).fail_class == fail_class


@pytest.mark.parametrize(("fail_class", "findings"), GITHUB.items())
def test_what_github_says_of_a_job_reaches_its_class(fail_class, findings):
    """No log is needed."""
    assert [each.fail_class for each in findings] == [fail_class]


def test_every_class_is_reached_or_named():
    """The taxonomy's classes are those of the lists, each in one."""
    assert len(LOGS) + len(GITHUB) + len(RECORDS) + len(KNOWN) + len(UNREACHED) == len(TAXONOMY)
    assert {*LOGS, *GITHUB, *RECORDS, *KNOWN, *UNREACHED} == set(TAXONOMY)


def test_what_shows_a_class_is_there():
    """The named tests exist, each once."""
    text = "".join(path.read_text() for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert {name: text.count(f"def {name}(") for name in KNOWN.values()} == dict.fromkeys(KNOWN.values(), 1)
