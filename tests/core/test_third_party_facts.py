"""Checks of another CI: what is kept, what is due, and what they prove."""

import itertools

import pytest

from bot.words.failure import red as red_line
from resolver.actions import ReadCheckAnnotations
from resolver.attribution import Refusal, Undecided, Verdict, WantBase, WantRerun, attribute
from resolver.casework import make_case
from resolver.config import RepoConfig, parse_config
from resolver.decide import decide_pull
from resolver.decide.base_evidence import base_evidence
from resolver.executions import Check
from resolver.facts import ActionDone, ActionRefused, ActionStarted, RollupSeen, RunsRead
from resolver.fold import fold
from resolver.limits import LIMITS, Limits
from resolver.news import is_news
from resolver.other_ci import NOT_STARTED, AnnotationsRead, check_of_app
from resolver.other_ci.output import Annotation, Output, OutputLimits, read_annotations, read_output
from tests.core.made import (
    BASE,
    HEAD,
    NEXT,
    check_run,
    config,
    files,
    job,
    looked_at_base,
    pull,
    red,
    repo,
    run,
    state_of,
    status,
)

NOW = 1_000.0
KNOWN = (looked_at_base(), repo(), config(), pull(), files())
CHECK = check_of_app("acme-ci", "build")
COMMENTED = ActionDone(
    ticket="comment:7#1", key="k", target="comment:7", number=7, result={"commentId": 4, "createdAt": 500.0}
)
MOVED = (pull(head_sha=NEXT, updated_at=200.0), files(7, NEXT), run(21, NEXT, conclusion="success"))
MARKED = check_run(annotations=1)
READ = ReadCheckAnnotations(number=7, check_run_id=70, head_sha=HEAD, completed_at=108.0, check=CHECK)
READING = ActionStarted(ticket="t", key=READ.key, target=READ.target, type=READ.type, number=7, at=NOW)


def marked(*annotations, completed_at=108.0):
    """The annotations of that check run, read."""
    found, capped = read_annotations(CHECK, annotations or (mark(),))
    return AnnotationsRead(check_run_id=70, head_sha=HEAD, completed_at=completed_at, findings=found, capped=capped)


def mark(line=3, **changes):
    """A failing annotation."""
    given = {"path": "shop/cart.py", "line": line, "level": "failure", "title": "no-eval", "message": "eval is evil"}
    return Annotation(**{**given, **changes})


def due(*facts, now=NOW):
    """What is due for pull request 7."""
    return decide_pull(state_of(*KNOWN, *facts), 7, now)


DUE = {
    "a green one says nothing": ((check_run(conclusion="success"), status(state="success")), []),
    "a pending status says nothing": ((status(state="pending"),), []),
    "a neutral or skipped one says nothing": ((check_run(conclusion="neutral"), check_run(71, "skipped")), []),
    "a cancelled one is no failure": ((check_run(conclusion="cancelled"),), []),
    "a red check run is told": ((check_run(),), ["post-check", "post-comment"]),
    "one that asks for an action is told": ((check_run(conclusion="action_required"),), ["post-check", "post-comment"]),
    "a red status is told": ((status(),), ["post-check", "post-comment"]),
    "an error is told": ((status(state="error"),), ["post-check", "post-comment"]),
    "annotations are read before anything is said": ((MARKED,), ["read-check-annotations"]),
    "annotations that are read are told": ((MARKED, marked()), ["post-check", "post-comment"]),
    "those of an earlier end of the check run are not its own": (
        (MARKED, marked(completed_at=50.0)),
        ["read-check-annotations"],
    ),
    "a newer green one of the same name takes the red back": (
        (check_run(70), check_run(71, "success", started_at=103.0)),
        [],
    ),
    "an older green one of the same name does not, though it comes later": (
        (check_run(71), check_run(70, "success", started_at=90.0)),
        ["post-check", "post-comment"],
    ),
    "one of the same name by another App is another check": (
        (check_run(70), check_run(71, "success", started_at=103.0, app="other", app_id=45)),
        ["post-check", "post-comment"],
    ),
    "a pending status takes the red back without a green": (
        (status(), COMMENTED, status(81, "pending", at=106.0)),
        [],
    ),
    "a new head where it has not reported resolves nothing": ((status(), COMMENTED, *MOVED), []),
    "a new head where it passed resolves the comment": (
        (status(), COMMENTED, *MOVED, status(90, "success", NEXT)),
        ["post-comment"],
    ),
    "a count that differs has everything listed again": (
        (run(conclusion="success"), job(30, "success"), RollupSeen(head_sha=HEAD, failed=1, passed=1)),
        ["read-runs"],
    ),
    "a count that another CI explains does not": (
        (check_run(71, "success"), status(), RollupSeen(head_sha=HEAD, failed=1, passed=1)),
        ["post-check", "post-comment"],
    ),
}


