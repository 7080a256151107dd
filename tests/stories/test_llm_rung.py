"""The model rung in conversations: off is as if it were not there, no call is made twice, and what it says is inert."""

import asyncio
import json
import re

from inline_snapshot import snapshot

from bot.cli.scenarios import team
from bot.cli.scenarios.llm_rung import CONFIG, PLANTED, RATIONALE
from bot.cli.scenarios.model_endpoint import open_endpoint, proposal, settings
from bot.cli.scenarios.resolving import executions, question
from bot.sandbox.ci.runner.function_job import failed, passed
from bot.sandbox.faults import Fault
from resolver.facts.model import ModelReplied
from resolver.facts.resolve import ResolveDecided
from resolver.journal import from_json
from tests.stories.test_handoff import bundle
from tests.world import open_world

NO_BASE = team.ON_PUSH.replace("  push:\n    branches: [main]\n", "")
OFF = CONFIG.replace("enabled: true", "enabled: false")


def unreachable(tree):
    """A mirror is out of reach in the first two attempts."""
    if tree.attempt > 2:
        return passed(*team.GREEN)
    return failed(f"token {PLANTED}", "curl: (6) Could not resolve host: mirror.example.org", exit_status=6)


async def story(world, config=CONFIG, job=unreachable, **given):
    """A managed pull request with that trouble, and all that follows at once."""
    world.sandbox.github.web_url = "https://github.test"  # the same in every run
    await world.stop()
    world.given = given
    await world.start()
    world.sandbox.ci.job("unit", job)
    world.repo("shop", team.files(config=config), {"ci.yml": NO_BASE})
    await world.settle()
    pull = world.people.open_pull("docs", {"README.md": "more"})
    await world.settle()
    return pull


async def of(world, kind):
    """The journal's facts of one kind."""
    facts = [from_json(row.kind, row.data) for row in await world.journal()]
    return [fact for fact in facts if isinstance(fact, kind)]


async def written(world):
    """The journal as it stands in the store: every record with its time, its identity and its content."""
    return [repr((row.kind, row.at, row.once, row.data)) for row in await world.journal()]


def renamed(rows):
    """The same with each commit and digest by the order in which it comes: another file gives other ones."""
    names = {}
    return [
        re.sub(r"\b[0-9a-f]{10,64}\b", lambda found: names.setdefault(found.group(), f"#{len(names)}"), row)
        for row in rows
        if "'config.read'" not in row
    ]


async def test_off_is_the_table_alone(tmp_path):
    """Off in the configuration, the journal is the same byte for byte whether the server has a model or not, and that
    model is asked nothing; asked for and refused by the server, it differs in the configuration alone.
    """
    config = OFF + "budget: {backoffJitter: 0}\n"
    asked_for = CONFIG + "budget: {backoffJitter: 0}\n"
    async with open_endpoint(lambda _: proposal("resume", RATIONALE)) as endpoint:
        server = {"without": {}, "off": settings(endpoint), "refused": {}, "on": settings(endpoint)}
        journals, said = {}, {}
        for name, given in server.items():
            async with open_world(tmp_path / name, "calm") as world:
                pull = await story(world, config if name in ("without", "off") else asked_for, **given)
                journals[name], said[name] = await written(world), world.said(pull)
            assert (endpoint.heard == []) == (name != "on")
    assert journals["off"] == journals["without"]
    assert renamed(journals["refused"]) == renamed(journals["without"])
    assert renamed(journals["on"]) != renamed(journals["without"])
    assert said["off"] == said["without"]


async def test_f10_what_a_model_says_is_inert_and_said_to_be_its(calm):
    """While its proposal is carried out the comment names it as one, with no live mention, link or code in it."""
    async with open_endpoint(lambda _: proposal("resume", RATIONALE)) as endpoint:
        seen = []
        calm.sandbox.github.listeners.append(lambda _: seen.extend(comments_with("model", calm)))
        pull = await story(calm, **settings(endpoint))
        await calm.later(1_500.0)
    (told,) = {re.search(r"A model .*", body).group() for body in seen}
    assert told == snapshot(
        "A model proposed to run the failed job once more: `` The mirror was away for minutes; ask @everyone at https://example.org `now` ``."
    )
    assert executions(calm, pull) == 3
    assert "Green again" in calm.said(pull)


def comments_with(word, world):
    """The bodies of all comments now in which a word stands."""
    repos = world.sandbox.github.repositories.values()
    return [each.body for repo in repos for each in repo.comments.values() if word in each.body]


