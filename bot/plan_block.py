"""
Finds the `failres` block in a pull request's description, as GitHub shows it: a fenced block of its own, not one that
is quoted, stands in a list, or is hidden in an HTML comment. Pure.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from resolver.plan import Plan, read_plan, refused_plan

NAME: Final = "failres"
LONGEST: Final = 65_536
"""GitHub: a description has at most so many characters."""

_FENCE: Final = re.compile(rf"(?im)^ {{0,3}}(?:`{{3,}}|~{{3,}})[ \t]*{NAME}(?!\S)")
"""Most descriptions have no block, and are then not parsed."""


def plan_in(body: str | None) -> Plan | None:
    """Read the block of a description; None where it has none. Two blocks, or one without an end, are a problem."""
    text = (body or "").replace("\r\n", "\n").replace("\r", "\n")
    if not _FENCE.search(text):
        return None
    if len(text) > LONGEST:
        return refused_plan(1, f"the description is longer than {LONGEST} characters, so that its block is not read")
    blocks = [token for token in _markdown().parse(text) if _is_block(token)]
    if not blocks:
        return None
    first = blocks[0]
    assert first.map is not None
    begins = first.map[0] + 1
    if len(blocks) > 1:
        return refused_plan(_begins(blocks[1]), f"a second failres block is not allowed; the first is in line {begins}")
    if not _is_closed(first, text):
        return refused_plan(begins, f"the block has no end: {first.markup} is missing after its last line")
    return read_plan(first.content, begins + 1)


def _begins(token: Token) -> int:
    assert token.map is not None
    return token.map[0] + 1


def _is_block(token: Token) -> bool:
    words = token.info.split()
    return token.type == "fence" and token.level == 0 and bool(words) and words[0].casefold() == NAME


def _is_closed(token: Token, text: str) -> bool:
    """Markdown lets a fence run to the end of the text, over whatever comes after it."""
    assert token.map is not None
    last = text.split("\n")[token.map[1] - 1].strip()
    inside = len(token.content.split("\n")) - 1
    return token.map[1] - token.map[0] == inside + 2 and last.startswith(token.markup)


@cache
def _markdown() -> MarkdownIt:
    """Blocks alone: what stands inside a line is of no interest, and costs time."""
    made = MarkdownIt("commonmark").enable("table")
    made.core.ruler.disable(["inline", "text_join"])
    return made
