"""The command line: `failres COMMAND`, one file for each command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from bot.cli import config, explain, gate, journal, policy, sandbox, serve, setup, triage, why_not

COMMANDS = (serve, sandbox, triage, gate, explain, why_not, journal, policy, config, setup)


def parser() -> argparse.ArgumentParser:
    """Make the parser of all commands."""
    made = argparse.ArgumentParser(prog="failres", description="Says whose failure a red check is, with evidence.")
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its result is the exit status."""
    args = parser().parse_args(arguments)
    try:
        return int(args.run(args))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