async def test_f9_no_secret_reaches_the_model_or_the_journal(calm):
    """The log's token is masked in the prompt; what the model repeats of another is masked in what it said."""
    other = "ghp_" + "K1j2H3g4F5d6S7a8P9o0I1u2Y3t4R5e6W7q8"
    async with open_endpoint(lambda _: proposal("escalate", f"the token {other} has expired")) as endpoint:
        pull = await story(calm, **settings(endpoint))
        (prompt,) = endpoint.prompts()
    assert "token [masked github-token]" in prompt
    assert "Could not resolve host: mirror.example.org" in prompt
    for record in ("pull.observed", "job.finished", "job.triaged", "resolve.decision", "resolve.outcome"):
        assert f'{{"record": "{record}"' in prompt
    assert "action.started" not in prompt
    everything = json.dumps([row.data for row in await calm.journal()]) + prompt + calm.said(pull)
    assert PLANTED not in everything
    assert other not in everything
    assert "people have to decide: `the token [masked github-token] has expired`" in calm.said(pull)
    handoff = bundle(calm, pull, question(calm, pull))
    assert "a model was asked about `gate-red-env, attempt 2`, and `escalate` came of it" in handoff
    assert PLANTED not in handoff
    assert other not in handoff


async def test_a_class_that_nothing_is_known_of_is_the_models_first(calm):
    """An unknown failure: what the model proposes passes the ledger; the rerun passes, and nobody is asked."""

    def wordless(tree):
        return passed(*team.GREEN) if tree.attempt > 2 else failed("make: nothing more is known", exit_status=3)

    async with open_endpoint(lambda _: proposal("resume", "It may come and go.", "medium")) as endpoint:
        pull = await story(calm, job=wordless, **settings(endpoint))
        await calm.later(1_500.0)
        assert len(endpoint.heard) == 1
    (decided,) = await of(calm, ResolveDecided)
    assert (decided.fail_class, decided.attempt, decided.action, decided.source) == ("unknown", 1, "resume", "llm")
    assert executions(calm, pull) == 3
    assert "How should this go on?" not in calm.said(pull)


async def test_a_call_that_is_cut_off_is_not_made_again(calm):
    """The process dies while the model thinks: the call counts, is not repeated, and people are asked."""
    heard = asyncio.Event()
    async with open_endpoint(lambda _: heard.set()) as endpoint:
        task = asyncio.create_task(story(calm, **settings(endpoint, llm_timeout=60.0)))
        await heard.wait()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await calm.die_and_return()
        await calm.settle()
        assert len(endpoint.heard) == 1
    (replied,) = await of(calm, ModelReplied)
    assert replied.silent is not None
    (pull,) = [pull for repo in calm.sandbox.github.repositories.values() for pull in repo.pulls.values()]
    assert "the model did not answer: the call was cut off" in calm.said(pull)


async def test_the_kill_switch_of_the_process_holds_a_question_back(calm):
    """While the stop file is there no log leaves and nobody is asked instead; afterwards the question is put."""
    stop = calm.root / "state" / "STOP"

    def stopping(tree):
        if tree.attempt == 2:
            stop.touch()
        return unreachable(tree)

    async with open_endpoint(lambda _: proposal("escalate", "People know.")) as endpoint:
        pull = await story(calm, job=stopping, **settings(endpoint))
        assert endpoint.heard == []
        assert await of(calm, ModelReplied) == []
        stop.unlink()
        await calm.later(120.0)
        assert len(endpoint.heard) == 1
    assert "people have to decide: `People know`" in calm.said(pull)


async def test_nobody_waits_for_a_model_that_thinks(calm):
    """While a call is under way, other pull requests are answered as ever."""
    heard = asyncio.Event()
    async with open_endpoint(lambda _: heard.set()) as endpoint:
        task = asyncio.create_task(story(calm, **settings(endpoint, llm_timeout=60.0)))
        await heard.wait()
        other = calm.people.open_pull("discount", {"shop.py": team.WRONG})
        service = calm.failres.service
        for _ in range(60):
            await calm.sandbox.ci.advance()
            await calm.sandbox.hooks.deliver()
            await service._loop.run_due()
            await service._workers.run_ready()
            calm.clock.advance(1.0)
        assert len(comments_with("failres:sticky:2", calm)) == 1
        assert not task.done()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert len(endpoint.heard) == 1
        calm.given["llm_timeout"] = 0.1  # the other one's own question ends soon
        await calm.die_and_return()
        await calm.settle()
    calm.said(other)
    for pull in calm.where(other).pulls.values():
        calm.said(pull)


async def test_github_in_trouble_delays_a_question_and_does_not_double_it(calm):
    """The last look before the question fails for a while: nothing is sent, then the question once."""

    def troubled(tree):
        if tree.attempt == 2:
            calm.sandbox.faults.add(Fault("POST", "/graphql", status=502, times=12))
        return unreachable(tree)

    async with open_endpoint(lambda _: proposal("escalate", "People know.")) as endpoint:
        pull = await story(calm, job=troubled, **settings(endpoint))
        await calm.later(1_200.0)
        assert len(endpoint.heard) == 1
    assert "people have to decide: `People know`" in calm.said(pull)
