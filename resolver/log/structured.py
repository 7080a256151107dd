"""
The input contract's last line: JSON that a failing step prints at its very end (specification, section 3).

A check's log belongs to whoever wrote the pull request. So from a check only scope `task` and the classes that a
check may claim are believed; other classes only from failres's own workflows. Anything that does not validate is as
if it were not there.
"""

from __future__ import annotations

import json

from pydantic import ConfigDict, Field, ValidationError

from resolver.failure import Scope
from resolver.log.blocks import Window
from resolver.log.lines import clean
from resolver.records import Record
from resolver.taxonomy import TAXONOMY

MAX_LINE = 16_384
"""Characters of a structured line; a longer one is not one."""


class StructuredLine(Record):
    """The fields of the contract; extra keys make it no contract line."""

    model_config = ConfigDict(strict=True)

    fail_class: str
    scope: Scope
    message: str = Field(max_length=8_192)
    stack: str | None = None
    attribution: str | None = None
    item: str | None = Field(default=None, max_length=1_024)
    output_path: str | None = Field(default=None, max_length=1_024)
    exit_status: int | None = None


def parse_last_line(text: str, *, own_workflow: bool) -> StructuredLine | None:
    """The contract in a last line; None where it is absent, malformed or claims too much."""
    if not text.startswith("{") or len(text) > MAX_LINE:
        return None
    try:
        found = StructuredLine.model_validate(json.loads(text))
    except (ValueError, ValidationError, RecursionError):
        return None
    row = TAXONOMY.get(found.fail_class)
    if row is None or found.scope not in row.scopes:
        return None
    if not own_workflow and not (row.claimable and found.scope == "task"):
        return None
    return found


def line_at_end(window: Window, start: int, end: int) -> str | None:
    """The clean text of ``data[start:end]`` if only lines of the runner follow in its step, else None."""
    text = clean(window.data[start:end], limit=MAX_LINE + 1).text
    data, size, at = window.data, len(window.data), window.data.find(b"\n", end) + 1
    while 0 < at < size:
        stop = data.find(b"\n", at)
        stop = size if stop < 0 else stop
        following = clean(data[at:stop])
        if following.mark:
            return text
        if following.text:
            return text if following.text.startswith(("Post job cleanup.", "Cleaning up orphan processes")) else None
        at = stop + 1
    return text if window.final else None
