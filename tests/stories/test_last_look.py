"""Right before an effect the head, the kill switches and the mode are read anew, whatever was known when it was ordered."""

import pytest

from bot.cli.scenarios import team
from bot.work.perform import perform
from bot.work.place import Pace, Place
from resolver.actions import WriteHandoffs
from resolver.actions.talk import PostDecision, SetLabel
from resolver.decide import handoff
from resolver.facts.decisions import DecisionRequested
from resolver.fold import fold_or_park
from resolver.journal import from_json
from resolver.state import STOP_LABEL, RepoState
from tests.stories.acts import open_shop
from tests.stories.test_decisions import CONFIG, asked

QUIET = CONFIG.replace("labels: act", "labels: observe")


async def known(world):
    """The repository as the journal has it, and the question in it."""
    state, question = RepoState(), None
    for row in await world.journal():
        fact = from_json(row.kind, row.data)
        state, question = fold_or_park(state, fact), fact if isinstance(fact, DecisionRequested) else question
    return state, question


async def done(world, state, action):
    """What comes of an action that was ordered by what the journal has."""
    place = Place(world.failres.github, state.repo, world.clock, Pace(), world.sandbox.web_url)
    return await perform(place, action, world.failres.store)


@pytest.mark.parametrize("what", ["comment", "bundle"])
async def test_what_is_told_of_a_question_outlives_a_head_that_moved(calm, what):
    """It may have been our own rebase, which a question survives: so the order is refused for a while, not for good."""
    pull, _ = await asked(calm)
    state, question = await known(calm)
    with calm.people.quietly():
        calm.people.push("discount", {"more.md": "more"})
    comment = PostDecision(number=pull.number, head_sha=question.head.sha, decision=question)
    bundle = handoff.bundle(state, state.pulls[pull.number], question)
    outcome = await done(calm, state, {"comment": comment, "bundle": WriteHandoffs(bundles=(bundle,))}[what])
    assert (outcome.refused, outcome.retry_at) == ("the head moved", calm.clock.now() + Pace().stop_rest)
    await calm.settle()
    calm.said(pull)


@pytest.mark.parametrize("why", ["stopped", "mode", "switched off"])
async def test_a_label_of_ours_is_not_set_where_that_was_forbidden_meanwhile(calm, why):
    """The turn knew nothing of it yet: the label stays off. The one that stops failres is set wherever somebody asks."""
    repo = await open_shop(calm, config=CONFIG)
    pull = calm.people.open_pull("docs", {"README.md": "more"})
    await calm.settle()
    with calm.people.quietly():
        if why == "stopped":
            calm.people.label(pull, STOP_LABEL)
        else:
            config = {"mode": QUIET, "switched off": "enabled: false\n" + CONFIG}[why]
            calm.people.push("main", {".github/failres.yml": config}, by="admin", repo=repo)
    state, _ = await known(calm)
    before = list(pull.labels)
    asks = SetLabel(number=pull.number, label="failres:decision", present=True, command_id="d-1")
    outcome = await done(calm, state, asks)
    assert (outcome.refused is None, pull.labels) == (False, before)
    await done(calm, state, SetLabel(number=pull.number, label=STOP_LABEL, present=True, command_id="c1"))
    assert pull.labels == [STOP_LABEL]


async def test_a_stop_is_seen_among_as_many_labels_as_there_may_be(calm):
    """GitHub allows a hundred labels. The regular look and the last one see the hundredth, so nothing is said."""
    repo = await open_shop(calm, config=CONFIG)
    pull = calm.people.open_pull("discount", {"shop.py": team.WRONG})
    for label in (*(f"area-{n}" for n in range(99)), STOP_LABEL):
        calm.people.label(pull, label, repo=repo)
    await calm.settle()
    await calm.later(1_300.0)
    assert calm.said(pull) == ""
