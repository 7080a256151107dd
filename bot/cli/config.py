"""`failres config check FILE`: what is wrong with a repository's configuration, by line; `failres config schema` prints
its JSON schema.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import get_args

from bot.cli.subparsers import Subparsers
from resolver.config import ActionKind, ConfigProblems, RepoConfig, config_schema, parse_config_bytes
from resolver.config.text import TEXT_LIMITS, shorten
from resolver.config.unread import unread


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command; the parsed arguments' `run` is this module's."""
    parser = subparsers.add_parser("config", help="check a repository's configuration")
    commands = parser.add_subparsers(dest="config_command", required=True)
    check = commands.add_parser("check", help="print each problem of a file with its line")
    check.add_argument("file", metavar="FILE", help="usually .github/failres.yml")
    check.add_argument("--json", action="store_true", help="print one JSON object")
    commands.add_parser("schema", help="print the JSON schema of the file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out. Exit status: 0 in order, 1 with problems, 2 if the file cannot be read."""
    if args.config_command == "schema":
        sys.stdout.write(schema_text())
        return 0
    try:
        with Path(args.file).open("rb") as file:
            data = file.read(TEXT_LIMITS.size + 1)
    except OSError as fault:
        print(f"{args.file}: cannot be read: {fault.strerror}", file=sys.stderr)
        return 2
    return _tell(args.file, parse_config_bytes(data), as_json=args.json)


def schema_text() -> str:
    """The published schema file, byte for byte."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


def _tell(name: str, result: RepoConfig | ConfigProblems, *, as_json: bool) -> int:
    problems = result.problems if isinstance(result, ConfigProblems) else ()
    if as_json:
        listed = [problem.model_dump(mode="json", by_alias=True) for problem in problems]
        idle = unread(result) if isinstance(result, RepoConfig) else ()
        told = {"file": name, "ok": not problems, "problems": listed, "changesNothing": list(idle)}
        print(json.dumps(told, ensure_ascii=False))
    elif isinstance(result, RepoConfig):
        print(f"{name}: OK")
        for line in summary(result):
            print(f"  {line}")
    else:
        for problem in problems:
            where = f"{problem.path}: " if problem.path else ""
            print(f"{name}:{problem.line}:{problem.column}: {where}{problem.message}")
    return 1 if problems else 0


def summary(config: RepoConfig) -> list[str]:
    """What a configuration turns on, a line each; first the kill switch."""
    if not config.enabled:
        return ["failres is off here (enabled: false)"]
    lines = ["failres explains red checks"]
    lines += [f"{kind}: {config.mode.of(kind)}" for kind in get_args(ActionKind) if config.mode.of(kind) != "observe"]
    if len(lines) == 1:
        lines.append("every other kind of action only observes")
    managed = (*config.managed.branches, *config.managed.labels, *config.managed.authors)
    lines.append(f"manages {_listed(managed)}" if managed else "manages no pull request")
    if config.adapters:
        lines.append(f"adapters: {_listed(tuple(adapter.id for adapter in config.adapters))}")
    lines.append(f"model: {'on' if config.llm.enabled else 'off'}")
    if idle := unread(config):
        lines.append(f"set, but nothing in this version reads it: {_listed(idle)}")
    return lines


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(shorten(name) for name in names)
