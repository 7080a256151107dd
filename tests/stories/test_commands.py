"""People command in comments and by buttons: what is done, what is refused with a reason, and what is ignored."""

from bot.cli.scenarios import team
from bot.sandbox.state import Pull
from tests.stories.acts import runs

PROPOSE = "mode: {rerun: propose, sync: propose}\n"


async def red(world, config=PROPOSE):
    """A shop with a pull request that breaks its only test."""
    world.sandbox.ci.job("unit", team.unit)
    repo = world.repo("shop", team.files(config=config), {"ci.yml": team.ON_PUSH})
    world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await world.settle()
    pull = world.people.open_pull("discount", {"shop.py": team.WRONG})
    await world.settle()
    return repo, pull


def reactions(comment):
    """The reactions to a comment, by content."""
    return sorted(reaction.content for reaction in comment.reactions)


def replies(world, pull: Pull):
    """The lines of failres's replies on a pull request, oldest first, each without the link to whom it answers."""
    lines = world.said(pull).split("\n\n")
    return [line.partition("): ")[2] for line in lines if line.startswith("[`")]


def attempts(repo, pull):
    """How often the pull request's head was executed."""
    return [len(run.attempts) for run in runs(repo, head_sha=pull.head_sha)]


async def test_a_wrong_command_gets_a_reaction_and_one_line(world):
    """A misspelt command is answered with what was meant; nothing is done."""
    repo, pull = await red(world)
    comment = world.people.comment(pull, "/failres retyr")
    await world.settle()
    assert reactions(comment) == ["confused"]
    assert replies(world, pull) == ["There is no command `retyr`; did you mean `/failres retry`?"]
    assert attempts(repo, pull) == [1]


async def test_retry_runs_the_failed_job_once_more(world):
    """A person with write access may ask where the mode is `propose` and the task is not managed."""
    repo, pull = await red(world)
    comment = world.people.comment(pull, "Perhaps it was chance.\n\n/failres retry")
    await world.settle()
    assert (reactions(comment), replies(world, pull)) == (["+1"], [])
    assert attempts(repo, pull) == [2]


async def test_retry_lifts_no_limit(calm):
    """Asked again at once, the pause between two reruns is told and holds."""
    repo, pull = await red(calm)
    calm.people.comment(pull, "/failres retry")
    await calm.settle()
    again = calm.people.comment(pull, "/failres retry")
    await calm.settle()
    assert reactions(again) == ["confused"]
    (told,) = replies(calm, pull)
    assert told.startswith(
        "`/failres retry` was not carried out: the pause between two reruns. It can be asked again from"
    )
    assert attempts(repo, pull) == [2]


async def test_an_outsider_is_told_once_and_may_stop(world):
    """Who may not write is told so once; a stop is heard all the same, and only people with rights lift it."""
    repo, pull = await red(world)
    first = world.people.comment(pull, "/failres retry", by="outsider")
    await world.settle()
    second = world.people.comment(pull, "/failres sync", by="outsider")
    await world.settle()
    assert (reactions(first), reactions(second)) == (["-1"], ["-1"])
    assert replies(world, pull) == [
        "Commands are for people with write access to this repository. Anybody may write `/failres stop`."
    ]
    stop = world.people.comment(pull, "/failres stop", by="outsider")
    await world.settle()
    assert (reactions(stop), pull.labels) == (["+1"], ["failres:stop"])
    world.people.comment(pull, "/failres resume", by="outsider")
    await world.settle()
    assert pull.labels == ["failres:stop"]
    resume = world.people.comment(pull, "/failres resume", by="maintainer")
    await world.settle()
    assert (reactions(resume), pull.labels) == (["+1"], [])
    assert attempts(repo, pull) == [1]


async def test_a_stopped_pull_request_is_left_alone(world):
    """After a stop nothing is rerun, and a retry says why."""
    repo, pull = await red(world)
    world.people.comment(pull, "/failres stop")
    await world.settle()
    retry = world.people.comment(pull, "/failres retry")
    await world.settle()
    assert reactions(retry) == ["confused"]
    assert "carries the label that stops failres" in replies(world, pull)[-1]
    assert attempts(repo, pull) == [1]


async def test_edits_quotes_and_bots_command_nothing(world):
    """An edited comment, a quoted command and failres's own replies start nothing and are not answered."""
    repo, pull = await red(world)
    talk = world.people.comment(pull, "Let us wait.")
    world.clock.advance(5.0)
    world.people.edit_comment(talk, "/failres retry")
    quote = world.people.comment(pull, "> /failres retry\n\nI would not do that.")
    await world.settle()
    assert (reactions(talk), reactions(quote), replies(world, pull)) == ([], [], [])
    assert attempts(repo, pull) == [1]


