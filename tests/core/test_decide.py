"""What is due, as a table: what is known → which actions, and when to look again."""

import pytest

from resolver.config import ConfigProblem, parse_config
from resolver.decide import decide_pull, decide_repository
from resolver.decide.due import due
from resolver.facts import (
    ActionDone,
    ActionRefused,
    ActionStarted,
    BaseMoved,
    CommentGone,
    EngineStuck,
    InstallationChanged,
    PullConfigRead,
    RollupSeen,
    RunsRead,
)
from resolver.facts.landings import LandingRead
from resolver.fold import fold
from resolver.limits import Limits
from resolver.state import Effect
from tests.core.made import (
    BASE,
    HEAD,
    NEXT,
    config,
    failure,
    files,
    job,
    looked_at_base,
    pull,
    red,
    repo,
    run,
    state_of,
    triaged,
)

NOW = 1_000.0
BROKEN = (ConfigProblem(line=2, column=1, path="mode", message="must be a mapping"),)
OFF = parse_config("enabled: false\n")
COMMENTED = ActionDone(
    ticket="comment:7#1", key="k", target="comment:7", number=7, result={"commentId": 4, "createdAt": 500.0}
)
GREEN_JOB = job(40, "success", NEXT, run_id=21)
MOVED = (pull(head_sha=NEXT, updated_at=200.0), files(7, NEXT), run(21, NEXT, conclusion="success"))


def kinds(*facts, now=NOW):
    """The types of the actions that are due for pull request 7, on a base whose runs are known."""
    return [action.type for action in decided(*facts, now=now)]


def decided(*facts, now=NOW):
    """The actions that are due for pull request 7, on a base whose runs are known."""
    return decide_pull(state_of(looked_at_base(), *facts), 7, now).actions


TABLE = {
    "a new pull request has its files read": ((repo(), config(), pull()), ["read-files"]),
    "one that brings a configuration has it checked": (
        (repo(), config(), pull(), files(7, HEAD, ".github/failres.yml")),
        ["read-pull-config"],
    ),
    "nothing failed, nothing is said": ((repo(), config(), pull(), files(), run(), job(30, "success")), []),
    "a failed job has its log read": ((repo(), config(), pull(), files(), run(), job()), ["read-log"]),
    "a failed job of an unknown run has the runs read": ((repo(), config(), pull(), files(), job()), ["read-runs"]),
    "a triaged failure is told": (red(), ["post-check", "post-comment"]),
    "a missing log is told, and excuses nothing": (
        (*red()[:-1], triaged(missing="no-log", kind="none")),
        ["post-check", "post-comment"],
    ),
    "skipped jobs are no failures": ((repo(), config(), pull(), files(), run(), job(30, "skipped")), []),
    "a cancelled job is no failure": ((repo(), config(), pull(), files(), run(), job(30, "cancelled")), []),
    "a closed pull request is left alone": ((*red(), pull(state="closed", updated_at=200.0)), []),
    "the stop label silences": ((*red(), pull(labels=("failres:stop",), updated_at=200.0)), []),
    "an unread configuration silences": (red()[:1] + red()[2:], []),
    "`enabled: false` silences": ((*red(), config(found=True, settings=OFF)), []),
    "a broken configuration of the base leaves only the check run": (
        (*red(), config(found=True, problems=BROKEN)),
        ["post-check"],
    ),
    "a broken configuration on the branch is told": (
        (
            repo(),
            config(),
            pull(),
            files(7, HEAD, ".github/failres.yml"),
            PullConfigRead(number=7, head_sha=HEAD, found=True, problems=BROKEN),
        ),
        ["post-check", "post-comment"],
    ),
    "a lost installation silences": ((*red(), InstallationChanged(installation_id=9, active=False, at=1.0)), []),
    "a stuck pull request is left alone": ((*red(), EngineStuck(number=7, head_sha=HEAD, error="x")), []),
    "a new head without results leaves the comment as it is": ((*red(), COMMENTED, *MOVED[:2]), []),
    "a new head that passes resolves the comment": ((*red(), COMMENTED, *MOVED, GREEN_JOB), ["post-comment"]),
    "a new head that passes needs no comment where none stands": ((*red(), *MOVED, GREEN_JOB), []),
    "a new head where the red check did not run resolves nothing": (
        (*red(), COMMENTED, *MOVED, job(40, "success", NEXT, run_id=21, name="lint")),
        [],
    ),
    "a check whose workflow is gone is resolved when all else succeeded": (
        (*red(), COMMENTED, *MOVED[:2], run(21, NEXT, conclusion="success", path=".github/workflows/new.yml")),
        ["post-comment"],
    ),
    "a skipped job is no proof of green": (
        (*red(), COMMENTED, *MOVED[:2], run(21, NEXT, conclusion="success"), job(40, "skipped", NEXT, run_id=21)),
        [],
    ),
    "GitHub counts a failure that is not known": (
        (repo(), config(), pull(), files(), RollupSeen(head_sha=HEAD, failed=1, passed=0)),
        ["read-runs"],
    ),
    "that failure is of another CI, which was looked at": (
        (
            repo(),
            config(),
            pull(),
            files(),
            RollupSeen(head_sha=HEAD, failed=1, passed=0),
            RunsRead(head_sha=HEAD, at=1.0, rollup=RollupSeen(head_sha=HEAD, failed=1, passed=0)),
        ),
        [],
    ),
    "a green job of a check that was red on this head is read: did the item run in it": (
        (*red(), job(31, "success", attempt=2), run(attempt=2, conclusion="success")),
        ["read-log"],
    ),
    "green elsewhere is not asked for where nothing was red": (
        (repo(), config(), pull(), files(), RollupSeen(head_sha=HEAD, failed=0, passed=3)),
        [],
    ),
}


