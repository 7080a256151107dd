"""The handoff bundle: with each question one file for the person who takes over, on a branch where no CI runs."""

import re

import aiohttp
import pytest

from bot.cli.scenarios import team
from bot.sandbox.changes import pushes
from bot.sandbox.ci.runner.function_job import failed
from bot.sandbox.faults import Fault
from bot.sandbox.state import Act, Actor
from resolver.facts.decisions import HandoffRefused, HandoffWritten
from resolver.journal import from_json
from tests.stories.test_commands import reactions
from tests.stories.test_decisions import asked, question

BRANCH = "failres/state"


def bundle(world, pull, decision):
    """The text of a question's bundle, or None."""
    git = world.where(pull).git
    tip = git.branch(BRANCH)
    found = git.read(tip, f"handoff/pr-{pull.number}/{decision}.md") if tip else None
    return found.decode() if found is not None else None


def commits(world, repo):
    """The commits of the branch, newest first."""
    tip = repo.git.branch(BRANCH)
    return repo.git.log(tip, None) if tip else []


async def facts(world, kind):
    """The facts of a kind, in their order."""
    told = [from_json(row.kind, row.data) for row in await world.journal()]
    return [each for each in told if isinstance(each, kind)]


async def another(world, branch):
    """A second pull request with the same trouble; gives it and its question."""
    pull = world.people.open_pull(branch, {"shop.py": team.WRONG, f"{branch}.md": "more"})
    await world.settle()
    return pull, question(world, pull)


async def test_a_question_comes_with_everything_that_is_known(world):
    """One file in one orphan commit, linked from the question; nothing runs on the branch, whatever the weather."""
    pull, decision = await asked(world)
    repo = world.where(pull)
    (commit,) = commits(world, repo)
    assert (commit.parents, "[skip ci]" in commit.message) == ((), True)
    assert [entry.name for entry in repo.git.store.tree(commit.tree)] == ["handoff"]
    assert [run for run in repo.runs.values() if run.head_branch == BRANCH] == []
    link = f"https://github.test/octo/shop/blob/{BRANCH}/handoff/pr-1/{decision}.md"
    assert f"[Handoff bundle]({link})" in world.said(pull)
    text = bundle(world, pull, decision)
    for told in (
        f"/failres answer accept decision={decision}",
        "`tests/test_shop.py::test_discount`: `assert 190 == 180`",
        "were run again (evidence): it did not help",
        "It stopped because no execution proves whose failure it is; the clean base is not asked, since",
        "E       assert 190 == 180",
        '"failres:decision"',
        "decision.requested",
    ):
        assert told in text
    (written,) = await facts(world, HandoffWritten)
    assert (written.decision_id, written.commit) == (decision, commit.sha)


async def test_the_first_text_of_the_comment_has_the_link(calm):
    """GitHub mails a comment as it is made, not as it is edited: so the bundle comes first."""
    bodies = []
    calm.sandbox.github.listeners.append(
        lambda told: bodies.append(told.subject["comment"].body) if told.event == "issue_comment" else None
    )
    await asked(calm)
    (first, *_) = [body for body in bodies if "failres:decision" in body]
    assert "Handoff bundle" in first


async def test_one_commit_in_ten_minutes_brings_all_that_wait(calm):
    """The questions are asked at once; their bundles follow together, and then the comments lead to them."""
    first, _ = await asked(calm)
    repo = calm.where(first)
    second, two = await another(calm, "second")
    third, three = await another(calm, "third")
    assert [bundle(calm, second, two), bundle(calm, third, three)] == [None, None]
    assert "Handoff bundle" not in calm.said(second)
    assert len(commits(calm, repo)) == 1
    await calm.later(600.0)
    assert all((bundle(calm, second, two), bundle(calm, third, three)))
    newest, oldest = commits(calm, repo)
    assert newest.parents == (oldest.sha,)
    assert newest.message == "failres: 2 handoff bundles [skip ci]"
    assert "Handoff bundle" in calm.said(second)
    assert "Handoff bundle" in calm.said(third)
    calm.said(first)