CONCERNED = {"read-check-annotations", "read-runs", "read-log", "post-check", "post-comment"}


@pytest.mark.parametrize("facts", DUE.values(), ids=DUE)
def test_what_is_due(facts):
    """Told like jobs; its annotations are read once; only its own success resolves it."""
    known, wanted = facts
    assert [action.type for action in due(*known).actions if action.type in CONCERNED] == wanted


def test_a_report_waits_for_annotations_only_so_long():
    """Then it goes out with what the check run's output said."""
    assert not {action.type for action in due(MARKED, READING).actions} & CONCERNED
    late = [a for a in due(MARKED, READING, now=NOW + LIMITS.log_patience).actions if a.type == "post-comment"]
    (failed,) = late[0].report.failed
    assert [failure.message for failure in failed.failures] == ["The build broke"]


def test_annotations_that_cannot_be_read_are_not_waited_for():
    """A refusal is an answer too."""
    refused = ActionRefused(ticket="t", key=READ.key, target=READ.target, number=7, reason="checks: read is missing")
    told = [action.type for action in due(MARKED, READING, refused).actions]
    assert "post-comment" in told


def test_a_report_tells_check_runs_statuses_and_jobs_side_by_side():
    """Names, places and messages come from wherever they were told."""
    (post,) = [a for a in due(*red()[3:], MARKED, marked(), status()).actions if a.type == "post-comment"]
    told = [(c.check, c.third_party, c.failures[0].item, c.failures[0].message) for c in post.report.failed]
    assert told == [
        (".github/workflows/ci.yml: test (pull_request)", False, "tests/test_cart.py::test_total", "assert 90 == 100"),
        (": acme-ci / build", True, "no-eval", "eval is evil"),
        (": ci/coverage", True, None, "2 lines are not covered"),
    ]


@pytest.mark.parametrize("order", list(itertools.permutations([0, 1, 2])))
def test_the_order_of_arrival_changes_nothing(order):
    """Red, pending, green of one context, and two check runs of one name: the newest counts, however they come."""
    statuses = [status(80), status(81, "pending", at=106.0), status(82, "success", at=107.0)]
    runs = [check_run(70), check_run(71, started_at=103.0), check_run(72, "success", started_at=104.0)]
    head = state_of(*(statuses[n] for n in order), *(runs[n] for n in order)).head(HEAD)
    assert [told.conclusion for told in head.third_party()] == ["success", "success"]
    assert head.failed_third_party() == []


@pytest.mark.parametrize(
    ("before", "fact", "news"),
    [
        ([], check_run(), True),
        ([check_run()], check_run(), False),
        ([check_run()], check_run(completed_at=90.0), False),
        ([check_run()], check_run(conclusion="success", completed_at=120.0), True),
        ([], status(), True),
        ([status()], status(), False),
        ([status()], status(79), False),
        ([status()], status(81, "success"), True),
        ([], status(state="pending"), False),
        ([status()], status(81, "pending"), True),
        ([status(), status(81, "pending")], status(82, "pending"), False),
    ],
)
def test_only_news_become_records(before, fact, news):
    """Older ends, repeated statuses and progress of what is pending need no record."""
    assert is_news(state_of(*before), fact) is news


def test_a_status_that_takes_a_result_back_is_under_way():
    """A red job's rerun runs; a red status that is pending again does too: the verdict waits for its end."""
    base = status(60, "success", BASE, at=900.0)
    case = make_case(state_of(*KNOWN, base, status(), status(81, "pending", at=106.0)), _pull(), NOW, RepoConfig())
    assert [e.result for e in case.executions] == ["running", "passed"]


def _pull(*facts):
    return state_of(*KNOWN, *facts).pulls[7]


def attributed(*facts, refusals=()):
    """What attribution says of another CI's failures on that head."""
    state = state_of(*KNOWN, *facts)
    return attribute(make_case(state, state.pulls[7], NOW, RepoConfig(), refusals)).outcomes