async def test_explain_unfolds_the_evidence(world):
    """The one comment is edited to show everything; no other comment is made."""
    _, pull = await red(world)
    assert "<details><summary>Evidence" in world.said(pull).replace("\n", "")
    comment = world.people.comment(pull, "/failres explain")
    await world.settle()
    assert reactions(comment) == ["+1"]
    said = world.said(pull)
    assert "<details><summary>Evidence" not in said.replace("\n", "")
    assert "| ran on | showed |" in said


async def test_sync_rebases_the_branch(world):
    """The base has moved: the branch is rebased when a person asks for it; a second time there is nothing to do."""
    repo, pull = await red(world)
    world.people.push("main", {"NOTES.md": "more"}, by="admin")
    await world.settle()
    before = pull.head_sha
    comment = world.people.comment(pull, "/failres sync", by="maintainer")
    await world.settle()
    assert reactions(comment) == ["+1"]
    assert pull.head_sha != before
    assert "NOTES.md" in repo.git.files(pull.head_sha)
    again = world.people.comment(pull, "/failres sync", by="maintainer")
    await world.settle()
    assert reactions(again) == ["+1", "confused"]
    assert "holds the whole base already" in replies(world, pull)[-1]


async def test_buttons_do_what_the_commands_do(calm):
    """Rerun and Explain stand on the check run; a press is one execution, and the pause holds for it too."""
    repo, pull = await red(calm)
    (check,) = [c for c in repo.check_runs.values() if c.app is calm.sandbox.app]
    assert [each["label"] for each in check.actions] == ["Rerun", "Explain"]
    calm.people.press(check, "Rerun")
    await calm.settle()
    assert attempts(repo, pull) == [2]
    calm.people.press(check, "Explain")
    await calm.settle()
    assert "| ran on | showed |" in calm.said(pull)


async def test_observing_offers_nothing_to_press(calm):
    """In mode `observe`, the default, there is no button but Explain, and a retry is refused with the reason."""
    repo, pull = await red(calm, config="{}\n")
    (check,) = [c for c in repo.check_runs.values() if c.app is calm.sandbox.app]
    assert [each["label"] for each in check.actions] == ["Explain"]
    calm.people.comment(pull, "/failres retry")
    await calm.settle()
    assert "the mode of this is `observe`" in replies(calm, pull)[-1]
    assert attempts(repo, pull) == [1]


async def test_a_full_budget_of_comments_is_kept(calm):
    """Many wrong commands: each gets its line, in one reply, so that a comment is left for a question."""
    repo, pull = await red(calm)
    for word in ("retyr", "snyc", "hlep", "stpo", "xplain"):
        calm.people.comment(pull, f"/failres {word}")
        await calm.settle()
    mine = [c for c in repo.comments.values() if c.via_app is calm.sandbox.app]
    assert len(mine) == 2
    assert len(replies(calm, pull)) == 5


async def test_a_press_needs_the_right_of_whoever_pressed_when_it_is_read(calm):
    """GitHub shows the button to writers only; who has lost that right before the press is read gets nothing."""
    repo, pull = await red(calm)
    (check,) = [c for c in repo.check_runs.values() if c.app is calm.sandbox.app]
    calm.people.press(check, "Rerun", by="maintainer")
    repo.collaborators["maintainer"] = "read"
    await calm.settle()
    assert attempts(repo, pull) == [1]
    assert "`maintainer`: Commands are for people with write access to this repository." in calm.said(pull)


async def test_the_sync_button_does_what_the_command_does(calm):
    """It stands where a drift was proven and the mode is `propose`; a press rebases the branch once."""
    calm.sandbox.ci.job("unit", team.unit)
    config = 'managed: {branches: ["**"]}\nmode: {rerun: act, probe: act, sync: propose}\n'
    repo = calm.repo("shop", team.files(team.RIGHT, config), {"ci.yml": team.ON_PUSH})
    await calm.settle()
    calm.people.push("main", {"shop.py": team.WRONG}, by="admin")
    pull = calm.people.open_pull("docs", {"README.md": "more"})
    await calm.settle()
    calm.people.push("main", {"shop.py": team.RIGHT}, by="admin")
    await calm.settle()
    await calm.later(700.0)
    (check,) = [c for c in repo.check_runs.values() if c.app is calm.sandbox.app and c.head_sha == pull.head_sha]
    assert "Sync branch" in [each["label"] for each in check.actions]
    before = pull.head_sha
    calm.people.press(check, "Sync branch", by="maintainer")
    await calm.settle()
    assert pull.head_sha != before
    assert repo.git.is_ancestor(repo.git.branch("main"), pull.head_sha)
    calm.said(pull)
