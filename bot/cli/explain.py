"""`failres explain PULL`: the whole chain of evidence on one pull request, from the journal alone."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence

from bot.cli.known import Found, add_command
from bot.cli.subparsers import Subparsers
from bot.store import JournalRow, Store
from bot.words.beside import beside
from bot.words.commits import short
from bot.words.evidence import ROLES, age, prints, ran
from bot.words.failure import label
from bot.words.inert import one_line
from bot.words.stall import stalls, unfinished
from bot.words.times import utc
from resolver.attribution.outcome import Verdict
from resolver.decide.compose import compose
from resolver.decide.reach import lost
from resolver.decide.rights import silence
from resolver.failure import Failure
from resolver.report import Report


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command."""
    about = "show everything that is known of a pull request's checks, and why"
    parser = add_command(subparsers, "explain", about, _explain)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


async def _explain(store: Store, found: Found, args: argparse.Namespace) -> Sequence[str]:
    report = compose(found.state, found.pull)
    if args.json:
        return [json.dumps(_as_json(found, report), ensure_ascii=False)]
    return await _lines(store, found, report)


async def _lines(store: Store, found: Found, report: Report) -> Sequence[str]:
    seen = found.pull.seen
    name = found.state.repo.full_name if found.state.repo else "?"
    lines = [f"{name}#{seen.number}  {seen.title}", f"head {seen.head_sha}  base {seen.base_ref}  {seen.state}"]
    quiet = found.pull.stuck or silence(found.state, found.pull)
    if quiet:
        lines.append(f"failres keeps quiet here: {quiet if isinstance(quiet, str) else quiet.value}")
    gone = lost(found.state)
    if gone is not None:
        lines.append(f"the repository is out of reach, so that nothing is done here: {gone}")
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
    for verdict in report.cause.verdicts:
        lines += _verdict(verdict)
    lines += [line.replace("`", "") for line in beside(report)]
    lines += _running(report)
    lines += ["", "journal:"]
    lines += [f"  {row.seq:>6}  {utc(row.at)}  {row.kind:18} {_gist(row)}" for row in found.records]
    return lines


def _verdict(verdict: Verdict) -> list[str]:
    lines = ["", f"verdict: {verdict.klass} ({verdict.strength}) on {verdict.item or verdict.check.key}"]
    lines += [f"  because {verdict.reason}", f"  next: {verdict.next_action}"]
    for each in verdict.evidence:
        base = f" with base {short(each.tested_base)}" if each.tested_base else ""
        at = f"{ran(verdict, each)}, {each.side} {short(each.commit)}{base}"
        shown = " ".join((ROLES[each.role], *prints(verdict, each)))
        lines.append(f"  {shown}: {at}, {each.strength}, {age(each.age)} old")
    return lines


def _running(report: Report) -> list[str]:
    """Say what makes no progress, and what only waits."""
    told = [line.replace("`", "") for line in (*stalls(report), *unfinished(report))]
    return ["", *told] if told else []


async def _failure(store: Store, failure: Failure) -> list[str]:
    lines = [f"  {failure.item or '(no item)'}", f"    {failure.message}"]
    lines += [f"    at {at.path}:{at.line}" for at in failure.places if at.path]
    lines.append(f"    {failure.fail_class}/{failure.kind}  {failure.fingerprint}  rule {failure.rule or '-'}")
    text = await store.text(failure.excerpt_ref) if failure.excerpt_ref else None
    lines += [f"      | {line}" for line in (text or "").splitlines()[:12]]
    return lines


GIST = ("ticket", "name", "conclusion", "kind", "action", "reason", "rationale", "title")
"""What of a record is shown beside its name."""


def _gist(row: JournalRow) -> str:
    return one_line(" ".join(str(row.data[name]) for name in GIST if row.data.get(name)), 100)


def _as_json(found: Found, report: Report) -> dict[str, object]:
    records = [{"seq": row.seq, "at": row.at, "kind": row.kind, "data": row.data} for row in found.records]
    return {"report": report.model_dump(mode="json", by_alias=True), "records": records}
