"""What people read of repairs: each state in a sentence, names as code, long lists cut, nothing live from elsewhere."""

from __future__ import annotations

import pytest

from bot.words.repair import mended_by, repair
from resolver.report import RepairTold

DEPS, GARBAGE = "provision-deps", "gc-dry-then-tmp-clean"
ONE = (("cache", "deps-v1"),)
MANY = tuple(("cache", f"deps-{n}") for n in range(7))

TOLD = {
    "nothing to drop": (
        RepairTold(repair=DEPS, state="reported"),
        None,
    ),
    "about to drop": (
        RepairTold(repair=DEPS, state="reported", things=ONE),
        (
            "The job used the cache `deps-v1` of this pull request. failres drops that first, so that the job provisions "
            "its dependencies anew."
        ),
    ),
    "dropped": (
        RepairTold(repair=DEPS, state="done", things=ONE),
        "failres dropped the cache `deps-v1` of this pull request; the job provisions its dependencies anew.",
    ),
    "the repository's own job": (
        RepairTold(repair=DEPS, state="reported", job=DEPS),
        "The job `provision-deps` of `failres-repair.yml` runs first, then the failed job runs anew.",
    ),
    "it has passed": (
        RepairTold(repair=DEPS, state="done", job=DEPS),
        "The job `provision-deps` of `failres-repair.yml` has run and passed, then the failed job runs anew.",
    ),
    "failed": (
        RepairTold(repair=DEPS, state="failed", reason="the mirror is\nout of reach"),
        "The repair `provision-deps` failed: the mirror is out of reach.",
    ),
    "nothing left behind": (
        RepairTold(repair=GARBAGE, state="reported"),
        "failres has left nothing behind in this repository that could be removed; the job runs anew as it is.",
    ),
    "something left behind": (
        RepairTold(repair=GARBAGE, state="reported", things=(("ref", "failres/probe/x"), ("artifact", "a"))),
        (
            "failres has left something behind in this repository, and will remove it first: the branch `failres/probe/x`, "
            "the artifact `a`."
        ),
    ),
}


@pytest.mark.parametrize(("told", "text"), TOLD.values(), ids=TOLD.keys())
def test_each_state_is_a_sentence(told, text):
    """As a stranger would read it."""
    assert repair(told) == text


def test_what_changed_nothing_is_not_told_once_it_is_green():
    """Only what was really done before the success is worth a word."""
    silent = [RepairTold(repair=DEPS, state="done"), RepairTold(repair=DEPS, state="failed", reason="no")]
    assert [mended_by(each) for each in (*silent, RepairTold(repair=DEPS, state="reported", things=ONE))] == [None] * 3
    done = RepairTold(repair=DEPS, state="done", things=ONE)
    assert mended_by(done) == "Before that, failres dropped the cache `deps-v1` of this pull request."


def test_names_from_logs_and_lists_are_inert_and_short():
    """A key is whatever somebody's workflow says."""
    told = repair(RepairTold(repair=DEPS, state="done", things=(("cache", "`@everyone` <b>[x](http://a.b)"), *MANY)))
    assert "and 3 more" in told
    assert "the cache `` `@everyone` <b>[x](http://a.b) ``," in told, "all of it is code"
    assert len(told) < 400
