"""`failres explain PULL`: the whole chain of evidence on one pull request, from the journal alone."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bot.cli.subparsers import Subparsers
from bot.cli.where import add_store_options, reading_store
from bot.store import JournalCorrupt, JournalRow, Store, StoreUnavailable
from bot.words.failure import label
from resolver.decide.compose import compose
from resolver.decide.rights import silence
from resolver.failure import Failure
from resolver.fold import fold_or_park
from resolver.ids import PullNumber
from resolver.journal import from_json
from resolver.report import Report
from resolver.state import Pull, RepoState


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    parser = subparsers.add_parser("explain", help="show everything that is known of a pull request's checks, and why")
    parser.add_argument("pull", metavar="PULL", help="OWNER/NAME#NUMBER, or the number where there is one repository")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    add_store_options(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Explain; exit status 1 where the pull request is not known, 2 where the store cannot be read."""
    try:
        return asyncio.run(_explain(args))
    except (StoreUnavailable, JournalCorrupt) as problem:
        print(f"failres explain: {problem}", file=sys.stderr)
        return 2


@dataclass(frozen=True, slots=True)
class Found:
    """A pull request with its repository's state and the records that speak of it."""

    state: RepoState
    pull: Pull
    records: tuple[JournalRow, ...]


async def _explain(args: argparse.Namespace) -> int:
    name, _, number = args.pull.rpartition("#")
    if not number.isdecimal():
        print(f"failres explain: {args.pull!r} is no pull request; write acme/shop#7, or 7", file=sys.stderr)
        return 1
    async with reading_store(args) as store:
        found = await _find(store, name, PullNumber(int(number)))
        if isinstance(found, str):
            print(f"failres explain: {found}", file=sys.stderr)
            return 1
        report = compose(found.state, found.pull)
        if args.json:
            print(json.dumps(_as_json(found, report), ensure_ascii=False))
            return 0
        for line in await _lines(store, found, report):
            print(line)
    return 0


async def _find(store: Store, name: str, number: PullNumber) -> Found | str:
    matches: list[Found] = []
    for key in await store.keys():
        rows = [row async for row in store.records(key)]
        state = RepoState()
        for row in rows:
            state = fold_or_park(state, from_json(row.kind, row.data))
        known = state.repo.full_name if state.repo else ""
        if number in state.pulls and (not name or name.lower() == known.lower()):
            pull = state.pulls[number]
            matches.append(Found(state, pull, tuple(row for row in rows if _speaks_of(row, pull))))
    if not matches:
        return f"the journal knows no pull request {name + '#' if name else ''}{number}"
    if len(matches) > 1:
        return f"several repositories have a pull request {number}; write OWNER/NAME#{number}"
    return matches[0]


def _speaks_of(row: JournalRow, pull: Pull) -> bool:
    return row.data.get("number") == pull.seen.number or row.data.get("headSha") == pull.seen.head_sha


async def _lines(store: Store, found: Found, report: Report) -> Sequence[str]:
    seen = found.pull.seen
    name = found.state.repo.full_name if found.state.repo else "?"
    lines = [f"{name}#{seen.number}  {seen.title}", f"head {seen.head_sha}  base {seen.base_ref}  {seen.state}"]
    quiet = found.pull.stuck or silence(found.state, found.pull)
    if quiet:
        lines.append(f"failres keeps quiet here: {quiet if isinstance(quiet, str) else quiet.value}")
    if not report.failed:
        lines.append(
            {"green": "green again: all that was red has passed"}.get(report.state, "no failing check is known")
        )
    for check in report.failed:
        lines += ["", f"{label(check)}: {check.conclusion}  (run {check.run_id}, attempt {check.attempt})"]
        if check.missing:
            lines.append(f"  its log told nothing: {check.missing}")
        for failure in check.failures:
            lines += await _failure(store, failure)
    lines += ["", "journal:"]
    lines += [f"  {row.seq:>6}  {_time(row.at)}  {row.kind:18} {_gist(row)}" for row in found.records]
    return lines


async def _failure(store: Store, failure: Failure) -> list[str]:
    lines = [f"  {failure.item or '(no item)'}", f"    {failure.message}"]
    lines += [f"    at {at.path}:{at.line}" for at in failure.places if at.path]
    lines.append(f"    {failure.fail_class}/{failure.kind}  {failure.fingerprint}  rule {failure.rule or '-'}")
    text = await store.text(failure.excerpt_ref) if failure.excerpt_ref else None
    lines += [f"      | {line}" for line in (text or "").splitlines()[:12]]
    return lines


def _time(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S")


def _gist(row: JournalRow) -> str:
    data = row.data
    parts = [str(data[name]) for name in ("ticket", "name", "conclusion", "kind", "reason", "title") if data.get(name)]
    return " ".join(parts)[:100]


def _as_json(found: Found, report: Report) -> dict[str, object]:
    records = [{"seq": row.seq, "at": row.at, "kind": row.kind, "data": row.data} for row in found.records]
    return {"report": report.model_dump(mode="json", by_alias=True), "records": records}
