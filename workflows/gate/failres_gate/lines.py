"""
From blocks of output to events: cuts lines, drops colour codes, reads each line that may tell of an item.

Memory is bounded whatever the output: of a line without an end only its beginning is kept. Nothing here changes what
the command printed; it reads along.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterable
from typing import Any

from failres_gate.events import START, STEP, Event
from failres_gate.options import LIMITS
from failres_gate.runners import ASCII_WORDS, GO_JSON, OTHER_WORDS, UNFINISHED, read_go_json

_CODES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])")


class PatternTooSlowError(Exception):
    """A pattern took longer for one block than it may."""


class Lines:
    """One stream's lines. `patterns` are what the config calls progress."""

    def __init__(self, patterns: Iterable[re.Pattern[bytes]] = ()) -> None:
        self.patterns = tuple(patterns)
        self.too_slow = False
        self._rest = b""

    def feed(self, chunk: bytes) -> list[Event]:
        """The events of all lines that ended in this chunk, in their order."""
        text = self._rest + chunk.replace(b"\r", b"\n")
        cut = text.rfind(b"\n") + 1
        self._rest = text[cut:][: LIMITS.block]
        return self._events(_plain(text[:cut]))

    def close(self) -> list[Event]:
        """The events of a last line without an end."""
        text, self._rest = self._rest, b""
        return self._events(_plain(text) + b"\n") if text else []

    def unfinished(self) -> list[Event]:
        """What a line without an end says of the item that is running."""
        line = _plain(self._rest[: LIMITS.line])
        if not line:
            return []
        events = (reader.read(line) for reader in UNFINISHED)
        return [event for event in events if event is not None]

    def _events(self, block: bytes) -> list[Event]:
        found: list[tuple[int, Event]] = []
        for word, readers in ASCII_WORDS if block.isascii() else ASCII_WORDS + OTHER_WORDS:
            for at, line in _lines_with(block, word):
                events = (reader.read(line) for reader in readers)
                found += [(at, event) for event in events if event is not None]
        for at, line in _lines_with(block, GO_JSON, LIMITS.block):
            found += [(at, event) for event in read_go_json(line)]
        found += self._matches(block)
        found.sort(key=lambda each: each[0])
        return [event for _, event in found]

    def _matches(self, block: bytes) -> list[tuple[int, Event]]:
        if not self.patterns or not block:
            return []
        if self.too_slow:  # a line must count for something: the check shall not be ended for a pattern's fault
            return [(0, Event(STEP))]
        try:
            with _TimeBox(LIMITS.pattern_seconds):
                return list(self._matching(block))
        except PatternTooSlowError:
            self.too_slow = True
            return [(0, Event(STEP))]

    def _matching(self, block: bytes) -> Iterable[tuple[int, Event]]:
        at = 0
        for line in block.split(b"\n"):
            for each in self.patterns:
                found = each.search(line[: LIMITS.line])
                if found is not None:
                    item = (found.groupdict().get("item") or b"").decode("utf-8", "replace").strip()
                    yield at, Event(START, item, source="pattern") if item else Event(STEP, source="pattern")
                    break
            at += len(line) + 1


def plain_text(data: bytes) -> str:
    """Output as text for a record: no colour codes, no control characters, its last whole lines."""
    text = _plain(data).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return "".join(letter for letter in text if letter in "\n\t" or letter.isprintable()).strip()


def _plain(text: bytes) -> bytes:
    return _CODES.sub(b"", text) if b"\x1b" in text else text


def _lines_with(block: bytes, word: bytes, limit: int = LIMITS.line) -> Iterable[tuple[int, bytes]]:
    """Each line that holds the word, with its place."""
    at = block.find(word)
    while at >= 0:
        start = block.rfind(b"\n", 0, at) + 1
        end = block.find(b"\n", at)
        end = len(block) if end < 0 else end
        yield start, block[start : min(end, start + limit)]
        at = block.find(word, end)


class _TimeBox:
    """
    Raises PatternTooSlowError in the main thread after so many seconds of its own work; the engine looks for signals as
    it works. A busy machine, on which the wrapper has to wait for its turn, is no fault of a pattern.
    """

    def __init__(self, limit: float) -> None:
        self._limit = limit
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGVTALRM, self._over)
        signal.setitimer(signal.ITIMER_VIRTUAL, self._limit)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, self._before)

    def _over(self, *_: object) -> None:
        raise PatternTooSlowError
