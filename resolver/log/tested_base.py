"""Which base a pull request's run was tested with, from the checkout's own words: `HEAD is now at … Merge <head> into
<base>`.

GitHub tests the merge commit of head and base, frozen when the run was made; the API does not tell which base that was.
"""

from __future__ import annotations

import re

from resolver.ids import Sha

_MERGE = re.compile(rb"Merge ([0-9a-f]{40}) into ([0-9a-f]{40})")
_REACH = len("Merge  into ") + 80


class TestedBaseScan:
    """Push a log's bytes in any chunking, then close. Only a merge of the given head counts, and only the first."""

    def __init__(self, head: Sha) -> None:
        self._head = head.encode()
        self._rest = b""
        self._base: Sha | None = None

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        if self._base is not None:
            return
        data = self._rest + chunk
        for found in _MERGE.finditer(data):
            if found.group(1) == self._head:
                self._base = Sha(found.group(2).decode())
                return
        self._rest = data[-_REACH:]

    def close(self) -> Sha | None:
        """End the log; None where it names no such merge."""
        return self._base
