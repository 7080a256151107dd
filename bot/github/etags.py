"""What GitHub sent before, to be asked for with `If-None-Match`: a 304 does not count against the hour's allowance.

gidgethub keys its cache by address alone, so that two tokens or two media types would share an entry, and hands out the
same object twice (GITHUB.md 7.6). Here each (installation, media type) sees only its own entries, the bound is in bytes
for all together, and what is kept is text, so that every reader gets a fresh value.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, MutableMapping
from typing import Any, Final, NamedTuple, TypeAlias

from cachetools import LRUCache

CACHE_BYTES: Final = 64 * 1024 * 1024
LARGEST_ENTRY: Final = 1024 * 1024
_OVERHEAD: Final = 400  # key, tags and bookkeeping of an entry, roughly

Cached: TypeAlias = tuple[str | None, str | None, Any, str | None]  # gidgethub's: etag, last-modified, data, next page


class _Kept(NamedTuple):
    etag: str | None
    last_modified: str | None
    text: str
    next_url: str | None


class Etags:
    """The entries of the whole process, bounded by bytes; the least recently used go first."""

    def __init__(self, max_bytes: int = CACHE_BYTES) -> None:
        self._kept: LRUCache[tuple[int, str, str], _Kept] = LRUCache(
            max_bytes, getsizeof=lambda kept: len(kept.text) + _OVERHEAD
        )

    def view(self, owner: int, accept: str) -> EtagView:
        """The entries of one installation and media type."""
        return EtagView(self._kept, owner, accept)


class EtagView(MutableMapping[str, Cached]):
    """The mapping by address that gidgethub wants."""

    def __init__(self, kept: LRUCache[tuple[int, str, str], _Kept], owner: int, accept: str) -> None:
        self._kept, self._owner, self._accept = kept, owner, accept

    def __getitem__(self, url: str) -> Cached:
        kept = self._kept[self._owner, self._accept, url]
        return kept.etag, kept.last_modified, json.loads(kept.text), kept.next_url

    def __setitem__(self, url: str, value: Cached) -> None:
        etag, last_modified, data, next_url = value
        text = json.dumps(data, separators=(",", ":"))
        if len(text) <= min(LARGEST_ENTRY, self._kept.maxsize - _OVERHEAD):
            self._kept[self._owner, self._accept, url] = _Kept(etag, last_modified, text, next_url)

    def __delitem__(self, url: str) -> None:
        del self._kept[self._owner, self._accept, url]

    def __iter__(self) -> Iterator[str]:
        return (url for owner, accept, url in list(self._kept) if (owner, accept) == (self._owner, self._accept))

    def __len__(self) -> int:
        return sum(1 for _ in self)
