"""`failres serve`: listen for GitHub's deliveries and work, in the foreground, until a signal comes."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from pathlib import Path

from aiohttp import web

from bot.cli.subparsers import Subparsers
from bot.clock import SystemClock
from bot.process import open_process
from bot.server import make_runner
from bot.settings import Settings, SettingsError, load_settings
from bot.store import StateDirectoryBusy, StoreUnavailable


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("serve", help="run the App's server")
    parser.add_argument("--settings", metavar="FILE", type=Path, help="a TOML file; FAILRES_… variables win over it")
    parser.add_argument("--verbose", action="store_true", help="log every turn's and worker's decisions")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Serve; exit status 2 where the settings, the store or the address cannot be used."""
    level = logging.INFO if args.verbose else logging.WARNING
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    try:
        settings = load_settings(os.environ, args.settings)
        asyncio.run(serve(settings))
    except SettingsError as wrong:
        print(f"failres cannot start; these settings are wrong:\n{wrong}", file=sys.stderr)
        return 2
    except (StateDirectoryBusy, StoreUnavailable, CannotListen) as problem:
        print(f"failres cannot start: {problem}", file=sys.stderr)
        return 2
    return 0


class CannotListen(Exception):
    """The address is taken, or not this machine's."""


async def serve(settings: Settings) -> None:
    """Run the process until SIGINT or SIGTERM."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with open_process(settings, SystemClock()) as process:
        runner = make_runner(process.app)
        await runner.setup()
        await _listen(runner, settings)
        print(f"failres listens on {settings.host}:{settings.port}{settings.webhook_path}", flush=True)
        work = asyncio.create_task(process.service.run())
        waiting = asyncio.create_task(stop.wait())
        try:
            await asyncio.wait({work, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
        finally:
            work.cancel()
            waiting.cancel()
            await asyncio.gather(work, waiting, return_exceptions=True)
            await runner.cleanup()


async def _listen(runner: web.AppRunner, settings: Settings) -> None:
    try:
        await web.TCPSite(runner, settings.host, settings.port).start()
    except OSError as fault:
        await runner.cleanup()
        raise CannotListen(f"it cannot listen on {settings.host}:{settings.port}: {fault.strerror}") from fault
