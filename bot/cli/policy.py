"""`failres policy`: the resolver's table as it is used; `--json` prints its rows for programs."""

from __future__ import annotations

import argparse
import json

from bot.cli.subparsers import Subparsers
from resolver.policy import POLICY, Policy, as_json


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command; the parsed arguments' `run` is this module's."""
    parser = subparsers.add_parser("policy", help="print what follows from each failure class and attempt")
    parser.add_argument("--json", action="store_true", help="print a list of {failClass, scope, attempts}")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out. Exit status 0."""
    print(json.dumps(as_json(), indent=2, ensure_ascii=False) if args.json else as_text())
    return 0


def as_text(policy: Policy = POLICY) -> str:
    """The table for people, with what is beside it: dead runners, flakes, and what goes with a row's action."""
    head = ("failure class", "scope", "attempt 1", "attempt 2", "attempt 3 or later")
    lines = [(row.fail_class, row.scope, *row.attempts) for row in policy.row]
    lines.append(("(dead runner, no class)", "task", *policy.crash.attempts))
    widths = [max(len(line[column]) for line in (head, *lines)) for column in range(len(head))]
    table = [_line(head, widths), _line(["-" * width for width in widths], widths)]
    table += [_line(line, widths) for line in lines]
    notes = [f"{row.fail_class} ({row.scope}): {row.before} first" for row in policy.row if row.before]
    notes += [f"{row.fail_class} ({row.scope}): attempt 1 also: {row.also}" for row in policy.row if row.also]
    flaky = policy.flaky
    notes.append(
        f"a flake: {flaky.first}, which is no attempt; a second one of the same check: {flaky.second} ({flaky.kind})"
    )
    notes.append("LLM: the model's answer where it is on, else escalate;  —: not reached, a breaker has tripped before")
    return "\n".join([*table, "", *notes])


def _line(cells: tuple[str, ...] | list[str], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
