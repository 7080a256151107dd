"""
`failres gate -- COMMAND`: run a check under the wrapper that CI uses (`workflows/gate`), on any Linux or macOS machine.

The wrapper needs nothing of failres; this command finds it, gives it what `.github/failres.yml` calls progress and how
long it waits after TERM, and becomes it, so that signals, streams and the exit status are the wrapper's own.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path
from typing import NoReturn

from bot.cli.subparsers import Subparsers
from resolver.config import RepoConfig, parse_config_bytes
from resolver.config.sections import ProgressRule
from resolver.config.text import TEXT_LIMITS
from resolver.config.values import duration, matches

_SCRIPT = Path("workflows", "gate", "gate.py")
_CONFIG = Path(".github", "failres.yml")


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command; what its options mean is the wrapper's to say."""
    parser = subparsers.add_parser(
        "gate",
        help="run a check, record its progress, end it when it stalls",
        usage="failres gate [options] -- COMMAND [ARGUMENT ...]",
    )
    parser.add_argument("--check", metavar="NAME", help="the check's name in the records; else the command's")
    parser.add_argument("--stall-after", metavar="TIME", help="end it after so long without progress, such as 90s")
    parser.add_argument("--grace", metavar="TIME", help="between TERM and KILL; else the config's `stall.grace`")
    parser.add_argument("--progress", metavar="FILE", help="where the records go; the output is kept beside it")
    parser.add_argument(
        "--pattern",
        metavar="REGEX",
        action="append",
        default=[],
        help="a line that matches is progress; a group named item names what begins there (may be repeated)",
    )
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help="the check and its arguments")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Become the wrapper; comes back only where it is missing (status 126)."""
    script = find_script()
    if script is None:
        print("failres gate: the wrapper is not part of this installation", file=sys.stderr)
        return 126
    return _become([sys.executable, "-E", "-s", str(script), *arguments(args, configuration(Path.cwd()))])


def find_script() -> Path | None:
    """The wrapper in a checkout, or where an installation keeps it."""
    roots = Path(__file__).resolve().parents[1:3]
    return next((root / _SCRIPT for root in roots if (root / _SCRIPT).is_file()), None)


def arguments(args: argparse.Namespace, config: RepoConfig | None) -> list[str]:
    """The wrapper's arguments, one word each, so that none can be taken for another option; what is not given here is
    the configuration's.
    """
    grace = args.grace or (duration(config.stall.grace) if config is not None else None)
    given = {"check": args.check, "stall-after": args.stall_after, "grace": grace, "progress": args.progress}
    options = [f"--{name}={value}" for name, value in given.items() if value is not None]
    words = args.words[1:] if args.words[:1] == ["--"] else args.words
    patterns = args.pattern or patterns_of(config, args.check)
    return [*options, *(f"--pattern={each}" for each in patterns), "--", *words]


def configuration(folder: Path) -> RepoConfig | None:
    """The repository's configuration above a folder; one that cannot be used is told and left out."""
    file = next((each / _CONFIG for each in (folder, *folder.parents) if (each / _CONFIG).is_file()), None)
    if file is None:
        return None
    try:
        with file.open("rb") as opened:
            config = parse_config_bytes(opened.read(TEXT_LIMITS.size + 1))
    except OSError as fault:
        print(f"failres gate: {file} cannot be read: {fault.strerror}", file=sys.stderr)
        return None
    if not isinstance(config, RepoConfig):
        print(f"failres gate: {file} has problems, so it is not used; see: failres config check", file=sys.stderr)
        return None
    return config


def patterns_of(config: RepoConfig | None, check: str | None) -> list[str]:
    """What the configuration calls progress of this check."""
    rules = config.gate.progress if config is not None and check else ()
    return [pattern for rule in rules if matches(rule.check, check or "") for pattern in _patterns(rule)]


def _patterns(rule: ProgressRule) -> list[str]:
    """A rule's expressions for the wrapper's engine; one that only RE2 understands is told and left out."""
    item = rule.item if rule.item is None or "(?P<item>" in rule.item else f"(?P<item>{rule.item})"
    usable = []
    for expression in (item, rule.progress):
        if expression is None:
            continue
        try:
            re.compile(expression.encode())
        except re.error as fault:
            print(f"failres gate: the pattern {expression!r} cannot be used here: {fault}", file=sys.stderr)
        else:
            usable.append(expression)
    return usable


def _become(command: list[str]) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(command[0], command)  # noqa: S606 - a list of words, and no shell between the check and its signals
