"""`stall`: a test hangs, and failres says so while it runs. `stall-wrapped`: the gate wrapper ends it and names it."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bot.cli.gate import find_script
from bot.cli.scenarios import shop
from bot.cli.scenarios.looking import classes, told
from bot.cli.scenarios.scenario import Scenario, check_run, expect
from bot.cli.stage import Stage
from bot.sandbox.ci.runner.function_job import passed
from bot.sandbox.state import Repository

NO_VIOLATION = "every request was one that GitHub knows and the App may make"
MINUTE = 60.0
CONFIG = "stall:\n  budgets:\n    - {check: 'ci / **', step: Test, budget: 15m}\n"

HANGS = shop.TESTS + "\n\ndef test_a_price_arrives():\n    import time\n\n    time.sleep(3_600)\n"
WAITS = """\
import time
import unittest


class Prices(unittest.TestCase):
    def test_1_nothing_costs_nothing(self):
        self.assertEqual(sum([]), 0)

    def test_2_a_price_arrives(self):
        time.sleep(3_600)
"""
ITEM = "test_2_a_price_arrives"

ACTION = ".github/actions/failres-gate"
WRAPPED = f"""\
name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Test
        uses: ./{ACTION}
        with:
          run: python -m unittest -v
          stall-after: 3s
"""


async def hangs(stage: Stage) -> None:
    """Let a test hang past its budget, then let it be slow after all and pass."""
    stage.sandbox.ci.job("test", lambda _: passed("3 passed in 0.02s"))
    repo = stage.repo("shop", {**shop.FILES, ".github/failres.yml": CONFIG}, {"ci.yml": shop.WORKFLOW})
    await stage.settle()
    stage.sandbox.ci.hold("test", step="Test")
    pull = stage.people.open_pull("prices", {"tests/test_cart.py": HANGS}, title="Wait for the price")
    await stage.settle()
    await stage.later(40 * MINUTE)
    expect(await classes(stage, pull) == {"Test": "gate-stalled"}, "the running step is a stall")
    said = told(stage, pull)
    expect("makes no progress any more, and still runs" in said, "the comment says so while it still runs")
    expect("Its budget is 15 min, as the configuration says." in said, "it names the budget")
    shown = check_run(stage, repo, pull.head_sha)
    expect(shown is not None and shown.conclusion == "neutral", "the check run failres is neutral")
    (run,) = (run for run in repo.runs.values() if run.head_sha == pull.head_sha)
    expect(run.latest.status == "in_progress", "failres has ended nothing")
    stage.sandbox.ci.release("test")
    await stage.settle()
    expect("Green again" in told(stage, pull), "it was only slow: the comment is resolved")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


async def hangs_wrapped(stage: Stage) -> None:
    """Let a test hang under the gate wrapper, for real: it ends it, and says in its last line which test it was."""
    repo = stage.repo("shop", wrapper(), {"ci.yml": WRAPPED})
    await stage.settle()
    pull = stage.people.open_pull("prices", {"test_prices.py": WAITS}, title="Wait for the price")
    await stage.settle()
    stalls = [(item.partition(" ")[0], klass) for item, klass in (await classes(stage, pull)).items()]
    expect(stalls == [(ITEM, "gate-stalled")], "the test that hung is named, and a stall")
    expect("made no progress any more and was ended" in told(stage, pull), "the comment says so")
    phases = [record["phase"] for record in records(repo)]
    expect("heartbeat" in phases, "the wrapper showed life while nothing moved")
    expect(phases[-1] == "check-end", "and ended the check")
    expect(stage.sandbox.violations == [], NO_VIOLATION)


def wrapper() -> dict[str, str]:
    """Give the gate wrapper's files as a repository that uses it has them."""
    script = find_script()
    if script is None:
        raise LookupError("the gate wrapper is not part of this installation")
    root: Path = script.parent
    files = (path for path in root.rglob("*") if path.suffix in (".py", ".yml") and "__pycache__" not in path.parts)
    return {f"{ACTION}/{path.relative_to(root)}": path.read_text(encoding="utf-8") for path in files}


def records(repo: Repository) -> Iterator[dict[str, Any]]:
    """Give the progress records that the newest wrapped run kept."""
    newest = max(repo.artifacts.values(), key=lambda artifact: artifact.id)
    with zipfile.ZipFile(io.BytesIO(newest.data)) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".jsonl"))
        yield from (json.loads(line) for line in archive.read(name).splitlines())


STALL = Scenario("stall", "A test hangs: failres says so while it still runs, and takes it back when it passes.", hangs)
STALL_WRAPPED = Scenario(
    "stall-wrapped", "A test hangs under the gate wrapper, which ends it and names it.", hangs_wrapped
)
