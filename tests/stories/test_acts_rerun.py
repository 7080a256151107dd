"""Failed jobs run again, once, and only where nothing speaks against it."""

import pytest

from bot.cli.scenarios.looking import folded
from bot.sandbox.ci.runner.function_job import passed
from bot.sandbox.faults import Fault
from bot.sandbox.objects.accounts import simple_user
from resolver.actions import RerunJobs
from resolver.facts import ActionRefused
from resolver.journal import from_json
from resolver.ledger.events import RerunStarted
from tests.stories.acts import ACT, CI, MANAGED, RED, job, open_shop, order, runs, workflow

GROUP = "permissions: {contents: read}\nconcurrency: ${{ github.workflow }}\n"
"""A concurrency group that all runs of the workflow share."""


async def red_pull(world, text=None, config=ACT, **files):
    """A pull request whose only run is red, and that run."""
    repo = await open_shop(world, text, config, **files)
    pull = world.people.open_pull("discount", RED)
    await world.settle()
    world.said(pull)
    return repo, pull, runs(repo, head_sha=pull.head_sha)[0]


def rerun(pull, run, jobs=("unit",), **changed):
    """The action on that run as it stood."""
    given = {
        "attempt": 1,
        "head_sha": pull.head_sha,
        "asked": True,
        "jobs": jobs,
        "rerun_id": f"rerun:{run.id}:1",
        **changed,
    }
    return RerunJobs(number=pull.number, run_id=run.id, path=CI, **given)


async def test_a_flake_is_run_again_once_where_the_configuration_lets_failres_act(world):
    """A job fails once; failres itself wants the second execution, asks for it once, and it passes."""
    repo = await open_shop(world, config=MANAGED)
    world.sandbox.ci.fail_once("unit", "error: the clock was wrong")
    pull = world.people.open_pull("docs", {"README.md": "more\n"})
    await world.later(3_600.0)
    (run,) = runs(repo, head_sha=pull.head_sha)
    assert [attempt.conclusion for attempt in run.attempts] == ["failure", "success"]
    world.said(pull)


async def test_the_failed_jobs_of_a_head_run_again(calm):
    """The next attempt has a red job anew; the order tells which attempt it asked for."""
    _, pull, run = await red_pull(calm)
    end = await order(calm, rerun(pull, run))
    assert end.refused is None
    assert end.done.result == {"attempt": 2}
    assert len(run.attempts) == 2
    calm.said(pull)


@pytest.mark.parametrize("how", ["lose", "drop"])
async def test_a_lost_answer_brings_no_second_rerun(calm, how):
    """The connection ends before or after GitHub has taken the rerun: there is one second attempt."""
    _, pull, run = await red_pull(calm)
    calm.sandbox.faults.add(Fault("POST", "/repos/*/rerun-failed-jobs", how=how))
    end = await order(calm, rerun(pull, run))
    assert end.refused is None
    assert len(run.attempts) == 2
    calm.said(pull)


async def test_a_rerun_that_shows_late_is_not_asked_for_twice(calm):
    """GitHub took the rerun, lost the answer, and shows the old attempt for a while (GITHUB.md trap 14)."""
    _, pull, run = await red_pull(calm)
    calm.sandbox.ci.late_reruns = True
    calm.sandbox.faults.add(Fault("POST", "/repos/*/rerun-failed-jobs", how="lose"))
    end = await order(calm, rerun(pull, run))
    assert end.refused is None
    assert len(run.attempts) == 2
    calm.said(pull)


async def test_somebody_who_was_quicker_did_it(calm):
    """A person has rerun it already: nothing is asked, and it counts as done."""
    _, pull, run = await red_pull(calm)
    await calm.people.rerun(run)
    await calm.settle()
    end = await order(calm, rerun(pull, run))
    assert end.done.result == {"attempt": 2, "already": True}
    assert len(run.attempts) == 2
    calm.said(pull)


async def test_a_run_that_goes_on_is_left_alone(calm):
    """A second job still runs: GitHub would refuse, and so does failres, until it has ended."""
    calm.sandbox.ci.job("slow", lambda _: passed("ok"))
    calm.sandbox.ci.hold("slow")
    _, pull, run = await red_pull(calm, workflow(job("unit"), job("slow")))
    end = await order(calm, rerun(pull, run))
    assert end.refused == "the run is still going on"
    calm.sandbox.ci.release("slow")
    await calm.settle()
    assert len(run.attempts) == 1
    calm.said(pull)


