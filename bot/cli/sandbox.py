"""`failres sandbox`: the real failres on an embedded GitHub, playing a scenario; then it stays up to click through."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from bot.cli.conversation import Conversation
from bot.cli.outcome import outcome
from bot.cli.scenarios import SCENARIOS
from bot.cli.scenarios.scenario import Scenario, Unmet
from bot.cli.stage import Stage, Unsettled, open_stage
from bot.cli.subparsers import Subparsers

TICK = 0.05
"""How often (seconds) the embedded GitHub and failres look for something to do while people click."""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("sandbox", help="play a scenario on an embedded GitHub, then stay up to look around")
    parser.add_argument("--scenario", metavar="NAME", default="red-check", choices=sorted(SCENARIOS))
    parser.add_argument("--once", action="store_true", help="end after the scenario; exit status 0 if its end holds")
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.add_argument("--list", action="store_true", help="list the scenarios")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Play; exit status 1 where the scenario's end does not hold."""
    if args.list:
        width = max(len(name) for name in SCENARIOS)
        for scenario in SCENARIOS.values():
            print(f"{scenario.name:{width}} {scenario.tells}")
        return 0
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s")
    # Workflow steps find the Python (and pytest) that runs failres itself.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    with tempfile.TemporaryDirectory(prefix="failres-sandbox-") as root:
        try:
            return asyncio.run(_play(SCENARIOS[args.scenario], Path(root), once=args.once, as_json=args.json))
        except KeyboardInterrupt:
            return 0


async def _play(scenario: Scenario, root: Path, *, once: bool, as_json: bool) -> int:
    told = Conversation(sys.stderr if as_json else sys.stdout, quiet=as_json and not sys.stderr.isatty())
    async with open_stage(root) as stage:
        stage.sandbox.github.listeners.append(told.heard)
        await stage.start()
        told.say(f"[bold]{scenario.name}[/]: {scenario.tells}\n")
        begun = time.monotonic()
        unmet = await _unmet(scenario.play, stage)
        seconds = time.monotonic() - begun
        result = await outcome(stage, scenario.name, ok=unmet is None, seconds=seconds, people=told.people)
        if as_json:
            print(json.dumps(result, ensure_ascii=False))
        told.say(_verdict(unmet, seconds, result["requests"]))
        if not once:
            await _stay_up(stage, told)
    return 0 if unmet is None else 1


async def _unmet(play: Callable[[Stage], Awaitable[None]], stage: Stage) -> str | None:
    try:
        await play(stage)
    except (Unmet, Unsettled) as problem:
        return str(problem)
    return None


def _verdict(unmet: str | None, seconds: float, requests: Mapping[str, int]) -> str:
    played = f", {requests['sinceReady']} since the scene was set" if requests["sinceReady"] < requests["total"] else ""
    cost = f"{requests['total']} requests to GitHub{played}, {seconds:.1f} s"
    if unmet is None:
        return f"\n[green]The scenario's end holds[/] ({cost})."
    return f"\n[red]The scenario's end does not hold:[/] it should be so that {unmet} ({cost})."


async def _stay_up(stage: Stage, told: Conversation) -> None:
    """Let time pass as it does outside, so that people can push, comment and look."""
    told.say(f"\nLook around at {stage.sandbox.web_url} (end with Ctrl-C).")
    while True:
        await asyncio.sleep(TICK)
        stage.clock.advance(TICK)
        await stage.step()
