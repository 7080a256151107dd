"""Snapshots of the repositories' folds, so that a start need not read whole journals: a cache beside the turns.

One is believed if the code that made it is the code that runs, its bytes are whole, and the journal holds the record
that it names; else it is told of in the log and the journal is folded from its beginning. The records after it are
checked as they are read; those before it were checked when they were folded, and once more after the start, beside the
work: damage there stops the repository as damage that a fold finds.

Written when so many records were folded since the last one, and some time after it, off the turn and in a thread, one
at a time. A write that fails changes nothing.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
import logging
from functools import partial

from bot.aside import Aside
from bot.clock import Clock
from bot.core_digest import core_digest
from bot.known import Known
from bot.store import Anchor, JournalCorrupt, Snapshot, Store, StoreUnavailable
from resolver.limits import Limits
from resolver.snapshot import Unusable, from_bytes, to_bytes
from resolver.state import RepoState

log = logging.getLogger(__name__)


class Snapshots:
    """Takes and gives snapshots of one process's folds."""

    def __init__(self, store: Store, clock: Clock, limits: Limits) -> None:
        self._store, self._clock, self._limits, self._core = store, clock, limits, core_digest()
        self._writing: set[str] = set()
        self._kept_at: dict[str, float] = {}
        self._to_walk: set[str] = set()
        self._walked: set[str] = set()
        self._damage: dict[str, JournalCorrupt] = {}
        self._distrusted: set[str] = set()  # until the whole journal was folded again
        self._aside = Aside(_failed)
        self._one = asyncio.Lock()

    def check(self, key: str) -> None:
        """Raise `JournalCorrupt` if the journal before a snapshot that was believed was found damaged."""
        damage = self._damage.pop(key, None)
        if damage is not None:
            self._distrusted.add(key)
            raise damage

    async def begin(self, key: str) -> tuple[Known, float | None]:
        """Give what the newest snapshot knows, and when its last record was written; without one, nothing."""
        found = await self._store.snapshot(key)
        if found is None or key in self._distrusted:
            return Known(), None
        snapshot, anchor = found
        read = await self._read(snapshot, anchor)
        if isinstance(read, Unusable):
            log.warning("%s: its snapshot is not used, and its journal is folded: %s", key, read.why)
            await self._store.drop_snapshot(key)
            return Known(), None
        if key not in self._walked:
            self._to_walk.add(key)
        return Known(state=read, seq=snapshot.seq, chain=snapshot.chain), anchor.at if anchor else None

    async def _read(self, snapshot: Snapshot, anchor: Anchor | None) -> RepoState | Unusable:
        if snapshot.core != self._core:
            return Unusable(why="another version of failres made it")
        if anchor is None or anchor.digest != snapshot.chain:
            return Unusable(why="the journal does not hold the record that it names")
        return await asyncio.to_thread(_state_of, snapshot, self._limits.snapshot_bytes)

    def after_turn(self, key: str, known: Known) -> None:
        """Begin what a turn need not wait for: the first look at what stands before a snapshot, and a new snapshot if
        enough was recorded since the last.
        """
        self._distrusted.discard(key)
        if key in self._to_walk:
            self._to_walk.discard(key)
            self._walked.add(key)
            self._aside.begin(partial(self._walk, key))
        rested = self._clock.now() >= self._kept_at.get(key, 0.0) + self._limits.snapshot_rest
        if known.unkept >= self._limits.snapshot_every and rested and key not in self._writing:
            known.unkept, self._kept_at[key] = 0, self._clock.now()
            self._writing.add(key)
            self._aside.begin(partial(self._write, key, known.seq, known.chain, known.state))

    async def _walk(self, key: str) -> None:
        """Check the whole chain once. Where it does not hold, the next turn says so, and those after it fold it all."""
        whole = False
        try:
            async with self._one:
                await self._store.verify(key)
            whole = True
        except JournalCorrupt as damage:
            self._damage[key] = damage
            await self._store.drop_snapshot(key)
            async with self._store.unit() as unit:
                await unit.wake([key])
        finally:
            if not whole:
                self._walked.discard(key)

    async def _write(self, key: str, seq: int, chain: str, state: RepoState) -> None:
        try:
            async with self._one:
                if key in self._damage or key in self._distrusted:
                    return
                now, core, most = self._clock.now(), self._core, self._limits.snapshot_bytes
                made = await asyncio.to_thread(_made, Snapshot(key, seq, chain, core, now, "", b""), state, most)
                if isinstance(made, Unusable):
                    log.warning("%s: no snapshot at record %d: %s; a start folds the journal", key, seq, made.why)
                else:
                    await self._store.keep_snapshot(made)
        finally:
            self._writing.discard(key)

    async def settled(self) -> None:
        """Wait for all that goes on beside the turns."""
        await self._aside.settled()

    async def close(self) -> None:
        """Give it up."""
        await self._aside.close()


def _failed(problem: Exception) -> None:
    if isinstance(problem, StoreUnavailable):
        log.error("snapshots: %s", problem)
    else:
        log.error("a snapshot failed in a way that was not foreseen", exc_info=problem)


def _made(empty: Snapshot, state: RepoState, most: int) -> Snapshot | Unusable:
    found = to_bytes(state, most)
    if isinstance(found, Unusable):
        return found
    full = empty._replace(state=found)
    return full._replace(digest=_digest(full))


def _state_of(snapshot: Snapshot, most: int) -> RepoState | Unusable:
    if snapshot.digest != _digest(snapshot):
        return Unusable(why="its content is not what its digest was made from")
    # Millions of values are made, and none is thrown away: to look for garbage meanwhile would take as long again.
    collecting = gc.isenabled()
    gc.disable()
    try:
        return from_bytes(snapshot.state, most)
    finally:
        if collecting:
            gc.enable()


def _digest(snapshot: Snapshot) -> str:
    """SHA-256, in hex, over what a snapshot belongs to and its bytes."""
    belongs = json.dumps([snapshot.key, snapshot.seq, snapshot.chain, snapshot.core])
    return hashlib.sha256(belongs.encode() + snapshot.state).hexdigest()
