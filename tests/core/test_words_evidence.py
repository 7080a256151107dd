"""The table of evidence: each row leads to its run at GitHub, whoever reported it, and never to somebody's address."""

import pytest

from bot.words import check, comment
from bot.words.evidence import evidence
from resolver.attribution import Verdict
from resolver.attribution.outcome import Evidence
from resolver.casework import make_case
from resolver.decide.compose import compose
from resolver.decide.rights import config_of
from resolver.executions import Check
from resolver.other_ci import check_of_app
from tests.core.made import BASE, HEAD, NEXT, check_run, config, files, pull, repo, state_of, status
from tests.links import links

URL = "https://github.test/acme/shop"
JOB = Check(workflow=".github/workflows/ci.yml", job="test")
OTHER = check_of_app("acme-ci", "build")
ISSUE = "https://github.test/acme/shop/issues/12"
"""An address that would leave a trace in that issue's conversation."""


def seen(**changes):
    """A red on the head."""
    given = {"role": "red", "side": "task", "run": 20, "attempt": 2, "job_id": 30, "commit": HEAD, "tested_base": BASE}
    return Evidence(**{**given, "fingerprints": (), "strength": "strong", "age": 60.0, **changes})


def verdict(*shown, of=JOB):
    """A verdict that stands on that."""
    given = {"klass": "unclassified", "check": of, "item": None, "fingerprint": None, "strength": "weak"}
    return Verdict(**given, next_action="none", reason="", evidence=shown)


def row(each, of=JOB):
    """Its row, as cells."""
    return [cell.strip() for cell in evidence(verdict(each, of=of), URL).splitlines()[2].strip("|").split("|")]


@pytest.mark.parametrize(
    ("each", "of", "run"),
    [
        (seen(), JOB, f"[run 20, attempt 2]({URL}/actions/runs/20/job/30)"),
        (seen(job_id=0), JOB, f"[run 20, attempt 2]({URL}/actions/runs/20/attempts/2)"),
        (seen(told_by="check-run", run=70, job_id=0), OTHER, f"[check run 70]({URL}/runs/70)"),
        (seen(told_by="status", run=90, job_id=0), OTHER, f"[commit status]({URL}/commit/{HEAD})"),
        (seen(run=90, job_id=0), OTHER, "another CI"),
    ],
    ids=["job", "attempt", "check run", "status", "of an older journal"],
)
def test_a_row_leads_to_its_run(each, of, run):
    """A job to its own page, which is of that attempt; a check run to GitHub's page of it; a status to its commit."""
    assert row(each, of)[2] == run


@pytest.mark.parametrize(
    ("each", "base"),
    [
        (seen(), "`0000000`"),
        (seen(tested_base=None), "unknown"),
        (seen(side="base", tested_base=None), "itself"),
        (seen(side="probe", tested_base=None), "itself"),
        (seen(side="group", tested_base=NEXT), "`bbbbbbb`"),
    ],
    ids=["known", "told nowhere", "base", "probe", "group"],
)
def test_a_row_says_with_which_base(each, base):
    """A cell that is left empty would not say whether there is none, or none is known."""
    assert row(each)[4] == base


def test_of_many_executions_the_first_are_shown_and_the_rest_counted():
    """A comment has an end; the handoff bundle has them all."""
    table = evidence(verdict(*[seen(run=run) for run in range(1, 16)]), URL).splitlines()
    assert (len(table), table[-1]) == (2 + 12 + 1, "| … and 3 more |  |  |  |  |  |  |")
    assert len(evidence(verdict(*[seen()] * 15), URL, 15).splitlines()) == 2 + 15


def test_an_older_record_of_evidence_is_one_of_a_job():
    """Journals from before hold no word on who told of an execution."""
    told = seen().model_dump(mode="json", by_alias=True)
    del told["toldBy"]
    assert Evidence.model_validate(told) == seen()


@pytest.mark.parametrize("reported", [check_run(url=ISSUE), status(url=ISSUE)], ids=["check run", "status"])
def test_an_address_of_another_ci_is_never_alive(reported):
    """Not in the comment, nor in the check run; of a status, which has no page of its own, it is shown as code."""
    state = state_of(repo(), config(), pull(), files(), reported)
    report = compose(state, state.pulls[7])
    for text in (comment.render(report, URL, {}), check.summary(report, URL)):
        assert ISSUE not in links(text)
    (execution,) = make_case(state, state.pulls[7], 1_000.0, config_of(state, state.pulls[7])).executions
    assert (execution.told_by == "status") == (f"`{ISSUE}`" in comment.render(report, URL, {}))
