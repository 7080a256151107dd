"""Which base a pull request's run was tested with, from the checkout's own words: `HEAD is now at … Merge <head> into
<base>`; or that the head itself was checked out, without a merge.

GitHub tests the merge commit of head and base, frozen when the run was made; the API does not tell which base that was.
A push of the branch, or a checkout with `ref:`, tests the head as it is.
"""

from __future__ import annotations

import re

from resolver.ids import Sha

_MERGE = re.compile(rb"Merge ([0-9a-f]{40}) into ([0-9a-f]{40})")
_NOW_AT = re.compile(rb"HEAD is now at ([0-9a-f]{7,40})\b")
_REACH = len("HEAD is now at  Merge  into ") + 160


class TestedBaseScan:
    """Push a log's bytes in any chunking, then close. Only a merge of the given head counts, and only the first.

    `head_itself`: no such merge was named, and the first commit that was checked out is the head.
    """

    def __init__(self, head: Sha) -> None:
        self._head = head.encode()
        self._rest = b""
        self._base: Sha | None = None
        self._first: bytes | None = None

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        if self._base is not None:
            return
        data = self._rest + chunk
        if self._first is None and (at := _NOW_AT.search(data)) and at.end() < len(data):
            self._first = at.group(1)
        for found in _MERGE.finditer(data):
            if found.group(1) == self._head:
                self._base = Sha(found.group(2).decode())
                return
        self._rest = data[-_REACH:]

    def close(self) -> Sha | None:
        """End the log; None where it names no such merge."""
        return self._base

    @property
    def head_itself(self) -> bool:
        """Say whether the head was tested as it is."""
        return self._base is None and self._first is not None and self._head.startswith(self._first)
