"""Where nothing may be decided people are asked once, and their answer is obeyed or refused with its reason."""

import re

from bot.cli.scenarios import team
from bot.cli.scenarios.scenario import comments
from bot.sandbox.ci.runner.function_job import failed, passed
from tests.stories.acts import runs
from tests.stories.test_commands import reactions, replies

NO_BASE = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
"""The base is never tested, and there is no way to ask it."""

CONFIG = 'managed: {branches: ["**"]}\nmode: {rerun: act, labels: act}\nlabels: ["failres:decision"]\n'


def wordless(_):
    """A check that fails without a word."""
    return failed("make: nothing more is known", exit_status=3)


async def asked(world, more=""):
    """A failure that nothing proves anybody's: the pull request, and the question's id; `more` is configuration."""
    world.sandbox.ci.job("unit", team.unit)
    world.repo("shop", team.files(config=CONFIG + more), {"ci.yml": NO_BASE})
    await world.settle()
    pull = world.people.open_pull("discount", {"shop.py": team.WRONG})
    await world.settle()
    return pull, question(world, pull)


def question(world, pull):
    """The id in the only question on a pull request."""
    (found,) = set(re.findall(r"decision=(d-[0-9a-f]+)", world.said(pull)))
    return found


def executions(world, pull):
    """How often the head's workflow ran."""
    return sum(len(run.attempts) for run in runs(world.where(pull), head_sha=pull.head_sha))


async def test_a_person_answers_after_wrong_forms(world):
    """Each wrong form is refused with its reason; the right one is obeyed, once, and said in the question's comment."""
    pull, decision = await asked(world)
    assert pull.labels == ["failres:decision"]
    wrong = {
        "answer scopeFiles=shop.py": "This question cannot be answered with files.",
        "answer retry": "is none of this question",
        "answer try again": f"For example: `/failres answer try-again decision={decision}`.",
        "acept": f"did you mean `/failres answer accept decision={decision}`?",
        "answer redo": "the configuration does not call this branch disposable",
        "answer accept decision=d-0": "No question here is called",
    }
    for words, reason in wrong.items():
        comment = world.people.comment(pull, f"/failres {words}", by="maintainer")
        await world.settle()
        assert reactions(comment) == ["confused"]
        assert reason in replies(world, pull)[-1]
    right = world.people.comment(pull, f"/failres answer accept decision={decision}", by="maintainer")
    await world.settle()
    assert reactions(right) == ["+1"]
    assert "Answered by `maintainer`: `accept`." in world.said(pull)
    assert pull.labels == []
    again = world.people.comment(pull, f"/failres answer accept decision={decision}", by="admin")
    await world.settle()
    assert reactions(again) == ["confused"]
    assert "has its answer already" in replies(world, pull)[-1]


async def test_try_again_is_one_execution_and_then_another_question(world):
    """Tried again and red again: the matter is asked anew, and the first question stays answered."""
    pull, decision = await asked(world)
    before = executions(world, pull)
    world.clock.advance(1_300.0)
    comment = world.people.comment(pull, f"/failres answer try-again decision={decision}")
    await world.settle()
    assert reactions(comment) == ["+1"]
    assert executions(world, pull) == before + 1
    said = world.said(pull)
    assert "Answered by `author`: `try-again`." in said
    assert question(world, pull) != decision


async def test_f1_a_push_ends_the_question(world):
    """A person's push ends it: the comment says so, and a late answer changes nothing."""
    pull, decision = await asked(world)
    world.people.push("discount", {"shop.py": team.RIGHT})
    await world.settle()
    assert "It ended without an answer when somebody pushed." in world.said(pull)
    late = world.people.comment(pull, f"/failres answer try-again decision={decision}")
    await world.settle()
    assert reactions(late) == ["confused"]
    assert "ended when somebody pushed" in replies(world, pull)[-1]


