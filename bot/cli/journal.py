"""`failres journal`: print what was observed, decided and done, record by record, or verify that nobody changed it."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import AsyncIterator

from bot.cli.subparsers import Subparsers
from bot.cli.where import add_store_options, reading_store
from bot.store import JournalCorrupt, JournalRow, Store, StoreUnavailable
from bot.words.times import utc

WIDTH = 240
"""Characters of a record's data on a line for people; `--json` gives all."""


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("journal", help="print the journal's records, or verify its chains")
    parser.add_argument("--repo", metavar="REPO", help="only this repository: its numeric id, or OWNER/NAME")
    parser.add_argument("--pull", metavar="N", type=int, help="only records of pull request N")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("--verify", action="store_true", help="print for each repository whether its chain holds")
    add_store_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print or verify; exit status 1 where a chain is broken or nothing is known, 2 where the store cannot be read."""
    try:
        return asyncio.run(_run(args))
    except StoreUnavailable as problem:
        print(f"failres journal: {problem}", file=sys.stderr)
        return 2


async def _run(args: argparse.Namespace) -> int:
    async with reading_store(args) as store:
        try:
            keys = [key async for key in _keys(store, args.repo)]
        except JournalCorrupt as damage:
            print(f"failres journal: {damage}", file=sys.stderr)
            return 1
        if args.repo and not keys:
            print(f"failres journal: the journal knows no repository {args.repo}", file=sys.stderr)
            return 1
        results = [await (_verify(store, key, args) if args.verify else _print(store, key, args)) for key in keys]
        return 0 if all(results) else 1


async def _keys(store: Store, repo: str | None) -> AsyncIterator[str]:
    for key in await store.keys():
        if repo is None or key in {repo, f"repo:{repo}"} or ("/" in repo and await _is_named(store, key, repo)):
            yield key


async def _is_named(store: Store, key: str, name: str) -> bool:
    known = ""
    async for row in store.records(key):
        if row.kind == "repo.observed":
            known = str(row.data.get("fullName", ""))
    return known.lower() == name.lower()


async def _verify(store: Store, key: str, args: argparse.Namespace) -> bool:
    count, damage = 0, None
    try:
        async for _ in store.records(key):
            count += 1
    except JournalCorrupt as found:
        damage = found
    if args.json:
        found_at = {"corruptAt": damage.seq, "why": damage.why} if damage else {}
        print(json.dumps({"key": key, "ok": damage is None, "records": count, **found_at}))
    else:
        print(f"{key}: {damage or f'the chain holds, {count} records'}")
    return damage is None


async def _print(store: Store, key: str, args: argparse.Namespace) -> bool:
    try:
        async for row in store.records(key):
            if args.pull is None or speaks_of(row, args.pull):
                print(_json(row) if args.json else _line(row))
    except JournalCorrupt as damage:
        print(f"failres journal: {damage} What follows it is not shown.", file=sys.stderr)
        return False
    return True


def speaks_of(row: JournalRow, pull: int) -> bool:
    """True if a record names the pull request: by `pull`, `number`, or `taskId` (7, "7", "pr-7", "acme/shop#7")."""
    task = row.data.get("taskId")
    if pull in (row.data.get("pull"), row.data.get("number"), task):
        return True
    return isinstance(task, str) and (task in {str(pull), f"pr-{pull}"} or task.endswith(f"#{pull}"))


def _json(row: JournalRow) -> str:
    return json.dumps(row._asdict())


def _line(row: JournalRow) -> str:
    time = utc(row.at)
    data = json.dumps(row.data, ensure_ascii=True)  # escaped: a journal holds other people's text
    return f"{row.seq:>6}  {time}  {row.key}  {row.kind:18} {data if len(data) <= WIDTH else data[: WIDTH - 1] + '…'}"
