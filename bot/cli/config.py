"""`failres config check FILE`: what is wrong with a repository's configuration, by line; `failres config schema` prints
its JSON schema.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import get_args

from bot.cli.subparsers import Subparsers
from resolver.config import CONFIG_PATH, ActionKind, ConfigProblems, RepoConfig, config_schema, parse_config_bytes
from resolver.config.misnamed import MISNAMED
from resolver.config.text import TEXT_LIMITS, shorten
from resolver.config.unread import unread


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command; the parsed arguments' `run` is this module's."""
    parser = subparsers.add_parser("config", help="check a repository's configuration")
    commands = parser.add_subparsers(dest="config_command", required=True)
    check = commands.add_parser("check", help="print each problem of a file with its line")
    about = f"the file, or a checkout; {CONFIG_PATH} if none is given"
    check.add_argument("file", metavar="FILE", nargs="?", default=CONFIG_PATH, help=about)
    check.add_argument("--json", action="store_true", help="print one JSON object")
    commands.add_parser("schema", help="print the JSON schema of the file")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out. Exit status: 0 in order, 1 with problems, 2 if the file cannot be read."""
    if args.config_command == "schema":
        sys.stdout.write(schema_text())
        return 0
    path = Path(os.path.normpath(args.file))
    if path.is_dir():
        path /= CONFIG_PATH
    try:
        with path.open("rb") as file:
            data = file.read(TEXT_LIMITS.size + 1)
    except OSError as fault:
        print(f"{path}: cannot be read: {fault.strerror}", file=sys.stderr)
        for line in _what_instead(path) if isinstance(fault, FileNotFoundError) else ():
            print(line, file=sys.stderr)
        return 2
    return _tell(path, parse_config_bytes(data), as_json=args.json)


def _what_instead(path: Path) -> list[str]:
    """Say what stands there by a wrong name, else what a missing configuration means."""
    found = look_alikes(path)
    if not found and path.name == Path(CONFIG_PATH).name:
        return [f"Without {CONFIG_PATH} on the base branch, every default holds."]
    return [f"failres does not read {each}: rename it to {CONFIG_PATH}" for each in found]


def look_alikes(path: Path) -> list[Path]:
    """Give the files of the checkout around `path` that have a name which failres does not read."""
    inside = path.absolute().parent.name == ".github"
    root = path.parent / (".." if inside else "")
    return [Path(os.path.normpath(root / each)) for each in _misnamed_in(root)]


def _misnamed_in(root: Path) -> list[str]:
    """Outside of a checkout a file may have any name that people like."""
    known = [each for each in MISNAMED if each.startswith(".github/") or (root / ".git").exists()]
    return [each for each in known if (root / each).is_file()]


def schema_text() -> str:
    """The published schema file, byte for byte."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


def _tell(path: Path, result: RepoConfig | ConfigProblems, *, as_json: bool) -> int:
    problems = result.problems if isinstance(result, ConfigProblems) else ()
    unread_files = look_alikes(path)
    misnamed = path in unread_files
    if as_json:
        listed = [problem.model_dump(mode="json", by_alias=True) for problem in problems]
        idle = unread(result) if isinstance(result, RepoConfig) else ()
        told = {
            "file": str(path),
            "ok": not problems and not misnamed,
            "problems": listed,
            "changesNothing": list(idle),
        }
        print(json.dumps({**told, "notRead": [str(each) for each in unread_files]}, ensure_ascii=False))
    elif isinstance(result, RepoConfig):
        print(f"{path}: OK")
        for line in summary(result):
            print(f"  {line}")
    else:
        for problem in problems:
            where = f"{problem.path}: " if problem.path else ""
            print(f"{path}:{problem.line}:{problem.column}: {where}{problem.message}")
    for each in unread_files if not as_json else ():
        print(f"{each}: failres does not read this file; it reads {CONFIG_PATH} alone")
    return 1 if problems or misnamed else 0


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