async def test_a_pass_ends_the_question(calm):
    """Somebody ran the check again and it passed: the question is over, and a late answer says so."""
    pull, decision = await asked(calm)
    calm.sandbox.ci.job("unit", lambda _: passed("1 passed in 0.02s"))
    (run,) = runs(calm.where(pull), head_sha=pull.head_sha)
    await calm.people.rerun(run)
    await calm.settle()
    assert "It ended without an answer: the check has passed." in calm.said(pull)
    assert pull.labels == []
    late = calm.people.comment(pull, f"/failres answer try-again decision={decision}")
    await calm.settle()
    assert reactions(late) == ["confused"]
    assert "has passed meanwhile" in replies(calm, pull)[-1]


async def test_what_the_question_shows_is_copied_and_accepted(calm):
    """The very text of the comment's block: from an outsider it is refused, with the reason in the one comment, since the
    day's last new one is kept, and once; from a person with rights it is obeyed.
    """
    pull, _ = await asked(calm)
    (block,) = re.findall(r"```\n  (/failres answer accept .*)\n  ```", calm.said(pull))
    for body, by in ((block, "outsider"), ("/failres answer", "maintainer"), (block, "outsider"), (block, "outsider")):
        refused = calm.people.comment(pull, body, by=by)
        await calm.settle()
        assert reactions(refused) == ["-1" if by == "outsider" else "confused"]
        assert "Answered by" not in calm.said(pull)
        sticky = calm.said(pull).partition("<!-- failres:sticky")[2].partition("<!-- ")[0]
        assert sticky.count("Commands are for people with write access to this repository.") == 1
    assert [each for each in replies(calm, pull) if "write access" in each] == [
        "Commands are for people with write access to this repository. Anybody may write `/failres stop`."
    ]
    inside = calm.people.comment(pull, block, by="maintainer")
    await calm.settle()
    assert reactions(inside) == ["+1"]
    assert "Answered by `maintainer`: `accept`." in calm.said(pull)


async def test_where_no_comment_is_left_a_refusal_stands_in_the_one_comment_until_the_next_push(world):
    """Whoever gives a command and cannot have a reply today reads the reason all the same, and a push takes away what
    was said of the head before.
    """
    pull, decision = await asked(world, "comments: {perPullAndDay: 2}\n")
    before = len(comments(world, world.where(pull), pull))
    wrong = world.people.comment(pull, "/failres answer scopeFiles=shop.py", by="maintainer")
    outside = world.people.comment(pull, "/failres retry", by="outsider")
    await world.settle()
    assert (reactions(wrong), reactions(outside)) == (["confused"], ["-1"])
    assert set(replies(world, pull)) == {
        f"This question cannot be answered with files. For example: `/failres answer try-again decision={decision}`.",
        "Commands are for people with write access to this repository. Anybody may write `/failres stop`.",
    }
    assert len(comments(world, world.where(pull), pull)) == before, "no comment of failres was added"
    world.people.push("discount", {"README.md": "another"})
    await world.settle()
    assert replies(world, pull) == []


async def test_nobody_is_asked_where_failres_may_not_act(calm):
    """A task that is not managed is explained, and no question is put."""
    calm.sandbox.ci.job("unit", wordless)
    calm.repo("shop", team.files(config="{}\n"), {"ci.yml": NO_BASE})
    await calm.settle()
    pull = calm.people.open_pull("docs", {"README.md": "more"})
    await calm.settle()
    assert "/failres answer" not in calm.said(pull)


async def test_a_question_ends_with_its_pull_request_and_stands_again_with_it(world):
    """Nobody is left with a question on what was closed; opened again it is as open as before."""
    pull, decision = await asked(world)
    options = world.said(pull).count(f"decision={decision}")
    world.people.close(pull)
    await world.settle()
    assert "It ended without an answer: the pull request was closed." in world.said(pull)
    assert f"decision={decision}" not in world.said(pull)
    world.people.reopen(pull)
    await world.settle()
    assert world.said(pull).count(f"decision={decision}") == options
    await world.people.merge(pull)
    await world.settle()
    assert "It ended without an answer: the pull request was merged." in world.said(pull)
