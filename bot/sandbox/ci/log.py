"""
A job's log in GitHub's frame: a byte-order mark, then lines `2024-01-01T00:00:00.1234567Z text`.

GitHub: GITHUB.md trap 17. Bytes pass unchanged: colours, carriage returns and what is no UTF-8 stay in the log.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

BOM = b"\xef\xbb\xbf"


def stamp(at: float) -> str:
    """A time as the runner writes it: UTC with seven decimals."""
    whole, ticks = divmod(round(at * 10_000_000), 10_000_000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(whole))}.{ticks:07d}Z"


@dataclass
class JobLog:
    """A log while it grows; times are seconds since the epoch and never go back."""

    last: float = 0.0
    _lines: list[bytes] = field(default_factory=list)

    def add(self, text: str | bytes, at: float) -> None:
        """Append a line (or several, at its newlines)."""
        self.last = max(at, self.last)
        prefix = f"{stamp(self.last)} ".encode()
        raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
        self._lines.extend(prefix + line for line in raw.split(b"\n"))

    def group(self, title: str, lines: list[str], at: float) -> None:
        """Append a folded group."""
        for line in (f"##[group]{title}", *lines, "##[endgroup]"):
            self.add(line, at)

    def content(self) -> bytes:
        """The whole file as the log endpoint serves it."""
        return BOM + b"".join(line + b"\n" for line in self._lines)