@pytest.mark.parametrize(("facts", "actions"), TABLE.values(), ids=TABLE.keys())
def test_what_is_due(facts, actions):
    """The row's name is the rule."""
    assert kinds(*facts) == actions


BASE_JOB = job(90, head=BASE, run_id=60)
BASE_RUN = run(60, BASE, event="push", head_branch="main")


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        ((), ["read-runs"]),
        ((looked_at_base(),), []),
        ((looked_at_base(), BASE_RUN, BASE_JOB), ["read-log"]),
        ((looked_at_base(), BASE_RUN, job(90, "success", BASE, run_id=60)), ["read-log"]),
        ((looked_at_base(), BASE_RUN, job(90, "cancelled", BASE, run_id=60)), []),
        ((looked_at_base(), BASE_RUN, job(90, head=BASE, run_id=60, name="lint")), []),
        ((looked_at_base(), BASE_RUN, BASE_JOB, triaged(90, head=BASE)), ["read-landing"]),
        ((looked_at_base(), BASE_RUN, BASE_JOB, triaged(90, head=BASE), LandingRead(commit=BASE)), []),
    ],
)
def test_the_base_is_asked_by_what_is_there_already_and_only_as_far_as_needed(known, wanted):
    """List its runs once, read the logs of the same job, whatever event ran it; another job or a cancelled one not. Of
    a commit that fails so, ask by whom it came.
    """
    actions = decide_pull(state_of(*red(), *known), 7, NOW).actions
    assert [a.type for a in actions if a.number is None] == wanted


def test_a_base_that_failed_in_the_same_way_is_recorded_as_its_defect_before_anything_is_said():
    """Once it is known whose change the base is, the verdict is a fact of this turn; the next round says it."""
    known = (*red(), looked_at_base(), BASE_RUN, BASE_JOB, triaged(90, head=BASE))
    asking = decide_pull(state_of(*known), 7, 120.0)
    assert (asking.facts, [a.type for a in asking.actions]) == ((), ["read-landing"])
    state = state_of(*known, LandingRead(commit=BASE))
    first = decide_pull(state, 7, NOW)
    assert [(type(f).__name__, f.klass) for f in first.facts] == [("GateAttributed", "base-defect")]
    for fact in first.facts:
        state = fold(state, fact)
    second = decide_pull(state, 7, NOW)
    assert second.facts == ()
    assert [a.report.cause.lead.klass for a in second.actions] == ["base-defect"] * 2


