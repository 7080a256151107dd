"""The probes that other people notice: a pushed branch and a draft pull request; allowed, capped and cleaned up."""

import pytest
from inline_snapshot import snapshot

from bot.sandbox.ci.runner.function_job import failed
from bot.sandbox.faults import Fault
from resolver.actions import RemoveProbe, StartProbe, probe_target
from resolver.facts import GateAttributed, HeadPushed, ProbeDispatched, ProbeRemoved, PullObserved
from resolver.journal import from_json
from resolver.probes import is_probe_branch
from tests.stories.acts import ACT, CHECK, CI, MANAGED, RED, job, open_shop, order, runs, workflow

PUSHED = "on: {pull_request: , push: {branches: [main, 'ci/**']}}\n"
PULLS = "on: {pull_request: }\n"
MAY_PUSH = "probes: {pushBranch: true}\n"
MAY_DRAFT = "probes: {draftPull: true}\n"


def probe(base, attempt=1, check=CHECK, *, draft=True):
    """The action that probes a check on a commit of main."""
    probe_id = probe_target(check, base, attempt)
    return StartProbe(
        check=check, base_ref="main", base_sha=base, attempt=attempt, probe_id=probe_id, draft=draft, draft_again_at=9e9
    )


def branches(repo):
    """The branches of probes that are there."""
    return [name for name in repo.git.refs.all("refs/heads/") if is_probe_branch(name.removeprefix("refs/heads/"))]


def drafts(repo):
    """The pull requests that failres has opened."""
    return [pull for pull in repo.pulls.values() if is_probe_branch(pull.head_ref)]


def dispatched(end):
    """The probes that were told of."""
    return [fact for fact in end.facts if isinstance(fact, ProbeDispatched)]


def removal(told, reason="it has reported"):
    """The action that cleans up."""
    return RemoveProbe(probe_id=told.probe_id, branch=told.branch, commit=told.commit, reason=reason, pull=told.pull)


async def held_shop(world, text, config):
    """A shop whose jobs begin and do not end, so that what is there can be looked at; and its base."""
    repo = await open_shop(world, text, ACT + config)
    world.sandbox.ci.hold("unit")
    return repo, repo.git.branch("main")


async def test_a_branch_is_pushed_under_a_name_that_the_filters_let_pass(calm):
    """An empty child of the base that runs by its push; it is gone when the check has ended."""
    repo, base = await held_shop(calm, workflow(on=PUSHED), MAY_PUSH)
    end = await order(calm, probe(base))
    assert end.refused is None
    (told,) = dispatched(end)
    (run,) = runs(repo, head_sha=told.commit)
    commit = repo.git.commit(told.commit)
    assert (run.event, run.head_branch, run.path) == ("push", told.branch, CI)
    assert told.branch.startswith("ci/failres/probe/")
    assert (told.event, told.workflow, told.pull) == ("push", CI, None)
    assert (commit.parents, commit.tree) == ((base,), repo.git.commit(base).tree)
    assert "[skip ci]" not in commit.message
    calm.sandbox.ci.release("unit")
    await calm.settle()
    assert branches(repo) == []


WRITES = {
    "the commit of a push": (MAY_PUSH, "/repos/*/git/commits"),
    "the branch of a push": (MAY_PUSH, "/repos/*/git/refs"),
    "the commit of a draft": (MAY_DRAFT, "/repos/*/git/commits"),
    "the branch of a draft": (MAY_DRAFT, "/repos/*/git/refs"),
    "the draft": (MAY_DRAFT, "/repos/*/pulls"),
}


@pytest.mark.parametrize("how", ["lose", "drop"])
@pytest.mark.parametrize(("config", "path"), WRITES.values(), ids=WRITES.keys())
async def test_a_lost_answer_doubles_nothing(calm, config, how, path):
    """Whichever write's answer is lost: one branch, one run of the check, and no second draft."""
    repo, base = await held_shop(calm, workflow(on=PUSHED if config == MAY_PUSH else PULLS), config)
    calm.sandbox.faults.add(Fault("POST", path, how=how))
    end = await order(calm, probe(base))
    assert end.refused is None
    assert len(branches(repo)) == 1
    assert len(drafts(repo)) == (config == MAY_DRAFT)
    (commit,) = {fact.commit for fact in dispatched(end)}
    assert len(runs(repo, head_sha=commit)) == 1


