"""
HTML that is safe to show: a short list of tags and attributes is kept, everything else becomes text or goes.

Comments hold markers and are not shown; addresses are http(s), mailto or within the page. Pure.
"""

from __future__ import annotations

import re
from html import escape
from html.parser import HTMLParser

_TAGS = frozenset(
    {
        "a", "b", "blockquote", "br", "code", "del", "details", "div", "dd", "dl", "dt", "em", "h1", "h2", "h3", "h4",
        "h5", "h6", "hr", "i", "ins", "kbd", "li", "ol", "p", "pre", "s", "samp", "small", "span", "strong", "sub",
        "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "tt", "ul", "var",
    }
)  # fmt: skip
_VOID = frozenset({"br", "hr"})
_DROPPED = frozenset({"script", "style", "iframe", "object", "embed", "svg", "math", "template", "noscript", "title"})
_ATTRIBUTES = {"a": {"href", "title"}, "td": {"align"}, "th": {"align"}, "ol": {"start"}, "details": {"open"}}
_CLASS = re.compile(r"language-[\w+-]+")
_ADDRESS = re.compile(r"(?:https?://|mailto:|[#/?.]|[\w-]+(?:[/?#.]|$))", re.IGNORECASE)
_ALIGN = re.compile(r"text-align:(left|right|center)")


def sanitise(html: str) -> str:
    """Give the safe form of a piece of HTML; every tag that it opens is closed."""
    cleaner = _Cleaner()
    cleaner.feed(html)
    cleaner.close()
    return cleaner.result()


class _Cleaner(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._out: list[str] = []
        self._open: list[str] = []
        self._dropping = 0

    def result(self) -> str:
        """What was kept, with what is open closed."""
        return "".join(self._out) + "".join(f"</{tag}>" for tag in reversed(self._open))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _DROPPED:
            self._dropping += 1
        if self._dropping or tag not in _TAGS:
            return
        self._out.append(f"<{tag}{_attributes(tag, attrs)}>")
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _DROPPED:
            self.handle_starttag(tag, attrs)
            if tag not in _VOID:
                self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _DROPPED:
            self._dropping = max(0, self._dropping - 1)
        elif not self._dropping and tag in self._open:
            while (last := self._open.pop()) != tag:
                self._out.append(f"</{last}>")
            self._out.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if not self._dropping:
            self._out.append(escape(data, quote=False))


def _attributes(tag: str, given: list[tuple[str, str | None]]) -> str:
    kept: list[str] = []
    for name, value in given:
        text = value or ""
        if tag == "code" and name == "class" and _CLASS.fullmatch(text):
            kept.append(f' class="{escape(text)}"')
        elif tag in {"td", "th"} and name == "style" and (match := _ALIGN.fullmatch(text.replace(" ", ""))):
            kept.append(f' align="{match[1]}"')
        elif name not in _ATTRIBUTES.get(tag, set()) or (name == "href" and not _ADDRESS.match(text)):
            continue
        else:
            kept.append(f' {name}="{escape(text)}"')
    return "".join(kept) + (' rel="nofollow noopener"' if tag == "a" else "")
