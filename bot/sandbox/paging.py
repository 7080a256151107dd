"""
Pages of a list and the `Link` header.

GitHub: links go through `/repositories/{id}/…`, whatever path was asked (GITHUB.md 5.35); `per_page` is at most 100.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

PER_PAGE = 30
MAX_PER_PAGE = 100


@dataclass(frozen=True)
class Page:
    """Which page is asked for: `number` from 1, `size` within GitHub's limit."""

    number: int
    size: int

    @property
    def slice(self) -> slice:
        """Its place in the list."""
        return slice((self.number - 1) * self.size, self.number * self.size)


def asked(query: Mapping[str, str]) -> Page:
    """Read `page` and `per_page`; nonsense counts as the default, as on GitHub."""
    return Page(
        max(1, _number(query.get("page"), 1)), min(MAX_PER_PAGE, max(1, _number(query.get("per_page"), PER_PAGE)))
    )


def _number(text: str | None, default: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() else default


def link(url: str, query: Mapping[str, str], page: Page, total: int) -> str | None:
    """Give the `Link` header of a page out of `total` items, `None` where everything fits."""
    last = max(1, -(-total // page.size))
    if last == 1:
        return None
    targets: dict[str, int] = {}
    if page.number > 1:
        targets["prev"] = min(page.number - 1, last)
    if page.number < last:
        targets |= {"next": page.number + 1, "last": last}
    if page.number > 1:
        targets["first"] = 1
    return ", ".join(
        f'<{url}?{urlencode({**query, "page": number})}>; rel="{name}"' for name, number in targets.items()
    )