@pytest.mark.parametrize("config", [MAY_PUSH, MAY_DRAFT], ids=["push", "draft"])
async def test_a_probe_that_is_there_is_taken_up(calm, config):
    """The same probe ordered again, as after a crash: nothing is made, and its run is told."""
    repo, base = await held_shop(calm, workflow(on=PUSHED if config == MAY_PUSH else PULLS), config)
    (first,) = dispatched(await order(calm, probe(base)))
    again = await order(calm, probe(base))
    assert dispatched(again)[-1].model_copy(update={"run_id": None}) == first.model_copy(update={"run_id": None})
    (run,) = runs(repo, head_sha=first.commit)
    assert again.done.result["runId"] == run.id
    assert again.done.result["found"]
    assert len(drafts(repo)) == (config == MAY_DRAFT)


async def test_a_draft_is_opened_and_closed_and_its_branch_removed(calm):
    """It says what it is; its run is a pull request's, on the merge with the base; then nothing of it is left open."""
    repo, base = await held_shop(calm, workflow(on=PULLS), MAY_DRAFT)
    end = await order(calm, probe(base))
    assert end.refused is None
    (told,) = dispatched(end)
    (pull,) = drafts(repo)
    (run,) = runs(repo, head_sha=told.commit)
    assert (pull.draft, pull.state, pull.base_ref, pull.head_sha) == (True, "open", "main", told.commit)
    assert (told.pull, told.event, told.base_sha, run.event) == (pull.number, "pull_request", base, "pull_request")
    said = f"{pull.title}\n\n{pull.body}".replace(told.nonce, "‹nonce›").replace(base[:7], "‹base›")
    assert said == snapshot("""\
failres probe: unit on main (closes by itself)

**This changes nothing, and nobody has to look at it.**

A check is red on a pull request. To find out whether `main` itself is broken, failres runs the check `unit` of `.github/workflows/ci.yml` on `main` at `‹base›` in the way in which a pull request runs it: with an empty commit.

failres closes this pull request and removes its branch once the check has ended. Please do not merge it, push to it or mark it as ready.

`probes.draftPull` in `.github/failres.yml` allows this, at most 2 times a day.

<!-- failres:probe:‹nonce› -->\
""")
    calm.sandbox.ci.release("unit")
    await calm.settle()
    assert (run.latest.conclusion, pull.state, pull.merged_at, branches(repo)) == ("success", "closed", None, [])


NONE = {
    "a push starts a deployment too": (
        workflow(on=PUSHED),
        MAY_PUSH,
        {".github/workflows/ship.yml": workflow(job("ship", ", environment: prod"), on="on: push\n")},
        "`push` starts .github/workflows/ship.yml too",
    ),
    "the event decides": (
        workflow(job("unit", ", env: {E: '${{ github.event_name }}'}"), on=PUSHED),
        MAY_PUSH,
        {},
        "`github.event_name` decides",
    ),
    "a draft is skipped": (
        workflow(job("unit", ", if: '!github.event.pull_request.draft'"), on=PULLS),
        MAY_DRAFT,
        {},
        "draft pull request: the job `unit` of .github/workflows/ci.yml is skipped",
    ),
}


@pytest.mark.parametrize(("text", "config", "files", "reason"), NONE.values(), ids=NONE.keys())
async def test_where_no_way_is_valid_nothing_is_made(calm, text, config, files, reason):
    """Whatever else would be started is looked at before anything is."""
    repo = await open_shop(calm, text, ACT + config, **files)
    end = await order(calm, probe(repo.git.branch("main")))
    assert reason in end.refused
    assert (branches(repo), drafts(repo)) == ([], [])