REFUSED = {
    "the head moved": ({"head_sha": "0" * 40}, "the head moved"),
    "a job that the file does not have": ({"jobs": ("other",)}, f"{CI} has no job that shows `other`"),
}


@pytest.mark.parametrize(("changed", "reason"), REFUSED.values(), ids=REFUSED.keys())
async def test_an_order_that_does_not_fit_is_refused(calm, changed, reason):
    """What the order says is compared with what stands there now."""
    _, pull, run = await red_pull(calm)
    end = await order(calm, rerun(pull, run, **changed))
    assert end.refused == reason
    assert len(run.attempts) == 1
    calm.said(pull)


FILES = {
    "no permissions declared": (workflow(top=""), "does not declare its permissions"),
    "the job has an environment": (workflow(job("unit", ", environment: prod")), "has an environment"),
    "a dependent publishes": (
        workflow(job("unit"), job("publish", ", needs: unit, permissions: {packages: write}")),
        "`publish` of .github/workflows/ci.yml may write `packages`",
    ),
}


@pytest.mark.parametrize(("text", "reason"), FILES.values(), ids=FILES.keys())
async def test_what_deploys_or_may_write_is_never_run_again(calm, text, reason):
    """The workflow file is read at the head before anything is asked."""
    _, pull, run = await red_pull(calm, text)
    end = await order(calm, rerun(pull, run))
    assert reason in end.refused
    assert len(run.attempts) == 1
    calm.said(pull)


async def test_a_person_may_vouch_for_a_check_of_which_the_file_says_nothing(calm):
    """`gate.writesNothing` names it."""
    _, pull, run = await red_pull(calm, workflow(top=""), ACT + "gate: {writesNothing: [unit]}\n")
    assert (await order(calm, rerun(pull, run))).refused is None
    assert len(run.attempts) == 2
    calm.said(pull)


async def test_a_file_that_the_head_loosened_does_not_count_alone(calm):
    """The task takes the environment out of its own file; the base's file still says that the job deploys."""
    repo = await open_shop(calm, workflow(job("unit", ", environment: prod")))
    pull = calm.people.open_pull("discount", {**RED, CI: workflow()})
    await calm.settle()
    (run,) = runs(repo, head_sha=pull.head_sha)
    assert "has an environment" in (await order(calm, rerun(pull, run))).refused
    calm.said(pull)


async def test_a_pass_that_would_land_is_not_asked_for_unless_it_may(calm):
    """Auto-merge is armed: a pass would land the pull request, which needs `flake.mayLand`."""
    _, pull, run = await red_pull(calm)
    who = simple_user(calm.sandbox.github, pull.author)
    pull.auto_merge = {"enabled_by": who, "merge_method": "merge", "commit_title": "a", "commit_message": "b"}
    end = await order(calm, rerun(pull, run))
    assert "auto-merge is armed" in end.refused
    calm.said(pull)


async def test_a11_what_was_refused_before_it_was_sent_uses_no_limit_up(world):
    """The last look keeps failres from a rerun that would land; an hour later nothing speaks against it: it is made."""
    repo = await open_shop(world, config=MANAGED)
    world.sandbox.ci.fail_once("unit", "error: the clock was wrong")
    pull = world.people.open_pull("docs", {"README.md": "more\n"})
    who = simple_user(world.sandbox.github, pull.author)
    pull.auto_merge = {"enabled_by": who, "merge_method": "merge", "commit_title": "a", "commit_message": "b"}
    await world.later(600.0)
    (run,) = runs(repo, head_sha=pull.head_sha)
    assert len(run.attempts) == 1
    assert await reruns_left(world, run) == (0, 1)
    pull.auto_merge = None
    await world.later(3_700.0)
    assert [attempt.conclusion for attempt in run.attempts] == ["failure", "success"]
    assert await reruns_left(world, run) == (1, 0)
    world.said(pull)


