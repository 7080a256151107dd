"""
Which artifacts a job uploaded, from its log: the API lists those of a whole run and does not tell whose they are.

`actions/upload-artifact` ends with `Artifact <name> has been successfully uploaded!`, in newer versions followed by
the artifact's id. Streamed in bounded memory, in linear time.
"""

from __future__ import annotations

import re2

from resolver.records import Record

MOST = 50
LONGEST_REST = 4_096
"""A longer line is cut: the action's own is short."""


class Upload(Record):
    """An artifact that the job says it uploaded; `artifact_id` where the log tells it."""

    name: str
    artifact_id: int | None = None


def _bytewise() -> re2.Options:
    """Bytes, not characters: a log may hold invalid UTF-8."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return options


class UploadScan:
    """Push a log's bytes in any chunking, then close."""

    def __init__(self) -> None:
        self._rest = b""
        self._found: dict[Upload, None] = {}
        self._pattern = re2.compile(
            rb"Artifact (\S[^\r\n]{0,255}?) has been successfully uploaded!"
            rb"(?:[^\r\n]{0,99}Artifact ID is (\d{1,18}))?",
            _bytewise(),
        )

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes."""
        data = self._rest + chunk
        cut = data.rfind(b"\n") + 1
        self._rest = data[cut:][-LONGEST_REST:]
        self._look(data[:cut])

    def close(self) -> tuple[Upload, ...]:
        """End the log."""
        self._look(self._rest)
        self._rest = b""
        return tuple(self._found)

    def _look(self, block: bytes) -> None:
        for found in self._pattern.finditer(block):
            if len(self._found) >= MOST:
                return
            number = found.group(2)
            name = found.group(1).decode("utf-8", "replace")
            self._found[Upload(name=name, artifact_id=int(number) if number else None)] = None
