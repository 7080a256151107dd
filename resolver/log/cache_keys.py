"""
Which caches a job used, from its log: the keys that were restored or saved, and the beginnings that it looked for.

Streamed in bounded memory, in linear time. The lines are those of `actions/cache` and of the actions that are built on
it (`setup-*`, setup-uv, rust-cache, setup-ruby); `restore-keys` stand in the group that opens a step of
`actions/cache`. A log belongs to whoever wrote the pull request, so that the keys are good for its own caches only.
"""

from __future__ import annotations

import re

import re2

from resolver.records import Record
from resolver.secrets import mask

MOST = 20
"""A job that names more caches is told of no more."""

LONGEST_REST = 8_192
"""A longer line, and a longer group of a step's inputs, is cut."""

_GROUP = b"##[group]Run actions/cache"
_END = b"##[endgroup]"
_STAMP = re.compile(rb"^\xef?\xbb?\xbf?\d{4}-\d\d-\d\dT[\d:.]{8,20}Z ")
_INPUT = re.compile(rb"^  ([a-zA-Z-]{1,64}): ?(.*)$")


class CacheKeys(Record):
    """The keys of the caches that a job used, and beginnings of keys that it would have taken as well."""

    exact: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()

    def mean(self, key: str) -> bool:
        """Say whether the cache of that key is one of the job's."""
        return key in self.exact or any(key.startswith(each) for each in self.beginnings)

    def joined(self, other: CacheKeys) -> CacheKeys:
        """Give both jobs' together."""
        return CacheKeys(
            exact=tuple(dict.fromkeys((*self.exact, *other.exact))),
            beginnings=tuple(dict.fromkeys((*self.beginnings, *other.beginnings))),
        )


def _bytewise() -> re2.Options:
    """Bytes, not characters: a log may hold invalid UTF-8."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return options


_KEY = rb"([^\s,][^\r\n,]{0,511}?)"  # GitHub: a key has at most 512 characters and no comma
_NAMED = re2.compile(
    rb"(?m)(?:Cache restored from key: |Cache hit for(?: restore-key)?: |Cache saved with (?:the )?key: "
    rb"|GitHub Actions cache with key: |Found cache for key: )" + _KEY + rb"\r?$"
    rb"|Cache hit occurred on the primary key " + _KEY + rb", not saving cache"
    rb"|Restored from cache key \"" + _KEY + rb"\"",
    _bytewise(),
)


class CacheKeyScan:
    """Push a log's bytes in any chunking, then close."""

    def __init__(self) -> None:
        self._rest = b""
        self._exact: dict[str, None] = {}
        self._beginnings: dict[str, None] = {}

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        data = self._rest + chunk
        cut = data.rfind(b"\n") + 1
        opened = data.rfind(_GROUP)
        if opened >= 0 and data.find(_END, opened) < 0 and len(data) - opened < LONGEST_REST:
            cut = min(cut, data.rfind(b"\n", 0, opened) + 1)
        self._rest = data[cut:][-LONGEST_REST:]
        self._look(data[:cut])

    def close(self) -> CacheKeys:
        """End the log."""
        self._look(self._rest)
        self._rest = b""
        return CacheKeys(exact=tuple(self._exact)[:MOST], beginnings=tuple(self._beginnings)[:MOST])

    def _look(self, block: bytes) -> None:
        if b"ache" not in block or len(self._exact) >= MOST:
            return
        for found in _NAMED.finditer(block):
            key = next(each for each in found.groups() if each is not None)
            self._exact[_text(key)] = None
        at = block.find(_GROUP)
        while at >= 0 and len(self._beginnings) < MOST:
            end = block.find(_END, at)
            self._inputs(block[at : end if end >= 0 else at + LONGEST_REST])
            at = block.find(_GROUP, at + 1)

    def _inputs(self, group: bytes) -> None:
        """Take the lines of `restore-keys`: the input's own, and those below it up to the next input."""
        inside = False
        for raw in group.splitlines():
            line = _STAMP.sub(b"", raw)
            if line.rstrip() == b"env:":  # what follows are no inputs
                return
            named = _INPUT.match(line)
            if named is not None:
                inside = named.group(1) == b"restore-keys"
                line = named.group(2)
            if inside and line.strip():
                self._beginnings[_text(line.strip()[:512])] = None


def _text(key: bytes) -> str:
    return mask(key.decode("utf-8", "replace").strip())
