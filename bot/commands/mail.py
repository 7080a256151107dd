"""
Where in a comment the e-mail begins that it answers.

GitHub takes answers by e-mail as comments, with everything that the mail program put below. Most mark that with `>`;
some repeat it unmarked below a header, and with it the commands that a question offers to be copied. Whatever the
language, a header is three lines or more of `Name: value`, an address among them, or a sentence with a number and an
address that ends in a colon.
"""

from __future__ import annotations

import re
from typing import Final

_NAMED = re.compile(r"[ \t]{0,3}\*{0,2}[^\W\d_][\w-]{0,19}(?: [\w-]{1,19})?[ \u00a0]?:\*{0,2}[ \u00a0]")
_ADDRESS = re.compile(r"[^\s@<>:]{1,64}@[\w-]{1,63}\.[\w.-]{2,190}")
_WROTE = re.compile(r"[^\s@<>:]{1,64}@[\w-]{1,63}\.[\w.-]{2,190}>?\)?[^\n<>]{0,40}[:\uff1a]\s*\Z")
HEADER: Final = 3
"""So many named lines in a row are a header."""


def own_lines(paragraph: str) -> int | None:
    """Give how many lines of a paragraph stand above a mail's header; None where there is no header in it."""
    lines = paragraph.split("\n")
    start = 0
    for at, line in enumerate([*lines, ""]):
        if at and at < len(lines) and introduces_mail("\n".join(lines[max(0, at - 2) : at])):
            return at
        if _NAMED.match(line) is not None:
            continue
        if at - start >= HEADER and any(_ADDRESS.search(each) for each in lines[start:at]):
            return start
        start = at + 1
    return None


def introduces_mail(paragraph: str) -> bool:
    """Say whether a paragraph ends like `On 5 May, Ana <ana@example.org> wrote:`, in any language."""
    return any(char.isdigit() for char in paragraph) and _WROTE.search(paragraph[-300:]) is not None
