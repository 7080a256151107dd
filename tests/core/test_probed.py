"""What counts of a probe's commit: only the run that was asked for, of the base that it really tested."""

import pytest

from resolver.casework import make_case
from resolver.config import RepoConfig
from resolver.executions import Check
from resolver.facts import ProbeDispatched, ProbeRemoved
from resolver.ids import PullNumber
from resolver.probed import has_ended, speaks, stands_for
from tests.core.made import BASE, HEAD, NEXT, job, red, run, state_of, triaged

CI = ".github/workflows/ci.yml"
OWN = ".github/workflows/failres-probe.yml"
TEST = Check(workflow=CI, job="test")


def probe(**changed):
    """A probe of the check on the base, whose commit is `NEXT`."""
    given = {"event": "push", "workflow": CI, **changed}
    return ProbeDispatched(
        probe_id="p", check=TEST, base_sha=BASE, commit=NEXT, branch="x", run_id=None, nonce="n", **given
    )


def there(*facts):
    """What is known of the probe's commit."""
    return state_of(*facts).head(NEXT)


PUSHED = run(21, NEXT, path=CI, event="push", status="completed", conclusion="failure")
ITS_JOB = job(41, "failure", NEXT, run_id=21, name="test")
LINT = run(22, NEXT, path=".github/workflows/lint.yml", event="push", status="completed", conclusion="success")
NAMESAKE = job(42, "success", NEXT, run_id=22, name="test")
PULLED = run(23, NEXT, path=CI, event="pull_request", status="completed", conclusion="failure")
RUNNING = run(22, NEXT, path=".github/workflows/lint.yml", event="push", status="in_progress", conclusion=None)
PROBED = run(24, NEXT, path=OWN, event="workflow_dispatch", status="completed", conclusion="failure")

SPEAKS = {
    "its own run": (probe(), PUSHED, ITS_JOB, True),
    "the same name in another workflow": (probe(), LINT, NAMESAKE, False),
    "the same workflow by another event": (probe(), PULLED, job(43, "failure", NEXT, run_id=23, name="test"), False),
    "another job of its run": (probe(), PUSHED, job(44, "failure", NEXT, run_id=21, name="lint"), False),
    "a draft's own run": (
        probe(event="pull_request"),
        PULLED,
        job(43, "failure", NEXT, run_id=23, name="test"),
        True,
    ),
    "the push of a draft's branch": (probe(event="pull_request"), PUSHED, ITS_JOB, False),
    "a probe workflow, as older journals have it": (
        probe(event="workflow_dispatch", workflow=""),
        PROBED,
        job(45, "failure", NEXT, run_id=24, name="test"),
        True,
    ),
}


@pytest.mark.parametrize(("told", "its_run", "its_job", "answer"), SPEAKS.values(), ids=SPEAKS.keys())
def test_a_name_alone_proves_nothing(told, its_run, its_job, answer):
    """A push starts whatever listens, and workflows give their jobs the same names."""
    assert speaks(told, there(its_run, its_job), its_job) is answer


ENDED = {
    "nothing yet": ((), False),
    "its run and its job": ((PUSHED, ITS_JOB), True),
    "a run without jobs, which may be late": ((PUSHED,), False),
    "only another workflow has ended": ((LINT, NAMESAKE), False),
    "another workflow still runs": ((PUSHED, ITS_JOB, RUNNING), True),
}


@pytest.mark.parametrize(("facts", "answer"), ENDED.values(), ids=ENDED.keys())
def test_a_probe_has_ended_with_its_own_run(facts, answer):
    """What else was started by its branch is not waited for."""
    assert has_ended(probe(), there(*facts)) is answer


def test_a_probe_stands_for_the_check_by_the_event_that_made_it():
    """So that it is never taken for an execution of the task's own kind."""
    assert stands_for(probe()) == TEST.model_copy(update={"event": "push"})


@pytest.mark.parametrize(
    ("pull", "told", "commit"),
    [(None, None, BASE), (None, HEAD, BASE), (PullNumber(9), None, BASE), (PullNumber(9), HEAD, HEAD)],
)
def test_a_draft_says_something_of_the_base_that_its_log_names(pull, told, commit):
    """GitHub merges it with the base of the moment; a pushed commit has the base's own files, whatever a log says."""
    event = "pull_request" if pull else "push"
    facts = (
        *red(),
        probe(pull=pull, event=event),
        run(21, NEXT, path=CI, event=event, status="completed", conclusion="failure"),
        job(41, "failure", NEXT, run_id=21, name="test"),
        triaged(41, head=NEXT, run_id=21, tested_base=told),
        ProbeRemoved(probe_id="p", reason="it has reported"),
    )
    state = state_of(*facts)
    case = make_case(state, next(iter(state.pulls.values())), 1_000.0, RepoConfig())
    (mine,) = [each for each in case.executions if each.side == "probe"]
    assert (mine.commit, mine.check.event, mine.check.workflow) == (commit, event, CI)