async def test_what_may_have_reached_github_uses_a_limit_up(calm):
    """GitHub took the rerun and the answer was lost; then somebody stops failres: nobody knows, so that it counts."""
    _, pull, run = await red_pull(calm)
    calm.sandbox.ci.late_reruns = True
    calm.sandbox.faults.add(Fault("POST", "/repos/*/rerun-failed-jobs", how="lose"))

    def stop(happening):
        if happening.event == "workflow_run" and happening.action == "requested":
            calm.people.label(pull, "failres:stop")

    calm.sandbox.github.listeners.append(stop)
    end = await order(calm, rerun(pull, run))
    assert end.refused == "the label failres:stop is set"
    ends = [each for each in end.facts if isinstance(each, ActionRefused) and each.target == f"rerun:{run.id}"]
    assert [each.unspent for each in ends] == [None]
    calm.said(pull)


async def test_a_stop_of_the_process_is_no_attempt(calm):
    """The kill switch held the rerun for minutes, then the last look refuses it: certainly nothing has happened."""
    _, pull, run = await red_pull(calm)
    stop = calm.root / "state" / "STOP"
    stop.touch()
    assert (await order(calm, rerun(pull, run))).refused is None
    stop.unlink()
    calm.people.label(pull, "failres:stop")
    await calm.later(120.0)
    facts = [from_json(row.kind, row.data) for row in await calm.journal()]
    refused = [each for each in facts if isinstance(each, ActionRefused) and each.target == f"rerun:{run.id}"]
    assert [(each.reason, each.unspent) for each in refused] == [("the label failres:stop is set", f"rerun:{run.id}:1")]
    calm.said(pull)


async def reruns_left(world, run):
    """How many reruns of that run the ledger holds as spent, and as unspent."""
    state = await folded(world, next(r for r in world.sandbox.github.repositories.values() if run.id in r.runs))
    known = [each for each in state.ledger.events.values() if isinstance(each, RerunStarted)]
    spent = sum(state.ledger.counts(each.id) for each in known)
    return spent, len(known) - spent


async def test_a_head_in_the_merge_queue_is_not_run_again(calm):
    """The queue's branch for the pull request is there."""
    repo, pull, run = await red_pull(calm)
    repo.git.refs.write(f"refs/heads/gh-readonly-queue/main/pr-{pull.number}-{pull.head_sha}", pull.head_sha)
    end = await order(calm, rerun(pull, run))
    assert "it is in the merge queue" in end.refused
    calm.said(pull)


async def test_nothing_newer_in_the_concurrency_group_is_ended_by_a_rerun(calm):
    """Another pull request's run is going on in the group that all runs of the workflow share."""
    text = workflow(top=GROUP)
    _, pull, run = await red_pull(calm, text)
    calm.sandbox.ci.hold("unit")
    other = calm.people.open_pull("docs", {"README.md": "more\n"})
    await calm.settle()
    end = await order(calm, rerun(pull, run))
    assert "in the concurrency group `ci`" in end.refused
    calm.sandbox.ci.release("unit")
    await calm.settle()
    calm.said(pull)
    calm.said(other)


async def test_github_says_no_in_its_own_words(calm):
    """Older than 30 days: the refusal holds GitHub's sentence."""
    _, pull, run = await red_pull(calm)
    run.created_at -= 31 * 86_400
    end = await order(calm, rerun(pull, run))
    assert end.refused.startswith("GitHub refused it: Unable to retry this workflow run")
    calm.said(pull)


async def test_mode_and_kill_switch_are_read_anew(calm):
    """Not managed, then the mode went down, then failres was stopped on the pull request: the last look tells each."""
    _, pull, run = await red_pull(calm)
    assert (await order(calm, rerun(pull, run, asked=False))).refused == "this pull request is not managed"
    calm.people.push("main", {".github/failres.yml": "mode: {rerun: propose}\n"}, by="admin")
    unasked = await order(calm, rerun(pull, run, asked=False))
    assert unasked.refused == "the configuration says `mode.rerun: propose`"
    calm.people.label(pull, "failres:stop")
    assert (await order(calm, rerun(pull, run, rerun_id="again"))).refused == "the label failres:stop is set"
    assert len(run.attempts) == 1
    calm.said(pull)
