"""The long texts that a report refers to, fetched from beside the journal, and the journal's own last records."""

from __future__ import annotations

from typing import Protocol

from bot.store import JournalRow
from resolver.ids import TextHash
from resolver.report import Report


class Texts(Protocol):
    """Where texts are kept by their hash; a purged one is None."""

    async def text(self, name: str) -> str | None:
        """Give a text."""
        ...


class Kept(Texts, Protocol):
    """The same with the journal, which is kept by the repository's key."""

    async def recent(self, key: str, count: int) -> list[JournalRow]:
        """Give the last records of a repository, oldest first."""
        ...


async def excerpts_of(texts: Texts, report: Report) -> dict[TextHash, str]:
    """Give the excerpts of a report's primary failures, as far as they are still kept."""
    found: dict[TextHash, str] = {}
    for check in report.failed:
        reference = check.failures[0].excerpt_ref if check.failures else None
        text = await texts.text(reference) if reference else None
        if reference and text:
            found[reference] = text
    return found
