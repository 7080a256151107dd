"""The fold: facts may come late, twice and in any order."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolver.decide import decide_pull
from resolver.facts import ActionDone, ActionRefused, ActionStarted, BaseMoved, CommentGone, EngineStuck
from resolver.fold import fold, fold_or_park
from resolver.journal import Unreadable
from resolver.limits import LIMITS
from resolver.news import is_news
from resolver.state import RepoState
from resolver.touched import touched
from tests.core.made import BASE, HEAD, NEXT, config, files, job, pull, red, repo, run, state_of, triaged

LATE = (pull(), run(), job(), job(31, "success", name="lint"), triaged(), repo(), config())


def report(state):
    """What would be said, whatever else is due."""
    return [a.report for a in decide_pull(state, 7, 1_000.0).actions if a.type == "post-comment"]


@pytest.mark.parametrize("order", [LATE, LATE[::-1], LATE[3:] + LATE[:3]])
def test_the_order_of_observations_changes_nothing(order):
    """The same observations in another order lead to the same report."""
    assert report(state_of(*order, files())) == report(state_of(*red()[:4], *LATE))


@given(st.permutations(LATE))
@settings(max_examples=60, deadline=None)
def test_any_order_and_repetition_leads_to_the_same_report(order):
    """Shuffled and told twice: nothing is lost, nothing is said twice."""
    assert report(state_of(*order, *order, files())) == report(state_of(*LATE, files()))


def test_an_older_view_of_a_pull_request_does_not_replace_a_newer_one():
    """A late delivery of the old head leaves the new head in place."""
    state = state_of(pull(head_sha=NEXT, updated_at=200.0), pull(head_sha=HEAD, updated_at=100.0))
    assert state.pulls[7].seen.head_sha == NEXT


def test_an_earlier_attempt_of_a_run_does_not_replace_a_later_one():
    """A rerun keeps the run's id; the higher attempt stays."""
    state = state_of(run(attempt=2, conclusion="success"), run(attempt=1))
    assert state.head(HEAD).runs[20].attempt == 2


def test_a_rerun_that_passes_is_what_counts_now_and_the_red_stays_as_evidence():
    """The newest attempt of a job is the current one; the failed one is kept."""
    head = state_of(job(30), job(31, "success", attempt=2)).head(HEAD)
    assert head.failed() == []
    assert [execution.job_id for execution in head.jobs.values()] == [30, 31]


@pytest.mark.parametrize(
    ("later", "failed"),
    [
        ({}, []),
        ({"attempt": 3}, []),
        ({"path": ".github/workflows/ci.yml@refs/heads/main"}, []),
        ({"path": ".github/workflows/other.yml"}, [30]),
        ({"event": "push"}, [30]),
        ({"head_branch": "release"}, [30]),
        ({"head_owner": "fork"}, [30]),
    ],
)
def test_a_later_run_of_the_same_workflow_and_event_is_what_counts_now(later, failed):
    """A pull request that was opened again; workflows of other events and branches that share the commit stay."""
    jobs = (job(30), job(31, "success", run_id=21))
    for facts in itertools.permutations((run(), run(run_id=21, conclusion="success", **later), *jobs)):
        assert [each.job_id for each in state_of(*facts).head(HEAD).failed()] == failed


@pytest.mark.parametrize("conclusion", ["failure", "timed_out", "startup_failure", "action_required", "brand_new"])
def test_a23_every_conclusion_but_success_and_silence_is_a_failure(conclusion):
    """An unknown conclusion is looked at, not dropped."""
    assert len(state_of(job(conclusion=conclusion)).head(HEAD).failed()) == 1


@pytest.mark.parametrize("conclusion", ["success", "skipped", "neutral", "cancelled", "stale"])
def test_what_was_not_executed_or_was_cancelled_is_no_failure(conclusion):
    """Skipped proves nothing, cancelled is somebody's choice."""
    assert state_of(job(conclusion=conclusion)).head(HEAD).failed() == []


def test_a_new_head_forgets_what_belonged_to_the_old_one_and_keeps_what_was_red():
    """Files and effects of the old head go; the red checks are remembered until they are green."""
    state = state_of(*red(), ActionStarted(ticket="log:30#1", key="k", target="log:30", type="t", number=7, at=1.0))
    state = fold(state, pull(head_sha=NEXT, updated_at=200.0))
    moved = state.pulls[7]
    assert (moved.files, dict(moved.effects)) == (None, {})
    assert moved.reds == {".github/workflows/ci.yml: test (pull_request)"}


def test_an_outcome_of_an_earlier_content_does_not_end_the_newer_one():
    """Done for key one while key two is under way: two is still under way."""
    started = [
        ActionStarted(ticket=f"check:7#{n}", key=f"key{n}", target="check:7", type="post-check", number=7, at=float(n))
        for n in (1, 2)
    ]
    state = state_of(pull(), *started)
    state = fold(state, ActionDone(ticket="check:7#1", key="key1", target="check:7", number=7))
    effect = state.pulls[7].effects["check:7"]
    assert (effect.status, effect.key, effect.done_key) == ("started", "key2", "key1")
    state = fold(state, ActionRefused(ticket="check:7#1", key="key1", target="check:7", number=7, reason="late"))
    assert state.pulls[7].effects["check:7"].status == "started"


