"""Text from logs and people made harmless for Markdown: no live link, mention, command, image or markup (section 16).

Inside a code span or a fence GitHub resolves none of these; control, bidirectional and zero-width characters are
dropped.
"""

from __future__ import annotations

import re
import unicodedata

_BACKTICKS = re.compile(r"`+")
_SPACE = re.compile(r"\s+")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "#": "&#35;", "`": "&#96;"})
_KEPT_CONTROLS = frozenset("\n\t")


def visible(text: str) -> str:
    """Drop what cannot be seen: control and format characters, which also hold the bidirectional ones."""
    return "".join(
        char for char in text if char in _KEPT_CONTROLS or unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co")
    )


def shorten(text: str, limit: int) -> str:
    """Keep at most `limit` characters, the last of which is then an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def one_line(text: str, limit: int = 160) -> str:
    """Fold white space and keep one line."""
    return shorten(_SPACE.sub(" ", visible(text)).strip(), limit)


def code(text: str, limit: int = 160, *, in_table: bool = False) -> str:
    """Give text as a code span whatever backticks it holds; in a table, bars are escaped."""
    line = one_line(text, limit)
    if not line:
        return "` `"
    if in_table:
        line = line.replace("|", "\\|")
    ticks = "`" * (max((len(run) for run in _BACKTICKS.findall(line)), default=0) + 1)
    pad = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def fence(text: str, language: str = "text") -> str:
    """Give text as a fenced block that it cannot end by itself."""
    shown = visible(text).rstrip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(shown)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{language}\n{shown}\n{ticks}"


def fold_in(summary: str, body: str) -> str:
    """Give a part that opens on a click. `summary` must already be inert."""
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def reason(text: str, limit: int = 160) -> str:
    """Give a reason as text, what stands in its backticks as code, and nothing in it alive."""
    parts = one_line(text, limit).split("`")
    if len(parts) % 2 == 0:
        return _dead("`".join(parts))
    return "".join(code(part) if n % 2 and part.strip() else _dead(part) for n, part in enumerate(parts))


def escape_html(text: str) -> str:
    """Make text safe inside an HTML element, where Markdown's code spans do not work; mentions and links stay dead."""
    return _dead(one_line(text))


def _dead(text: str) -> str:
    return text.translate(_ENTITIES).replace("://", "&#58;//")
