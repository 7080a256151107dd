"""
The journal: append-only, hash-chained per key, checked whenever it is read.

A record's digest covers all its fields and the digest before it, and `chains` holds the last one: a changed byte, a
missing, added or moved record, or an end cut off is found at the record where it shows.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, Text, bindparam, func, select, text

from bot.store.database import upsert
from bot.store.errors import JournalCorrupt
from bot.store.tables import chains, journal
from bot.store.values import JournalRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import Executable, Row

    from bot.store.database import Transaction
    from bot.store.values import Entry

START: Final = "0" * 64
"""What the first record of a key names as the digest before it."""
PAGE: Final = 1_000
"""Records per transaction of a long read, so that writers wait for milliseconds only."""
_ORDER_LOCK: Final = 7_201_131
"""PostgreSQL's advisory lock: whoever holds it until commit gives numbers in the order of commits."""


_OF: Final = bindparam("of", type_=Text)
_CHAIN_SEQ: Final = select(chains.c.seq).where(chains.c.key == _OF).scalar_subquery()
_CHAIN_DIGEST: Final = select(chains.c.digest).where(chains.c.key == _OF).scalar_subquery()
_LAST: Final = select(select(func.coalesce(func.max(journal.c.seq), 0)).scalar_subquery(), _CHAIN_DIGEST)
_CHAIN: Final = select(
    _CHAIN_SEQ, _CHAIN_DIGEST, select(func.max(journal.c.seq)).where(journal.c.key == _OF).scalar_subquery()
)
_KNOWN: Final = select(journal.c.once).where(
    journal.c.key == _OF, journal.c.once.in_(bindparam("asked", expanding=True))
)
_UNTIL: Final = journal.c.seq <= bindparam("until", type_=BigInteger)
_PAGE: Final = (
    select(journal)
    .where(journal.c.key == _OF, journal.c.seq > bindparam("after", type_=BigInteger), _UNTIL)
    .order_by(journal.c.seq)
    .limit(PAGE)
)
_BEFORE: Final = select(journal.c.digest).where(journal.c.key == _OF, _UNTIL).order_by(journal.c.seq.desc()).limit(1)


def append(tx: Transaction, key: str, entries: Sequence[Entry]) -> list[JournalRow]:
    """Append those entries whose `once` the key does not have yet; give the new records."""
    if not entries:
        return []
    if tx.postgresql:
        tx.run(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _ORDER_LOCK})
    new = _unknown(tx, key, entries)
    if not new:
        return []
    seq, previous = _ends(tx, key)
    rows = []
    for entry in new:
        seq += 1
        rows.append(_row(seq, tx.now, key, entry, previous))
        previous = rows[-1]["digest"]
    tx.run(journal.insert(), rows)
    tx.run(_link(postgresql=tx.postgresql), {"key": key, "seq": seq, "digest": previous})
    return [JournalRow(**{**row, "data": json.loads(row["data"])}) for row in rows]


@cache
def _link(*, postgresql: bool) -> Executable:
    """Built once for each database, like the statements above: building them takes longer than running them."""
    link = upsert(chains, on_postgresql=postgresql)
    return link.on_conflict_do_update(
        index_elements=["key"], set_={"seq": link.excluded.seq, "digest": link.excluded.digest}
    )


def _ends(tx: Transaction, key: str) -> tuple[int, str]:
    seq, previous = tx.run(_LAST, {"of": key}).one()
    return seq, previous or START


def _unknown(tx: Transaction, key: str, entries: Sequence[Entry]) -> list[Entry]:
    known: set[str] = set()
    asked = [entry.once for entry in entries if entry.once is not None]
    for start in range(0, len(asked), PAGE):  # a statement takes some 32,000 values
        page = asked[start : start + PAGE]
        found = tx.run(_KNOWN, {"of": key, "asked": page})
        known.update(found.scalars())
    new = []
    for entry in entries:
        if entry.once is None or entry.once not in known:
            new.append(entry)
        if entry.once is not None:
            known.add(entry.once)
    return new


