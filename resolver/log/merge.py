"""One failing item is often told twice, in two spellings: a section's header and the summary's line. Make them one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from resolver.log.drafts import Draft

_SEPARATORS = re.compile(r"::|\s+[>\u203a»]\s+|[#/\\]|\.(?=[A-Za-z_])")
_MOST_PARTS = 12


def merge_items(drafts: Iterable[Draft]) -> list[Draft]:
    """
    Drafts with the short spelling of an item folded into the one draft of the same tool whose name ends with it.

    Where two items end alike (`a/test_x.py::test_a` and `b/test_x.py::test_a`) the short one is kept apart: nothing
    says which it is.
    """
    result = list(drafts)
    named = [d for d in result if d.item and d.rule.role in ("item", "subject")]
    parts = {id(d): _SEPARATORS.split(d.item or "")[-_MOST_PARTS:] for d in named}
    endings: dict[tuple[str, str], list[Draft]] = {}
    for draft in named:
        own = parts[id(draft)]
        for cut in range(1, len(own)):
            endings.setdefault((draft.rule.tool, "\0".join(own[cut:])), []).append(draft)
    dropped: set[int] = set()
    for draft in sorted(named, key=lambda d: -len(parts[id(d)])):
        fits = endings.get((draft.rule.tool, "\0".join(parts[id(draft)])), ())
        longer = [d for d in fits if id(d) not in dropped and d is not draft]
        if len(longer) == 1:
            _fold(longer[0], draft)
            dropped.add(id(draft))
    return _without_parents([d for d in result if id(d) not in dropped])


def _without_parents(drafts: list[Draft]) -> list[Draft]:
    """A Go test that fails because its sub-tests do says nothing of its own."""
    parents = {(d.rule.tool, d.item.rsplit("/", 1)[0]) for d in drafts if d.item and "/" in d.item}
    return [d for d in drafts if d.message or d.rule.tool != "go" or (d.rule.tool, d.item) not in parents]


def _fold(into: Draft, draft: Draft) -> None:
    """The section knows the message and the place, the summary the full name."""
    if draft.message and (
        not into.message or into.message.endswith("...") or into.message in draft.message or draft.parts
    ):
        into.message, into.parts = draft.message, draft.parts
    into.type = into.type or draft.type
    if into.path is None:
        into.path, into.line, into.col = draft.path, draft.line, draft.col
    if draft.excerpt and draft.at < into.at:
        into.excerpt = draft.excerpt
    into.spots = [*draft.spots, *into.spots]
    into.at = min(into.at, draft.at)
    into.lead_line = into.lead_line or draft.lead_line
    into.at_lines = [*into.at_lines, *(n for n in draft.at_lines if n not in into.at_lines)]
