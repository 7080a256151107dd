"""
The lines of a Markdown paragraph in pieces that say what each part is, and what HTML around them shades.

GitHub shows a comment's HTML, so that text inside `<code>` or a struck-out `<del>` is no command either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from markdown_it.token import Token

PieceKind = Literal["text", "escaped", "code", "link", "image", "html"]
SHADING: Final = (
    "a", "blockquote", "code", "del", "kbd", "plaintext", "pre", "q", "s", "samp", "script", "strike", "style", "table",
    "template", "textarea", "title", "tt", "var", "xmp",
)  # fmt: skip
"""HTML elements in which words are shown, not said."""

_TAG = re.compile(rf"<(/?)({'|'.join(SHADING)})(?=[\s/>]|\Z)", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line; `escaped` is one character that was written with a backslash or as an entity."""

    kind: PieceKind
    text: str


@dataclass(slots=True)
class Shade:
    """Which shading elements are open; one that is never closed shades the rest of the comment."""

    open: dict[str, int] = field(default_factory=dict)

    @property
    def deep(self) -> bool:
        """Whether what comes next is shaded."""
        return any(self.open.values())

    def pass_over(self, html: str) -> None:
        """Take note of the tags in a piece of HTML, comments aside."""
        for part in _outside_comments(html):
            for end, tag in _TAG.findall(part):
                name = tag.lower()
                self.open[name] = max(0, self.open.get(name, 0) + (-1 if end else 1))

    def pass_over_inline(self, token: Token) -> None:
        """Take note of the tags in a block that holds no commands."""
        for child in token.children or ():
            if child.type == "html_inline":
                self.pass_over(child.content)


def _outside_comments(html: str) -> Iterator[str]:
    at = 0
    while (start := html.find("<!--", at)) != -1:
        yield html[at:start]
        end = html.find("-->", start + 4)
        if end == -1:
            return
        at = end + 3
    yield html[at:]


_KINDS: Final[dict[str, PieceKind]] = {
    "text": "text",
    "text_special": "escaped",
    "code_inline": "code",
    "image": "image",
    "html_inline": "html",
}


def pieces_of(token: Token, shade: Shade) -> Iterator[tuple[list[Piece], bool]]:
    """The lines of a paragraph in pieces, each with whether its beginning is shaded by HTML."""
    line: list[Piece] = []
    shaded, links, strikes = shade.deep, 0, 0
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            yield line, shaded
            line, shaded = [], shade.deep or strikes > 0
            continue
        if child.type in ("s_open", "s_close"):
            strikes += child.nesting
            _append(line, Piece("text", child.markup))  # a file's name may have such marks
            continue
        if child.type in ("link_open", "link_close"):
            links += child.nesting
            continue
        if child.type == "html_inline":
            shade.pass_over(child.content)
        kind = _KINDS.get(child.type, "html")
        if child.content or kind == "image":
            _append(line, Piece("link" if links else kind, child.content))
    yield line, shaded


def _append(line: list[Piece], piece: Piece) -> None:
    """Plain text that the marks of a strike-through part stays one piece."""
    if line and line[-1].kind == piece.kind == "text":
        piece = Piece("text", line.pop().text + piece.text)
    line.append(piece)
