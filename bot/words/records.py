"""The journal's slice for people: the records about one pull request, a line for each. Pure; masked and inert."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from bot.words.inert import fence, shorten
from bot.words.times import utc
from resolver.handoff import Handoff
from resolver.runs import task_id
from resolver.secrets import mask

RECORDS: Final = 200
"""So many records are shown, the newest."""

RECORD: Final = 220
"""So many characters of a record's data."""

_LOOKS: Final = (
    *("read-", "find-", "sweep", "log:", "files:", "runs:", "pull:", "pull-of:", "pull-config:", "job:"),
    *("standing:", "comments:", "annotations:", "config:"),
)
"""Types and targets of actions that only look: that one began or ended says nothing of what was decided or done."""

_KNOWN: Final = ("v", "number", "headSha", "key", "ticket", "at", "url", "updatedAt")
"""What a line need not repeat."""


class Line(NamedTuple):
    """One record of the journal: its number, its time (seconds), its kind and its data."""

    seq: int
    at: float
    kind: str
    data: Mapping[str, Any]


def journal_slice(bundle: Handoff, journal: Iterable[Line]) -> list[str]:
    """Give the part of a bundle that shows the journal."""
    lines = [line for line in journal if _speaks(bundle, line)]
    told = [_record(line) for line in lines[-RECORDS:]]
    number = bundle.report.number
    which = f"The last {len(told)} of {len(lines)} records" if len(lines) > len(told) else "The records"
    first = (
        f"{which} about this pull request, reads left out; times are UTC. On failres's server, "
        f"`failres explain {number}` and `failres journal --pull {number}` show the rest."
    )
    return ["## Journal", first, fence("\n".join(told)) if told else "The journal could not be read."]


def _speaks(bundle: Handoff, line: Line) -> bool:
    """Whether a record is about this pull request or what ran on its commit, and is more than a look at GitHub."""
    data, number = line.data, bundle.report.number
    if line.kind == "job.progressed":
        return False
    if line.kind.startswith("action.") and str(data.get("type") or data.get("target", "")).startswith(_LOOKS):
        return False
    mine = number in (data.get("number"), data.get("pull")) or data.get("task") == task_id(number)
    return mine or bundle.report.head_sha in (data.get("headSha"), data.get("head"))


def _record(line: Line) -> str:
    data = {name: value for name, value in line.data.items() if name not in _KNOWN}
    told = mask(json.dumps(data, ensure_ascii=True, separators=(", ", ": ")))  # escaped: it is other people's text
    return f"{line.seq:>6}  {utc(line.at)}  {line.kind:18} {shorten(told, RECORD)}"