async def test_questions_of_one_moment_share_a_commit(calm):
    """Several escalate in one turn: one commit has them all."""
    calm.sandbox.ci.job("unit", team.unit)
    config = 'managed: {branches: ["**"]}\n'
    nobody_asked = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
    repo = calm.repo("shop", team.files(config=config), {"ci.yml": nobody_asked})
    await calm.settle()
    pulls = [calm.people.open_pull(f"b{n}", {"shop.py": team.WRONG, f"b{n}.md": "more"}) for n in range(3)]
    await calm.settle()
    await calm.later(600.0)
    assert all(bundle(calm, pull, question(calm, pull)) for pull in pulls)
    assert len(commits(calm, repo)) <= 2


async def test_where_rules_refuse_the_branch_the_question_says_so(calm):
    """A ruleset lets nobody make branches: the reason stands in the comment, and the answer works all the same."""
    calm.sandbox.ci.job("unit", team.unit)
    nobody_asked = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
    repo = calm.repo("shop", team.files(config='managed: {branches: ["**"]}\n'), {"ci.yml": nobody_asked})
    conditions = {"ref_name": {"include": ["refs/heads/failres/**"], "exclude": []}}
    repo.rulesets.append({"id": 9, "conditions": conditions, "rules": [{"type": "creation"}]})
    pull, decision = await another(calm, "second")
    assert repo.git.branch(BRANCH) is None
    assert "There is no handoff bundle: Repository rule violations found" in calm.said(pull)
    (refused,) = await facts(calm, HandoffRefused)
    assert refused.decision_id == decision
    comment = calm.people.comment(pull, f"/failres answer accept decision={decision}", by="maintainer")
    await calm.settle()
    assert reactions(comment) == ["+1"]
    calm.said(pull)


async def test_without_the_right_to_write_contents_the_question_stands_alone(calm):
    """The App was installed without `contents: write`: that is named, nothing else is missing."""
    body = {"message": "Resource not accessible by integration"}
    calm.sandbox.faults.add(Fault("POST", "/repos/*/git/trees", status=403, body=body, times=None))
    pull, _ = await asked(calm)
    assert "There is no handoff bundle: The installation lacks the permission for" in calm.said(pull)


@pytest.mark.parametrize(
    ("path", "how"), [("refs", "answer"), ("refs", "drop"), ("refs", "lose"), ("trees", "answer"), ("commits", "lose")]
)
async def test_a_lost_call_makes_no_second_bundle(calm, path, how):
    """500, or an answer that is lost before or after the effect: one commit, one file."""
    calm.sandbox.faults.add(Fault("POST", f"/repos/*/git/{path}", how=how, status=502, times=2))
    pull, decision = await asked(calm)
    assert bundle(calm, pull, decision)
    assert len(commits(calm, calm.where(pull))) == 1
    assert "Handoff bundle" in calm.said(pull)


CONFLICT = {"message": "Git Repository is locked for the moment."}


@pytest.mark.parametrize("path", ["trees", "refs"])
async def test_a_conflict_that_passes_is_tried_again(calm, path):
    """409: the question is asked meanwhile, and leads to the bundle once GitHub takes it."""
    calm.sandbox.faults.add(Fault("POST", f"/repos/*/git/{path}", status=409, body=CONFLICT, times=3))
    pull, decision = await asked(calm)
    await calm.later(700.0)
    assert bundle(calm, pull, decision)
    assert "Handoff bundle" in calm.said(pull)
    assert await facts(calm, HandoffRefused) == []


