"""What is said beside a verdict: each cause in a sentence, labels as a note, and a drift for what it is."""

import pytest

from bot.words.beside import beside, cause
from bot.words.verdict import sentence
from resolver.attribution import Claim, NeverRan, OwnMerge, Verdict
from resolver.attribution.classes import BEHIND_RUN, CARRIES_BASE
from resolver.decide.compose import compose
from resolver.executions import Check
from resolver.ids import PullNumber
from resolver.report import Standing
from tests.core.made import BASE, red, state_of

CHECK = Check(workflow=".github/workflows/ci.yml", job="test")
STATE = state_of(*red())
REPORT = compose(STATE, STATE.pulls[7])


def verdict(klass="base-defect", reason="", **more):
    """A verdict on that check."""
    given = {"klass": klass, "check": CHECK, "item": None, "fingerprint": None, "evidence": (), "strength": "strong"}
    return Verdict(**given, next_action="none", reason=reason, **more)


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("path", "its path filter leaves out what was changed there"),
        ("event", "its workflow runs it on other events only"),
        ("draft", "it leaves drafts out"),
    ],
)
def test_a21_the_filter_is_told_with_the_pull_request_that_it_let_pass(why, words):
    """Named without `#`, so that nothing appears in that pull request's conversation."""
    named = cause(NeverRan(check=CHECK, why=why, landed=PullNumber(4), commit=BASE))
    assert named == (
        "`test` first failed on `0000000`, with which pull request 4 landed, "
        f"and it had never run on that pull request: {words}."
    )
    assert cause(NeverRan(check=CHECK, why=why)) == (
        f"`test` had never run on this pull request before the merge queue: {words}."
    )


def test_a_cause_of_several_verdicts_is_told_once():
    """Ten failing items of one job have one story."""
    own = OwnMerge(landed=PullNumber(4), commit=BASE)
    told = Standing(verdicts=(verdict(causes=(own,)), verdict(causes=(own,))))
    assert beside(REPORT.model_copy(update={"cause": told})) == [
        (
            "The same failure on `0000000` is no evidence against the base: "
            "that commit is this very change, which had landed before as pull request 4."
        )
    ]


def test_a17_labels_are_noted_and_inert():
    """A label's text is somebody's, so that it stands as code."""
    told = Standing(claims=(Claim(says="flaky"), Claim(says="@all `intermittent`")))
    assert beside(REPORT.model_copy(update={"cause": told})) == [
        (
            "Noted: the labels `flaky`, `` @all `intermittent` ``. "
            "What people say of a failure changes no verdict; only executions do."
        )
    ]
    assert beside(REPORT) == []


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (CARRIES_BASE, "`test` fails on a branch that carries changes of `main` itself: it needs the newer base first"),
        (BEHIND_RUN, "`test` fails on a branch that is behind its run's `main`: it needs the newer base first"),
        ("", "`test` was mended on `main` after this branch was tested: it needs the newer base"),
    ],
)
def test_a_drift_is_told_for_what_it_is(reason, words):
    """Only where the base was seen to be mended, that is said."""
    assert sentence(REPORT, verdict("base-drift", reason)) == words
