"""What went wrong for others, as stories: noise, and what strangers and logs could make a bot do (cases B, F and G)."""

import json

from aiohttp import web
from pydantic import SecretStr

from bot.cli.scenarios import noise, team
from bot.sandbox.changes import pushes
from bot.sandbox.changes.accounts import add_app, install
from bot.sandbox.changes.comments import add_comment
from bot.sandbox.ci.runner.function_job import failed
from bot.sandbox.state import Act, Actor
from tests.stories.test_commands import attempts, reactions, replies
from tests.stories.test_decisions import asked, question
from tests.stories.test_handoff import BRANCH, bundle

ALL = 'managed: {branches: ["**"]}\nmode: {rerun: act, probe: act, sync: act}\n'
TOKEN = "ghp_" + "a1B2c3D4e5" * 4


def mine(world, repo):
    """Failres's own comments, the oldest first."""
    return [comment for comment in repo.comments.values() if comment.via_app is world.sandbox.app]


async def test_b1_seven_failing_jobs_in_a_discussion_are_one_comment_that_is_edited(calm):
    """They fail on one commit and on the next, people talk in between: there is one comment, and nobody is mailed anew."""
    for job in noise.JOBS:
        calm.sandbox.ci.job(job, noise.outcome)
    repo = calm.repo("shop", {"shop.py": ""}, {"ci.yml": noise.JOBS})
    await calm.settle()
    pull = calm.people.open_pull("everything", {"broken": "yes"})
    calm.people.comment(pull, "What do you think of the name?", by="maintainer")
    await calm.settle()
    (comment,) = mine(calm, repo)
    calm.people.comment(pull, "It is fine.")
    calm.people.push("everything", {"broken": "still"})
    await calm.settle()
    assert [each.id for each in mine(calm, repo)] == [comment.id]
    assert all(f"test_{job}" in comment.body for job in noise.JOBS)
    calm.said(pull)


async def test_b2_a_crowd_of_red_pull_requests_gets_no_more_comments_an_hour_than_the_repository_allows(calm):
    """The check runs stand on all of them; the comments beyond the hour's budget come in the next hour."""
    calm.sandbox.ci.job("unit", team.unit)
    repo = calm.repo("shop", team.files(config="comments: {perRepositoryAndHour: 2}\n"), {"ci.yml": ("unit",)})
    await calm.settle()
    pulls = [calm.people.open_pull(f"b{n}", {"shop.py": team.WRONG, f"b{n}.md": "more"}) for n in range(4)]
    await calm.settle()
    assert len(mine(calm, repo)) == 2
    assert len([run for run in repo.check_runs.values() if run.app is calm.sandbox.app]) == 4
    calm.clock.advance(3_700.0)
    await calm.settle(700.0)
    assert len(mine(calm, repo)) == 4
    for pull in pulls:
        calm.said(pull)


async def test_b5_a_storm_of_retests_is_capped_on_each_commit(calm):
    """Whoever asks and however often: so many executions of a commit, then a reason instead."""
    repo, pull = await _red(calm, "mode: {rerun: propose}\n")
    told = []
    for _ in range(6):
        told.append(calm.people.comment(pull, "/failres retry", by="maintainer"))
        await calm.settle()
        calm.clock.advance(1_300.0)
    assert attempts(repo, pull) == [4]  # the first, and three that were asked for
    assert [reactions(each) for each in told] == [["+1"]] * 3 + [["confused"]] * 3
    assert "3 executions of this check on this commit were made for evidence" in replies(calm, pull)[-1]


async def test_b6_a_base_that_moves_updates_no_pull_request_that_is_not_drifting(calm):
    """Three branches are behind after a merge: none is rebased, since none fails for it; no run is made obsolete."""
    calm.sandbox.ci.job("unit", team.unit)
    repo = calm.repo("shop", team.files(config=ALL), {"ci.yml": team.ON_PUSH})
    await calm.settle()
    pulls = [calm.people.open_pull(f"b{n}", {f"b{n}.md": "more"}) for n in range(2)]
    pulls.append(calm.people.open_pull("red", {"shop.py": team.WRONG}))
    await calm.settle()
    heads = [pull.head_sha for pull in pulls]
    calm.people.push("main", {"CHANGELOG.md": "merged"}, by="admin")
    await calm.settle()
    assert [pull.head_sha for pull in pulls] == heads
    assert all(run.latest.conclusion != "cancelled" for run in repo.runs.values())
    calm.said(pulls[-1])


async def _red(world, config):
    """A shop with a red pull request."""
    world.sandbox.ci.job("unit", team.unit)
    repo = world.repo("shop", team.files(config=config), {"ci.yml": team.ON_PUSH})
    await world.settle()
    pull = world.people.open_pull("discount", {"shop.py": team.WRONG})
    await world.settle()
    return repo, pull