async def test_a_conflict_that_does_not_pass_is_given_up_after_a_day(calm):
    """Then that is the outcome: the comment says so, and where else all that is known stands."""
    calm.sandbox.faults.add(Fault("POST", "/repos/*/git/trees", status=409, body=CONFLICT, times=None))
    pull, _ = await asked(calm)
    await calm.later(3_000.0)
    assert await facts(calm, HandoffRefused) == []
    assert "no handoff bundle" not in calm.said(pull)
    calm.clock.advance(86_400.0)
    await calm.later(1_300.0)
    (refused,) = await facts(calm, HandoffRefused)
    assert refused.path.startswith("handoff/pr-1/d-")
    told = (
        "There is no handoff bundle: Git Repository is locked for the moment. `failres explain 1` on failres's server"
    )
    assert told in calm.said(pull)


async def test_another_writer_who_is_quicker_is_built_upon(calm):
    """The branch was made, then moved, by somebody else between our look and our write: both stay, nothing is forced."""
    first, one = await asked(calm)
    repo = calm.where(first)
    somebody = Act(calm.sandbox.github, repo, Actor(calm.people.account("admin")))
    for number, branch in enumerate(("second", "third")):
        theirs = pushes.push_files(somebody, BRANCH, {f"lessons/{number}.jsonl": "{}\n"}, "Lessons [skip ci]")
        calm.clock.advance(700.0)
        calm.sandbox.faults.add(Fault("GET", f"/repos/*/git/ref/heads/{BRANCH}", how="stale"))
        pull, decision = await another(calm, branch)
        await calm.later(700.0)
        assert bundle(calm, pull, decision)
        assert theirs in [commit.sha for commit in commits(calm, repo)]
    assert bundle(calm, first, one)
    calm.said(first)


async def test_a_stop_before_the_bundle_leaves_the_branch_alone(calm):
    """Somebody set the stop label in the meantime: neither question nor bundle is written."""
    calm.sandbox.ci.job("unit", team.unit)
    calm.repo("shop", team.files(config='managed: {branches: ["**"]}\n'), {"ci.yml": team.ON_DEMAND})
    await calm.settle()
    pull = calm.people.open_pull("discount", {"shop.py": team.WRONG})
    calm.people.label(pull, "failres:stop", by="maintainer")
    await calm.settle()
    assert calm.where(pull).git.branch(BRANCH) is None
    assert calm.said(pull) == ""


async def test_what_a_log_plants_stays_inert_and_masked(calm):
    """Secrets, fences, mentions, links and markup in a log and in a title do nothing on the bundle's page."""
    token = "ghp_" + "a1B2c3D4e5" * 4
    lines = (
        f"remote: token {token}",
        "```",
        "# Not a heading",
        "@octo/admins see https://evil.example.org/?x <img src=x onerror=alert(1)> \u202egnp",
        "FAILED tests/test_shop.py::test_`x` - assert ```1``` == 2",
    )
    calm.sandbox.ci.job("unit", lambda _: failed(*lines))
    config = 'managed: {branches: ["**"]}\nmode: {rerun: act}\n'
    nobody_asked = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
    calm.repo("shop", team.files(config=config), {"ci.yml": nobody_asked})
    await calm.settle()
    title = f"](https://evil.example.org) @octo/admins {token} <script>alert(1)</script>"
    pull = calm.people.open_pull("discount", {"README.md": "more"}, title=title)
    await calm.settle()
    text = bundle(calm, pull, question(calm, pull))
    assert token not in text
    assert "\u202e" not in text
    page = await _page(calm, f"/octo/shop/blob/{BRANCH}/handoff/pr-1/{question(calm, pull)}.md")
    body = page.partition('<article class="box prose">')[2]
    assert body.count("<h1>") == 1
    assert not re.search(r"<(img|script)|href=\"https://evil|<a[^>]*>@", body)
    assert token not in calm.said(pull)


async def _page(world, path):
    """A page of the embedded GitHub as a browser gets it."""
    async with aiohttp.ClientSession() as session, session.get(world.sandbox.web_url + path) as answer:
        assert answer.status == 200
        return await answer.text()