async def test_more_workflow_files_than_are_read_start_nothing(calm):
    """A push would start what nobody has looked at."""
    more = {f".github/workflows/n{number}.yml": workflow(on="on: issues\n") for number in range(60)}
    repo = await open_shop(calm, workflow(on=PUSHED), ACT + MAY_PUSH, **more)
    end = await order(calm, probe(repo.git.branch("main")))
    assert "push of a branch: not all of the base's workflow files were read" in end.refused


async def test_a_base_that_moved_on_is_asked_by_no_draft(calm):
    """A pull request is merged with the base of the moment: it would test another commit."""
    repo, base = await held_shop(calm, workflow(on=PULLS), MAY_DRAFT)
    calm.people.push("main", {"README.md": "more\n"}, by="admin")
    end = await order(calm, probe(base))
    assert "draft pull request: it would test main at" in end.refused
    assert (branches(repo), drafts(repo)) == ([], [])


async def test_a_base_that_moves_while_a_draft_is_opened_is_the_one_that_is_told(calm):
    """GitHub answered from a replica that lags: what the draft was really opened against is what it tells about."""
    repo, base = await held_shop(calm, workflow(on=PULLS), MAY_DRAFT)
    await order(calm, probe(base))
    moved = calm.people.push("main", {"README.md": "more\n"}, by="admin")
    calm.sandbox.faults.add(Fault("GET", "/repos/*/git/ref/heads/main", how="stale", times=None))
    end = await order(calm, probe(base, attempt=2))
    assert end.refused is None
    told = dispatched(end)[-1]
    assert (told.pull, told.base_sha) == (drafts(repo)[-1].number, moved)


NO = {
    "422": (422, "Draft pull requests are not supported in this repository."),
    "403": (403, "Resource not accessible"),
}


@pytest.mark.parametrize(("status", "message"), NO.values(), ids=NO.keys())
async def test_a_draft_that_github_refuses_leaves_no_branch(calm, status, message):
    """A plan without drafts, or a right that is missing: the reason is told, and the branch taken back."""
    repo, base = await held_shop(calm, workflow(on=PULLS), MAY_DRAFT)
    calm.sandbox.faults.add(Fault("POST", "/repos/*/pulls", status=status, body={"message": message}, times=None))
    end = await order(calm, probe(base))
    assert "GitHub did not open a draft pull request" in end.refused
    assert (branches(repo), drafts(repo)) == ([], [])


async def test_without_one_left_today_no_draft_is_opened(calm):
    """The refusal is for today only."""
    repo, base = await held_shop(calm, workflow(on=PULLS), MAY_DRAFT)
    end = await order(calm, probe(base, draft=False))
    assert "the 2 a day that `probes.draftPullsPerDay` allows are spent" in end.refused
    assert drafts(repo) == []


@pytest.mark.parametrize(("method", "path"), [("PATCH", "/repos/*/pulls/*"), ("DELETE", "/repos/*/git/refs/*")])
@pytest.mark.parametrize("how", ["lose", "drop"])
async def test_a_draft_is_cleaned_up_once(calm, method, path, how):
    """Also where an answer is lost; cleaning up again, or after somebody else did, is fine."""
    repo, base = await held_shop(calm, workflow(on=PULLS), MAY_DRAFT)
    (told,) = dispatched(await order(calm, probe(base)))
    calm.sandbox.faults.add(Fault(method, path, how=how))
    end = await order(calm, removal(told))
    assert end.refused is None
    assert ([pull.state for pull in drafts(repo)], branches(repo)) == (["closed"], [])
    assert ProbeRemoved(probe_id=told.probe_id, reason="it has reported") in end.facts
    assert (await order(calm, removal(told))).refused is None


async def test_a_draft_whose_branch_has_vanished_is_closed_all_the_same(calm):
    """GitHub closes it with its branch; nothing is left either way."""
    repo, base = await held_shop(calm, workflow(on=PULLS), MAY_DRAFT)
    (told,) = dispatched(await order(calm, probe(base)))
    calm.people.delete_branch(told.branch, by="admin")
    assert (await order(calm, removal(told))).refused is None
    assert [pull.state for pull in drafts(repo)] == ["closed"]