BASE_MARKED = check_run(60, head=BASE, annotations=1, started_at=900.0, completed_at=950.0)
BASE_MARKS = marked().model_copy(update={"check_run_id": 60, "head_sha": BASE, "completed_at": 950.0})
BASE_SEEN = RunsRead(head_sha=BASE, at=1.0)
ON_BASE = config(sha=BASE)
REFUSED = (Refusal(kind="rerun", reason=NOT_STARTED), Refusal(kind="base", reason=NOT_STARTED))

AGAIN = check_run(71, annotations=1, started_at=103.0, completed_at=109.0)
UNTITLED = marked(mark(title=""))
UNTITLED_AGAIN = UNTITLED.model_copy(update={"check_run_id": 71, "completed_at": 109.0})
BASE_GREEN = check_run(60, "success", BASE, started_at=900.0, completed_at=950.0)

PROVEN = {
    "two reds of one place on the head and a fresh green base are the task's defect": (
        (MARKED, UNTITLED, AGAIN, UNTITLED_AGAIN, BASE_GREEN),
        "task-defect",
    ),
    "but not where a test may be meant that the base's green did not run": (
        (MARKED, marked(), AGAIN, marked().model_copy(update={"check_run_id": 71, "completed_at": 109.0}), BASE_GREEN),
        "unclassified",
    ),
    "the same annotation on the base is the base's defect": (
        (MARKED, marked(), BASE_MARKED, BASE_MARKS),
        "base-defect",
    ),
    "another annotation on the base excuses nothing": (
        (MARKED, marked(mark(message="exec is evil")), BASE_MARKED, BASE_MARKS),
        "unclassified",
    ),
    "a green base beside one red is no verdict": (
        (MARKED, marked(), BASE_GREEN),
        "unclassified",
    ),
    "a red and a green on one head are no flake: nobody knows their base": (
        (
            check_run(70),
            check_run(71, started_at=103.0),
            check_run(72, "success", started_at=102.5, completed_at=102.9),
        ),
        "unclassified",
    ),
    "nor is a status that turned": ((check_run(70), status(79, "success", at=90.0)), "unclassified"),
}


@pytest.mark.parametrize("row", PROVEN.values(), ids=PROVEN)
def test_what_another_ci_proves(row):
    """Base and task by agreeing executions only, and never a flake."""
    facts, klass = row
    outcomes = attributed(*facts, refusals=REFUSED)
    assert {outcome.klass for outcome in outcomes if isinstance(outcome, Verdict)} == {klass}


def test_a_failure_has_no_name_before_its_annotations_are_read():
    """Until then it is not attributed, so that no verdict names what is not the failure."""
    (outcome,) = attributed(MARKED)
    assert isinstance(outcome, Undecided)
    assert [want.kind for want in outcome.wants] == ["log"]


def test_neither_a_rerun_nor_a_probe_is_ever_started():
    """Managed and with every mode on, the want is refused with the reason, and the verdict says it."""
    acting = config(
        found=True, settings=parse_config('managed:\n  branches: ["**"]\nmode:\n  rerun: act\n  probe: act\n')
    )
    known = state_of(*KNOWN, acting, check_run())
    decided = decide_pull(known, 7, NOW, Limits(ceiling="act"))
    assert not {action.type for action in decided.actions} & {"rerun-jobs", "start-probe"}
    (verdict,) = [fact for fact in decided.facts if hasattr(fact, "klass")]
    assert (verdict.klass, verdict.reason) == ("unclassified", f"no class is proven; {NOT_STARTED}")


def test_the_base_is_asked_for_what_it_has_and_its_annotations_are_read_for_all():
    """A base's result of the same check that is there already costs one read, shared by all that wait; no more."""
    state = state_of(*KNOWN, MARKED, marked(), BASE_MARKED)
    want = WantBase(check=CHECK, commit=BASE, item=None, after=0.0)
    found = base_evidence(state, state.pulls[7], want, NOW, LIMITS)
    assert [(action.type, action.number, action.check_run_id) for action in found.actions] == [
        ("read-check-annotations", None, 60)
    ]
    state = fold(state, BASE_MARKS)
    refused = base_evidence(state, state.pulls[7], want, NOW, LIMITS)
    assert (refused.kind, refused.reason) == ("base", NOT_STARTED)