def _row(seq: int, at: float, key: str, entry: Entry, previous: str) -> dict[str, Any]:
    # ASCII only: escapes keep NUL characters and lone surrogates, which a database's text type would refuse.
    data = json.dumps(entry.data, sort_keys=True, separators=(",", ":"), allow_nan=False)
    row = {"seq": seq, "at": at, "key": key, "kind": entry.kind, "data": data, "once": entry.once, "previous": previous}
    return {**row, "digest": digest(seq, at, key, entry.kind, data, entry.once, previous)}


def digest(*fields: float | str | None) -> str:
    """SHA-256, in hex, over a record's fields in the order of the table, `data` as its stored text."""
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


class Reader:
    """
    A walk over one key's records from after a number to the end that the chain had at the walk's beginning.

    Raises `JournalCorrupt` at the record where the chain does not hold.
    """

    def __init__(self, key: str, after: int) -> None:
        self._key, self._seq = key, after
        self._end: int | None = None
        self._end_digest = self._previous = START

    @property
    def finished(self) -> bool:
        """True when the end was reached."""
        return self._end is not None and self._seq >= self._end

    def page(self, tx: Transaction) -> Sequence[Row[*tuple[Any, ...]]]:
        """The next rows, at most `PAGE`, for `check`."""
        if self._end is None:
            self._find_ends(tx)
        return tx.run(_PAGE, {"of": self._key, "after": self._seq, "until": self._end}).all()

    def check(self, page: Sequence[Row[*tuple[Any, ...]]]) -> Iterator[JournalRow]:
        """The page's records, those before a damaged one first."""
        for row in page:
            self._check(row)
            seq, at, key, kind, data, once, previous, digest_ = row
            yield JournalRow(seq, float(at), key, kind, json.loads(data), once, previous, digest_)
        if len(page) < PAGE:
            self._check_end()

    def walk(self, page: Sequence[Row[*tuple[Any, ...]]]) -> None:
        """Check the page and read nothing of it."""
        for row in page:
            self._check(row)
        if len(page) < PAGE:
            self._check_end()

    def _find_ends(self, tx: Transaction) -> None:
        # One statement is one snapshot: a record that is appended meanwhile is no damage.
        seq, digest_, last = tx.run(_CHAIN, {"of": self._key}).one()
        if (last or 0) > (seq or 0):
            raise JournalCorrupt(self._key, last, "a record follows the end of the chain")
        self._end, self._end_digest = seq or 0, digest_ or START
        if self._seq > 0:
            found = tx.run(_BEFORE, {"of": self._key, "until": self._seq})
            self._previous = found.scalar() or START

    def _check(self, row: Row[*tuple[Any, ...]]) -> None:
        seq, at, key, kind, data, once, previous, digest_ = row
        if previous != self._previous:
            raise JournalCorrupt(key, seq, "it does not name the record that stands before it")
        if digest(seq, float(at), key, kind, data, once, previous) != digest_:
            raise JournalCorrupt(key, seq, "its content is not what its digest was made from")
        self._seq, self._previous = seq, digest_

    def _check_end(self) -> None:
        end = self._end or 0
        if self._previous != self._end_digest and self._seq <= end:
            raise JournalCorrupt(self._key, end, "records at the end of the chain are missing or were changed")
        self._seq = max(self._seq, end)


def before_last(tx: Transaction, key: str, count: int) -> int:
    """The number after which the key's last `count` records follow; 0 where it has no more than that."""
    newest = select(journal.c.seq).where(journal.c.key == key).order_by(journal.c.seq.desc())
    return tx.run(newest.offset(count).limit(1)).scalar() or 0


def keys(tx: Transaction) -> list[str]:
    """All keys that have records, sorted."""
    return list(tx.run(select(chains.c.key).order_by(chains.c.key)).scalars())