def test_a_report_waits_for_the_logs_that_are_being_read_but_not_for_ever():
    """Complete evidence first; after five minutes what is known is told."""
    started = ActionStarted(ticket="log:31#1", key="k", target="log:31", type="read-log", number=7, at=NOW)
    facts = (*red(), job(31, name="lint"), started)
    waiting = decide_pull(state_of(looked_at_base(), *facts), 7, NOW)
    assert ([a.type for a in waiting.actions], waiting.again_at) == ([], NOW + 300.0)
    assert kinds(*facts, now=NOW + 301.0) == ["post-check", "post-comment"]


def test_a_log_that_may_not_be_read_is_told_with_its_reason():
    """A refusal is an answer: the report goes out and names it."""
    refused = ActionRefused(ticket="log:30#1", key="k", target="log:30", number=7, reason="actions: read is missing")
    due_now = decided(*red()[:-1], refused)
    assert [action.report.failed[0].missing for action in due_now] == ["actions: read is missing"] * 2


def test_at_most_three_logs_of_a_head_are_read_at_a_time():
    """Ten red jobs do not take ten workers."""
    jobs = [job(50 + n, name=f"unit-{n}") for n in range(10)]
    assert kinds(repo(), config(), pull(), files(), run(), *jobs) == ["read-log"] * 3


def test_cells_of_one_matrix_that_fail_alike_are_read_three_times():
    """The fourth cell's log is not read, and the report does not wait for it."""
    cells = [job(50 + n, name=f"test (3.{n})") for n in range(6)]
    read = [triaged(50 + n) for n in range(3)]
    due_now = decided(repo(), config(), pull(), files(), run(), *cells, *read)
    assert [action.type for action in due_now] == ["post-check", "post-comment"]
    assert [check.missing for check in due_now[0].report.failed] == [None] * 3 + ["not-read"] * 3


def test_cells_that_fail_differently_are_all_read():
    """Three different failures say nothing about the fourth cell."""
    cells = [job(50 + n, name=f"test (3.{n})") for n in range(4)]
    read = [triaged(50 + n, failure(fingerprint=f"v1-{n:016x}")) for n in range(3)]
    assert kinds(repo(), config(), pull(), files(), run(), *cells, *read) == ["read-log"]


def test_b2_comments_stay_within_the_budget_of_the_day():
    """Three new comments a day on one pull request; a fourth waits, the check run does not."""
    made = [
        ActionDone(
            ticket=f"comment:7#{n}", key="k", target="comment:7", number=7, result={"commentId": n, "createdAt": 900.0}
        )
        for n in range(3)
    ]
    state = state_of(looked_at_base(), *red(), *made)
    gone = state.pulls[7].comment_id
    state = fold(state, CommentGone(number=7, comment_id=gone))
    assert [a.type for a in decide_pull(state, 7, NOW).actions] == ["post-check"]
    assert [a.type for a in decide_pull(state, 7, NOW + 86_400.0).actions] == ["post-check", "post-comment"]


def test_a_forks_pull_request_is_marked_as_one():
    """The words must know that nothing but an explanation may follow."""
    facts = (*red(), pull(head_repo_id=2, head_owner="eve", updated_at=150.0))
    assert decide_pull(state_of(*facts), 7, NOW).actions[0].report.from_fork


def test_the_repository_reads_its_configuration_and_looks_at_everything_regularly():
    """Configuration once for each base commit, the regular look every ten minutes."""
    state = state_of(repo(), pull())
    first = decide_repository(state, NOW)
    assert [a.type for a in first.actions] == ["read-config", "sweep-pulls", "read-rules"]
    assert first.again_at == NOW + Limits().sweep_every
    state = fold(state, config())
    swept = ActionStarted(ticket="sweep#1", key="k", target="sweep", type="sweep-pulls", number=None, at=NOW)
    state = fold(state, swept)
    state = fold(state, swept.model_copy(update={"ticket": "rules:main#1", "target": "rules:main"}))
    assert decide_repository(state, NOW + 1).actions == ()
    touched = fold(state, BaseMoved(ref="main", sha=NEXT, config_touched=True))
    assert [a.type for a in decide_repository(touched, NOW + 1).actions] == ["read-config"]