async def test_f1_an_answer_for_a_commit_does_nothing_on_another(calm):
    """Answered for X, force-pushed to Y before it is read: nothing runs, and it is said why."""
    pull, decision = await asked(calm)
    comment = calm.people.comment(pull, f"/failres answer try-again decision={decision}", by="maintainer")
    other = calm.people.push("aside", {"shop.py": team.WRONG + "# other\n"})
    author = Act(calm.sandbox.github, calm.where(pull), Actor(calm.people.account("author")))
    pushes.move_ref(author, "refs/heads/discount", other, force=True)
    await calm.settle()
    assert reactions(comment) == ["confused"]
    assert "ended when somebody pushed" in replies(calm, pull)[0]
    asked_for = [row for row in await calm.journal() if row.kind == "decision.answered"]
    assert asked_for == []
    calm.said(pull)


async def test_f2_f8_other_bots_command_nothing_whatever_their_name_and_nobody_answers_them(calm):
    """An App that is installed and writes the very command; failres's own replies quote it: there is no loop."""
    repo, pull = await _red(calm, "mode: {rerun: propose}\n")
    manifest = {"name": "failres-helper", "default_permissions": {"issues": "write", "pull_requests": "write"}}
    other = add_app(calm.sandbox.github, manifest, owner=calm.people.owner)
    install(calm.sandbox.github, other, calm.people.owner, quiet=True)
    theirs = add_comment(Act(calm.sandbox.github, repo, Actor(other.bot, other)), pull.number, "/failres retry")
    await calm.settle()
    person = calm.people.comment(pull, "/failres retyr")
    await calm.settle()
    assert (reactions(theirs), attempts(repo, pull)) == ([], [1])
    assert "did you mean `/failres retry`" in replies(calm, pull)[0]
    assert (reactions(person), len(replies(calm, pull))) == (["confused"], 1)


async def test_f9_a_planted_token_is_in_nothing_that_is_written_or_kept(calm):
    """A token in a log, a title, a command and another CI's output: check run, comments, bundle, journal have none."""
    got = []

    async def take(request):
        got.append(await request.text())
        return web.Response()

    app = web.Application()
    app.router.add_post("/hook", take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/hook"
    usual = calm.settings
    calm.settings = lambda: usual().model_copy(update={"destinations": {"team": SecretStr(address)}})
    await calm.die_and_return()
    lines = (f"fatal: Authentication failed for 'https://x:{TOKEN}@github.com/'", f"FAILED t.py::t - assert '{TOKEN}'")
    calm.sandbox.ci.job("unit", lambda _: failed(*lines))
    nobody_asked = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
    repo = calm.repo(
        "shop", team.files(config=ALL + "notifications: {destinations: [team]}\n"), {"ci.yml": nobody_asked}
    )
    await calm.settle()
    pull = calm.people.open_pull("docs", {"README.md": "more"}, title=f"Use {TOKEN}")
    other = calm.people.open_pull("other", {"OTHER.md": "more"})
    calm.people.report_check(other, "e2e", "failure", output={"title": f"Bad {TOKEN}", "summary": f"token={TOKEN}"})
    await calm.settle()
    calm.people.comment(pull, f"/failres {TOKEN}")
    await calm.settle()
    await calm.later(700.0)
    told = calm.said(pull)
    decision = question(calm, pull)
    written = [
        told,
        calm.said(other),
        *(
            f"{run.title}{run.summary}{json.dumps(run.annotations)}"
            for run in repo.check_runs.values()
            if run.app is calm.sandbox.app
        ),
        bundle(calm, pull, decision),
        repo.git.commit(repo.git.branch(BRANCH)).message,
        *got,
    ]
    assert got
    assert "failres:reply" in told
    assert all(TOKEN not in text for text in written)
    assert {row.kind for row in await calm.journal() if TOKEN in json.dumps(row.data)} == set()
    await runner.cleanup()


async def test_g1_every_call_is_made_with_a_token_of_the_app(calm):
    """Nobody's personal token is used, so that nobody's limit is: the App's signature, or its installation's token."""
    tokens, seen = calm.sandbox.tokens, []
    identify = tokens.identify

    def noting(authorization):
        caller = identify(authorization)
        seen.append(caller)
        return caller

    tokens.identify = noting
    _, pull = await _red(calm, ALL)
    calm.people.comment(pull, "/failres explain")
    await calm.settle()
    assert seen
    assert all(caller.user is None for caller in seen)
    assert all(caller.app or caller.installation for caller in seen)
    calm.said(pull)
