"""A pull request as the journal knows it, for the commands that only read."""

from __future__ import annotations

from dataclasses import dataclass

from bot.store import JournalRow, Store
from resolver.fold import fold_or_park
from resolver.ids import PullNumber
from resolver.journal import from_json
from resolver.state import Pull, RepoState


@dataclass(frozen=True, slots=True)
class Found:
    """A pull request with its repository's state and the records that speak of it."""

    state: RepoState
    pull: Pull
    records: tuple[JournalRow, ...]


async def find(store: Store, asked: str) -> Found | str:
    """Find `OWNER/NAME#NUMBER`, or a number where there is one repository; a sentence where that is not possible."""
    name, _, number = asked.rpartition("#")
    if not number.isdecimal():
        return f"{asked!r} is no pull request; write acme/shop#7, or 7"
    wanted = PullNumber(int(number))
    matches: list[Found] = []
    for key in await store.keys():
        rows = [row async for row in store.records(key)]
        state = RepoState()
        for row in rows:
            state = fold_or_park(state, from_json(row.kind, row.data))
        known = state.repo.full_name if state.repo else ""
        if wanted in state.pulls and (not name or name.lower() == known.lower()):
            pull = state.pulls[wanted]
            matches.append(Found(state, pull, tuple(row for row in rows if _speaks_of(row, pull))))
    if not matches:
        return f"the journal knows no pull request {asked}"
    if len(matches) > 1:
        return f"several repositories have a pull request {number}; write OWNER/NAME#{number}"
    return matches[0]


def _speaks_of(row: JournalRow, pull: Pull) -> bool:
    return row.data.get("number") == pull.seen.number or row.data.get("headSha") == pull.seen.head_sha
