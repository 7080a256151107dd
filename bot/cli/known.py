"""A pull request as the journal knows it, and the commands that answer about one from the journal alone."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from bot.cli.subparsers import Subparsers
from bot.cli.where import add_store_options, reading_store
from bot.store import JournalCorrupt, JournalRow, Store, StoreUnavailable
from bot.words.lists import listed
from resolver.fold import fold_or_park
from resolver.fold.forgotten import brought_back
from resolver.ids import PullNumber
from resolver.journal import from_json
from resolver.state import Pull, RepoState


@dataclass(frozen=True, slots=True)
class Found:
    """A pull request with its repository's state and the records that speak of it."""

    state: RepoState
    pull: Pull
    records: tuple[JournalRow, ...]


Answer: TypeAlias = Callable[[Store, Found, argparse.Namespace], Awaitable[Iterable[str]]]
"""The lines that a command prints of a pull request."""


def add_command(subparsers: Subparsers, name: str, about: str, answer: Answer) -> argparse.ArgumentParser:
    """Declare a command that answers about one pull request; give its parser for more options."""
    parser = subparsers.add_parser(name, help=about)
    parser.add_argument("pull", metavar="PULL", help="OWNER/NAME#NUMBER, or the number where there is one repository")
    add_store_options(parser)
    parser.set_defaults(run=lambda args: _run(args, name, answer))
    return parser


def _run(args: argparse.Namespace, name: str, answer: Answer) -> int:
    """Print the answer; exit status 1 where the pull request is not known, 2 where the store cannot be read."""
    try:
        return asyncio.run(_answer(args, name, answer))
    except (StoreUnavailable, JournalCorrupt) as problem:
        print(f"failres {name}: {problem}", file=sys.stderr)
        return 2


async def _answer(args: argparse.Namespace, name: str, answer: Answer) -> int:
    async with reading_store(args) as store:
        found = await find(store, args.pull)
        if isinstance(found, str):
            print(f"failres {name}: {found}", file=sys.stderr)
            return 1
        for line in await answer(store, found, args):
            print(line)
    return 0


async def find(store: Store, asked: str) -> Found | str:
    """Find `OWNER/NAME#NUMBER`, or a number where there is one repository; a sentence where that is not possible."""
    name, _, number = asked.rpartition("#")
    if not number.isdecimal():
        return f"{asked!r} is no pull request; write acme/shop#7, or 7"
    wanted = PullNumber(int(number))
    matches: list[Found] = []
    names: list[str] = []
    for key in await store.keys():
        rows = [row async for row in store.records(key)]
        state = RepoState()
        for row in rows:
            state = fold_or_park(state, from_json(row.kind, row.data))
        known = state.repo.full_name if state.repo else ""
        names += [known] if known else []
        state = brought_back(state, state.closed[wanted].seen) if wanted in state.closed else state
        if wanted in state.pulls and (not name or name.lower() == known.lower()):
            pull = state.pulls[wanted]
            matches.append(Found(state, pull, tuple(row for row in rows if _speaks_of(row, pull))))
    if not matches:
        return _unknown(asked, name, names)
    if len(matches) > 1:
        return f"several repositories have a pull request {number}; write OWNER/NAME#{number}"
    return matches[0]


def _unknown(asked: str, name: str, names: Sequence[str]) -> str:
    """Say what the journal does not know, and what to look at."""
    if not names:
        return (
            f"the journal is empty, so {asked} is not known; once the App is installed on a repository and "
            "`failres serve` hears of it, it is"
        )
    if name and name.lower() not in (each.lower() for each in names):
        return f"the journal knows no repository {name}; it knows {listed(sorted(names), NAMED)}"
    seen = listed(sorted(names), NAMED)
    return f"the journal knows no pull request {asked}; it knows those that failres saw open in {seen}"


NAMED = 5


def _speaks_of(row: JournalRow, pull: Pull) -> bool:
    return row.data.get("number") == pull.seen.number or row.data.get("headSha") == pull.seen.head_sha