def test_what_runs_on_a_base_is_watched_in_its_own_time_whenever_the_regular_look_is_due():
    """The next look is the watch's next slot, never one that is over."""
    running = run(77, BASE, event="push", head_branch="main", status="in_progress", conclusion=None)
    state = state_of(*red(), repo(), BaseMoved(ref="main", sha=BASE, config_touched=None), running)
    every = Limits().watch_every
    found = decide_repository(state, NOW)
    assert "sweep-pulls" in [each.type for each in found.actions]
    assert found.again_at == (NOW // every + 1) * every


def test_a_base_that_moves_without_touching_the_configuration_costs_nothing():
    """Busy bases always move."""
    state = state_of(repo(), pull(), BaseMoved(ref="main", sha=BASE, config_touched=None), config())
    state = fold(state, BaseMoved(ref="main", sha=NEXT, config_touched=False))
    assert [a.type for a in decide_repository(state, NOW).actions] == ["sweep-pulls", "read-rules"]


def test_a_red_head_without_a_pull_request_is_looked_for():
    """Events of forks do not name their pull request, and the delivery that would may be lost."""
    due_now = decide_repository(state_of(repo(), run(), job()), NOW).actions
    assert [a.type for a in due_now] == ["find-pull", "sweep-pulls"]
    assert (due_now[0].head_owner, due_now[0].head_branch) == ("acme", "coupons")


EFFECT = Effect(1, "t#1", "A", "started", 10.0)


@pytest.mark.parametrize(
    ("known", "key", "starts", "again"),
    [
        (None, "A", True, None),
        (EFFECT, "A", False, None),
        (EFFECT, "B", True, None),
        (Effect(1, "t#1", "A", "done", 10.0, done_key="A"), "A", False, None),
        (Effect(1, "t#1", "A", "done", 10.0, done_key="A"), "B", True, None),
        (Effect(2, "t#2", "B", "started", 10.0, done_key="A"), "A", True, None),
        (Effect(1, "t#1", "A", "refused", 10.0, reason="no"), "A", False, None),
        (Effect(1, "t#1", "A", "refused", 10.0, reason="no"), "B", True, None),
        (Effect(1, "t#1", "A", "refused", 10.0, reason="no", retry_at=50.0), "A", False, 50.0),
        (Effect(1, "t#1", "A", "refused", 10.0, reason="no", retry_at=20.0), "A", True, None),
    ],
)
def test_an_action_is_started_once_for_each_content(known, key, starts, again):
    """Under way or done is not started again; a refusal rests until its time, or until there is other content."""

    class Wanted:
        target, number = "t", 7

    wanted = Wanted()
    wanted.key = key
    found = due({"t": known} if known else {}, [wanted], 30.0)
    assert (bool(found.actions), found.again_at) == (starts, again)


def test_a_log_that_was_refused_for_now_is_read_when_its_time_has_come():
    """The permission may have been granted meanwhile; what was refused for good is not asked for again."""
    known = (repo(), config(), pull(), files(), run(), job())
    (read,) = decided(*known)
    refused = {
        "ticket": "t",
        "key": read.key,
        "target": read.target,
        "number": 7,
        "reason": "the App lacks actions: read",
    }
    begun = ActionStarted(ticket="t", key=read.key, target=read.target, type="read-log", number=7, at=NOW)
    later = ActionRefused(**refused, retry_at=NOW + 3_600.0)
    assert "read-log" not in kinds(*known, begun, later)
    assert decide_pull(state_of(looked_at_base(), *known, begun, later), 7, NOW).again_at == NOW + 3_600.0
    assert kinds(*known, begun, later, now=NOW + 3_600.0).count("read-log") == 1
    assert "read-log" not in kinds(*known, begun, ActionRefused(**refused), now=NOW + 3_600.0)
