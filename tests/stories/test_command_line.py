"""What the command line says of a story, read beside the running server."""

import asyncio
import json

from bot.cli.main import main
from bot.cli.scenarios import SCENARIOS
from tests.stories.test_explaining import red


async def said(capsys, *arguments):
    """A command's exit status and what it printed."""
    status = await asyncio.to_thread(main, list(arguments))
    return status, capsys.readouterr().out


async def played(world, name):
    """A scenario's end, with every comment read; gives the option that names its state."""
    await SCENARIOS[name].play(world)
    for repo in world.sandbox.github.repositories.values():
        for pull in repo.pulls.values():
            world.said(pull)
    return ["--state", str(world.root / "state")]


async def test_explain_shows_the_chain_of_evidence(calm, capsys):
    """Check, failure, place, verdict with its executions, and the journal's records."""
    where = await played(calm, "task-defect")
    status, text = await said(capsys, "explain", "octo/shop#1", *where)
    assert status == 0
    for part in (
        "ci / unit: failure",
        "tests/test_shop.py:5",
        "verdict: task-defect",
        "  this failure v1-",
        "gate.attributed",
    ):
        assert part in text
    status, text = await said(capsys, "explain", "1", "--json", *where)
    assert json.loads(text)["report"]["cause"]["lead"]["class"] == "task-defect"


async def test_why_not_names_what_keeps_failres_from_acting(calm, capsys):
    """Without a configuration nothing is managed and every mode observes; what would be done is named."""
    pull = await red(calm)
    calm.said(pull)
    status, text = await said(capsys, "why-not", "1", "--state", str(calm.root / "state"))
    assert status == 0
    assert "kept from acting: the configuration does not name it under `managed`" in text
    assert "kept from acting: the mode of `rerun` is `observe`" in text
    assert "kept from acting: no mode counts for more than the server's own" in text
    assert "would do, if it might: rerun-jobs" in text


async def test_an_unknown_pull_request_is_refused_with_what_to_write(calm, capsys):
    """A wrong name is an answer, not a trace: what is not known, and what is."""
    assert await asyncio.to_thread(main, ["explain", "99", "--state", str(calm.root / "state")]) == 1
    assert capsys.readouterr().err.startswith("failres explain: the journal is empty, so 99 is not known; once the App")
    where = await played(calm, "bad-config")
    wrong = {
        "99": "the journal knows no pull request 99; it knows those that failres saw open in octo/shop",
        "acme/shop#1": "the journal knows no repository acme/shop; it knows octo/shop",
        "nonsense": "'nonsense' is no pull request; write acme/shop#7, or 7",
    }
    for command in ("explain", "why-not"):
        for asked, reason in wrong.items():
            assert await asyncio.to_thread(main, [command, asked, *where]) == 1
            assert capsys.readouterr().err == f"failres {command}: {reason}\n"


async def test_the_journal_can_be_verified_while_the_server_runs(calm, capsys):
    """Records are printed, and the chain holds."""
    where = await played(calm, "bad-config")
    status, text = await said(capsys, "journal", "--verify", *where)
    assert status == 0
    status, text = await said(capsys, "journal", "--json", *where)
    assert {json.loads(line)["kind"] for line in text.splitlines()} >= {"pull.observed", "pull.config", "action.done"}
