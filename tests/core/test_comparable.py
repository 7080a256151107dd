"""What makes two executions comparable: the labels of their runners, and that the deciding step ran in both. Tables."""

import pytest

from bot.objects import job_finished
from resolver.attribution import attribute
from resolver.casework import make_case
from resolver.config import RepoConfig
from resolver.facts import RunsRead, StepFinished
from resolver.progress import JobProgressed, JobStalled, StepSeen
from tests.core.attribution_table import told
from tests.core.made import BASE, HEAD, config, failure, files, job, pull, repo, run, state_of, triaged
from tests.server.deliveries import examples

NOW = 1_000.0
ITEM = "tests/test_cart.py::test_total"
BIG = {"runs_on": "big, linux"}
SMALL = {"runs_on": "ubuntu-latest"}
SKIPPED = {"steps": (StepFinished(number=2, name="Test", conclusion="skipped"),)}
WORDLESS = failure(None, job_level=True, kind="unknown", fail_class="unknown")


def red(job_id=30, *, says=None, **changes):
    """The head's job has failed."""
    return [run(), job(job_id, **changes), triaged(job_id, says or failure())]


def again(**changes):
    """It was run again on the same head, and passed."""
    passed = job(31, "success", attempt=2, started_at=200.0, completed_at=210.0, **changes)
    return [run(attempt=2, conclusion="success", updated_at=210.0), passed, triaged(31, passed=(ITEM,), attempt=2)]


def base(**changes):
    """The base's own run of it has passed since."""
    passed = job(40, "success", BASE, run_id=21, started_at=200.0, completed_at=210.0, **changes)
    return [
        run(21, BASE, event="push", conclusion="success"),
        passed,
        triaged(40, head=BASE, run_id=21, passed=(ITEM,)),
    ]


def without(*facts):
    """The same, of which no log names what passed."""
    return [each.model_copy(update={"passed": ()}) if hasattr(each, "passed") else each for each in facts]


STALLED = JobStalled(
    job_id=30,
    run_id=20,
    attempt=1,
    name="test",
    workflow="ci",
    head_sha=HEAD,
    step_number=2,
    step="Test",
    since=300.0,
    seen_at=900.0,
    budget=600.0,
    source="config",
)
RUNNING = JobProgressed(
    **STALLED.model_dump(include={"job_id", "run_id", "attempt", "name", "workflow", "head_sha", "since", "seen_at"}),
    status="in_progress",
    steps=(StepSeen(number=2, name="Test", status="in_progress", started_at=300.0),),
)
STALL = [run(status="in_progress", conclusion=None), RUNNING, STALLED]

TABLE = {
    "the same runner": ([*red(**BIG), *again(**BIG)], "flake → none"),
    "another runner": ([*red(**BIG), *again(**SMALL)], "nothing"),
    "an older record, which tells none": ([*red(), *again(**SMALL)], "nothing"),
    "a base on the same runner": ([*red(**BIG), *base(**BIG)], "want rerun"),
    "a base on another runner": ([*red(**BIG), *base(**SMALL)], "want rerun"),
    "twice red, a base on the same runner": (
        [*red(**BIG), *red(32, **BIG, attempt=2, started_at=300.0), *base(**BIG)],
        "task-defect → explain",
    ),
    "twice red, a base on another runner": (
        [*red(**BIG), *red(32, **BIG, attempt=2, started_at=300.0), *base(**SMALL)],
        f"want base {BASE} more",
    ),
    "a base that skipped the step, and named the item": (
        [*red(), *red(32, attempt=2, started_at=300.0), *base(**SKIPPED)],
        "task-defect → explain",
    ),
    "nothing named, a pass that ran the step": ([*red(says=WORDLESS), *without(*again())], "flake → none"),
    "nothing named, a pass that skipped the step": ([*red(says=WORDLESS), *without(*again(**SKIPPED))], "nothing"),
    "a stall, and the step has passed on the base": ([*STALL, *base()], "gate-stalled → rerun"),
    "a stall, and the step was skipped on the base": ([*STALL, *base(**SKIPPED)], "gate-stalled → probe"),
    "a stall, and the step has passed on another runner": ([*STALL, *base(**BIG)], "gate-stalled → probe"),
}


@pytest.mark.parametrize(("facts", "answer"), TABLE.values(), ids=TABLE.keys())
def test_only_what_is_comparable_counts(facts, answer):
    """The same check, commit, tested base and configuration (specification, section 5); a skipped step decides nothing."""
    state = state_of(repo(), config(), pull(), files(), *facts, RunsRead(head_sha=BASE, at=900.0))
    assert told(attribute(make_case(state, state.pulls[7], NOW, RepoConfig()))) == answer


def test_the_labels_of_a_job_are_read_in_one_order():
    """GitHub lists what `runs-on` asks for in the order of the file."""
    told = next(payload["workflow_job"] for event, payload in examples() if event == "workflow_job")
    asked = {**told, "status": "completed", "conclusion": "success", "labels": ["self-hosted", "linux"]}
    assert job_finished(asked).runs_on == "linux, self-hosted"
    assert job_finished({**asked, "labels": []}).runs_on == ""