def test_a_deleted_comment_is_forgotten_only_when_it_was_ours():
    """Somebody else's comment being deleted changes nothing."""
    done = ActionDone(ticket="t", key="k", target="comment:7", number=7, result={"commentId": 4, "createdAt": 9.0})
    state = state_of(pull(), done)
    assert fold(state, CommentGone(number=7, comment_id=5)).pulls[7].comment_id == 4
    assert fold(state, CommentGone(number=7, comment_id=4)).pulls[7].comment_id is None
    assert not is_news(state, CommentGone(number=7, comment_id=5))


def test_a_stuck_pull_request_is_freed_by_a_new_head():
    """Parked until there is something new to look at; the others are untouched."""
    state = state_of(pull(7), pull(8, head_sha=NEXT), EngineStuck(number=7, head_sha=HEAD, error="KeyError"))
    assert (state.pulls[7].stuck, state.pulls[8].stuck) == ("KeyError", None)
    assert fold(state, pull(7, head_sha=BASE, updated_at=300.0)).pulls[7].stuck is None


def test_an_unreadable_record_parks_its_pull_request_only():
    """A record of an unknown version stops acting there and nowhere else."""
    state = fold(state_of(pull(7), pull(8)), Unreadable(kind="x", number=7, why="new"))
    assert (state.pulls[7].stuck, state.pulls[8].stuck) == ("x: new", None)
    assert state.unreadable == ("x: new",)


def test_a_fact_that_cannot_be_folded_parks_its_pull_request():
    """Whatever goes wrong in the fold, one pull request is parked and the fold goes on."""
    state = state_of(pull(7), pull(8, head_sha=NEXT))
    broken = job().model_copy(update={"completed_at": "yesterday"})
    state = fold_or_park(fold(state, job(29, name="lint")), broken)
    assert (state.pulls[7].stuck is None, state.pulls[8].stuck) == (False, None)


def test_old_commits_are_forgotten_but_never_an_open_pull_requests_head():
    """What is remembered stays bounded."""
    state = state_of(pull(), job())
    for number in range(LIMITS.unowned_heads + 50):
        state = fold(state, job(1_000 + number, head=f"{number:040x}"))
    assert len(state.heads) <= LIMITS.unowned_heads + 2
    assert HEAD in state.heads


def test_closed_pull_requests_keep_no_commits():
    """However many have come and gone, what is remembered follows from those that are open."""
    state = state_of(repo(), config())
    for number in range(1, LIMITS.unowned_heads + 150):
        sha = f"{number:040x}"
        state = fold(state, pull(number, head_sha=sha))
        state = fold(state, job(number, head=sha, run_id=number))
        state = fold(state, pull(number, head_sha=sha, state="closed", updated_at=200.0))
    assert len(state.heads) <= LIMITS.unowned_heads + LIMITS.base_line + 1


def test_only_the_pull_requests_that_a_fact_concerns_are_decided_anew():
    """One dirty pull request among many costs one."""
    state = state_of(repo(), pull(7), pull(8, head_sha=NEXT), pull(9, base_ref="stable", head_sha=BASE))
    assert touched(state, job()) == {7}
    assert touched(state, config()) == {7, 8}
    assert touched(state, BaseMoved(ref="main", sha=BASE, config_touched=False)) == frozenset()
    assert touched(state, repo()) is None


@pytest.mark.parametrize(
    ("before", "fact", "news"),
    [
        ([repo()], repo(), False),
        ([repo()], repo(full_name="acme/store"), True),
        ([pull()], pull(), False),
        ([pull()], pull(title="Other", updated_at=99.0), False),
        ([pull()], pull(labels=("x",)), True),
        ([repo()], BaseMoved(ref="topic", sha=BASE, config_touched=False), False),
        ([repo()], BaseMoved(ref="main", sha=BASE, config_touched=False), True),
        ([run()], run(status="in_progress", conclusion=None, updated_at=100.0), False),
        ([run(status="queued", conclusion=None)], run(status="in_progress", conclusion=None), False),
        ([run()], run(attempt=2, status="queued", conclusion=None), True),
    ],
)
def test_only_news_become_records(before, fact, news):
    """What is known, older or foreign needs no record, however often it is told."""
    assert is_news(state_of(*before), fact) is news


def test_a_base_that_moves_back_is_news_each_time():
    """A force-push to an earlier commit is told like any other move."""
    state = state_of(repo())
    for sha in itertools.islice(itertools.cycle([BASE, HEAD]), 4):
        moved = BaseMoved(ref="main", sha=sha, config_touched=None)
        assert is_news(state, moved)
        state = fold(state, moved)


def test_an_empty_state_knows_nothing():
    """Nothing is due where nothing is known."""
    assert decide_pull(RepoState(), 7, 0.0).actions == ()