def test_a_check_is_of_another_ci_by_having_neither_workflow_nor_event():
    """And it is told by its name alone."""
    assert (CHECK.third_party, CHECK.key) == (True, "acme-ci / build")
    assert CHECK.model_copy(update={"fork": True}).key == "acme-ci / build (fork)"
    assert not Check(workflow="ci.yml", job="build").third_party
    assert WantRerun(check=CHECK, commit=HEAD).check.third_party


LOG = "### Result\n\n```\nFAILED tests/test_cart.py::test_total - assert 90 == 100\n===== 1 failed in 0.1s =====\n```\n"
SAID = {
    "a title": (Output(title="3 problems"), [(None, "3 problems")]),
    "the summary's first line, without Markdown": (Output(summary="\n## **Failed**\n\nmore"), [(None, "Failed")]),
    "nothing but its conclusion": (Output(), [(None, "timed_out")]),
    "a failing test in the text": (
        Output(title="1 failed", text=LOG),
        [("tests/test_cart.py::test_total", "assert 90 == 100")],
    ),
    "a failing test in the summary": (
        Output(title="1 failed", summary=LOG),
        [("tests/test_cart.py::test_total", "assert 90 == 100")],
    ),
    "words about a network, which excuse nothing": (
        Output(title="Scan failed", text="curl: (6) Could not resolve host: example.org\nERROR: 429 Too Many Requests"),
        [(None, "Scan failed")],
    ),
}


@pytest.mark.parametrize("row", SAID.values(), ids=SAID)
def test_what_an_output_says(row):
    """The failing items that it names, else its own words at the level of the check; never an excuse."""
    output, wanted = row
    found = read_output(CHECK, "timed_out", output)
    assert [(each.item, each.message) for each in found] == wanted
    assert {each.source for each in found} == {"api"}
    assert all(each.kind not in ("network", "rate-limit", "quota") for each in found)


def test_failing_annotations_are_the_findings_and_warnings_only_where_nothing_failed():
    """Notices say nothing of a failure."""
    warning, notice = mark(level="warning", message="careful"), mark(level="notice", message="look")
    assert [f.message for f in read_annotations(CHECK, [notice, warning, mark()])[0]] == ["eval is evil"]
    assert [f.message for f in read_annotations(CHECK, [notice, warning])[0]] == ["careful"]
    assert read_annotations(CHECK, [notice]) == ((), 0)


def test_annotations_are_the_same_failure_when_lines_shift_and_another_when_file_or_words_differ():
    """The fingerprint is over check, file, title and message."""

    def fingerprint(one):
        return read_annotations(CHECK, [one])[0][0].fingerprint

    assert fingerprint(mark(3)) == fingerprint(mark(30))
    others = [mark(path="shop/other.py"), mark(message="exec is evil"), mark(title="no-exec")]
    assert len({fingerprint(each) for each in [mark(), *others]}) == 4


def test_so_many_annotations_are_kept_and_the_others_counted():
    """In the order of files and lines, whatever order they came in."""
    many = [mark(line, message=f"problem {line} of many") for line in range(9, 0, -1)]
    found, capped = read_annotations(CHECK, many, OutputLimits(findings=4))
    assert [each.places[0].line for each in found] == [1, 2, 3, 4]
    assert capped == 5


def test_an_annotation_without_a_finding_leaves_the_outputs_words():
    """Notices only: what the check run's title says is the failure."""
    (post,) = [a for a in due(MARKED, marked(mark(level="notice"))).actions if a.type == "post-comment"]
    assert [f.message for f in post.report.failed[0].failures] == ["The build broke"]


def test_a_place_in_an_output_is_the_repositorys_where_the_pull_request_changes_that_file():
    """Another CI names files as it saw them; only a file that is known to be there is linked."""
    lines = [f"{path}:3:1: error: Name 'x' is not defined  [name-defined]" for path in ("src/app.py", "shop/cart.py")]
    (post,) = [a for a in due(check_run(text="\n".join(lines))).actions if a.type == "post-comment"]
    places = {at.path: at.mapped for failure in post.report.failed[0].failures for at in failure.places}
    assert places == {"src/app.py": False, "shop/cart.py": True}


def test_an_action_that_another_ci_asks_for_is_no_approval():
    """The same conclusion means another thing where Actions gives it."""
    (post,) = [a for a in due(check_run(conclusion="action_required")).actions if a.type == "post-comment"]
    assert red_line(post.report) == "`acme-ci / build` asks for an action: `The build broke`"