async def test_a_draft_that_somebody_pushed_to_is_left_alone(calm):
    """It holds somebody's work now."""
    repo, base = await held_shop(calm, workflow(on=PULLS), MAY_DRAFT)
    (told,) = dispatched(await order(calm, probe(base)))
    calm.people.push(told.branch, {"mine.txt": "keep\n"})
    assert "somebody moved the branch" in (await order(calm, removal(told))).refused
    assert ([pull.state for pull in drafts(repo)], len(branches(repo))) == (["open"], 1)


async def test_a_pushed_branch_tells_that_the_base_is_broken(world):
    """The base was never tested, and its workflow can only be pushed: once is enough, and nothing is left of it."""
    text = workflow(on="on: {pull_request: , push: {branches: ['ci/**']}}\n")
    repo = await open_shop(world, text, MANAGED + MAY_PUSH, **RED)
    pull = world.people.open_pull("docs", {"docs.md": "more\n"})
    await world.settle()
    assert [run.latest.conclusion for run in runs(repo, event="push")] == ["failure"]
    assert await classes(world) == {pull.number: {"base-defect"}}
    assert branches(repo) == []
    assert "the base (started by failres)" in world.said(pull)


async def test_a_draft_tells_that_the_base_is_broken_and_is_no_task(world):
    """
    The check runs for pull requests alone: one draft is opened, says what it is, and is closed with its branch. It is
    no task: nothing is said on it and nothing is decided about it, red as it is.
    """
    repo = await open_shop(world, workflow(on=PULLS), MANAGED + MAY_DRAFT, **RED)
    pull = world.people.open_pull("docs", {"docs.md": "more\n"})
    await world.settle()
    (draft, *more) = drafts(repo)
    assert await classes(world) == {pull.number: {"base-defect"}}
    assert {each.state for each in (draft, *more)} == {"closed"}
    assert len(more) == 0
    assert branches(repo) == []
    assert "the base (started by failres)" in world.said(pull)
    assert [comment.body for comment in repo.comments.values() if comment.number == draft.number] == []
    mine = [check for check in repo.check_runs.values() if check.app is world.sandbox.app]
    assert draft.head_sha not in {check.head_sha for check in mine}
    seen = [from_json(row.kind, row.data) for row in await world.journal()]
    assert {fact.number for fact in seen if isinstance(fact, PullObserved | HeadPushed)} == {pull.number}


async def test_a_days_drafts_are_not_exceeded(calm):
    """Two checks are red on a broken base, and one draft a day is allowed: the other check waits for tomorrow."""
    text = workflow(job("unit"), job("lint"), on=PULLS)
    config = MANAGED + "probes: {draftPull: true, draftPullsPerDay: 1}\n"
    calm.sandbox.ci.job("lint", lambda _: failed("shop.py:1:1: F401 `os` imported but unused", "Found 1 error."))
    repo = await open_shop(calm, text, config, **RED)
    pull = calm.people.open_pull("docs", {"docs.md": "more\n"})
    await calm.settle()
    assert len(drafts(repo)) == 1
    assert len((await classes(calm))[pull.number]) == 1
    calm.clock.advance(3_600.0)
    await calm.settle()
    assert len(drafts(repo)) == 1
    calm.clock.advance(86_400.0)
    await calm.settle()
    assert [each.state for each in drafts(repo)] == ["closed"] * 2
    assert (await classes(calm))[pull.number] == {"base-defect"}
    calm.said(pull)


async def classes(world):
    """The newest verdicts' classes by pull request."""
    found = {}
    for row in await world.journal():
        fact = from_json(row.kind, row.data)
        if isinstance(fact, GateAttributed):
            found.setdefault(fact.number, {})[fact.item] = fact.klass
    return {number: set(items.values()) for number, items in found.items()}
