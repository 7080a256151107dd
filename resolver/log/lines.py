"""
Lines of a log: cut out of blocks, without colour codes, without the prefixes that CI systems and tools put before them.

Promises linear time and bounded memory: a line is looked at up to `LineLimits.match` characters, whatever its length.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from tomllib import loads

ESC = b"\x1b"
ANSI = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|[@-Z\\^_])")
"""Colour and cursor codes (ECMA-48) and window titles; each alternative is linear."""

MARKER = re.compile(r"##\[(error|warning|notice|debug|command|section|group|endgroup)\]|\[(command)\]")
"""The runner's own marks at a line's start (GITHUB.md 5.17)."""

_STAMP = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


@dataclass(frozen=True, slots=True)
class LineLimits:
    """How much of one line counts, in bytes (raw) and characters (clean)."""

    raw: int = 65_536
    match: int = 4_096


LIMITS = LineLimits()


@dataclass(frozen=True, slots=True)
class CleanLine:
    """
    A line as a rule sees it (`data` is the text in UTF-8). `mark` is the runner's level (`error`, `command`, …) or
    ``""``; `stamp` its time, if it has one.
    """

    text: str
    data: bytes
    mark: str
    stamp: bytes | None


@cache
def prefix_pattern() -> re.Pattern[str]:
    """
    One pattern for all prefixes of `rules/prefixes.toml`.

    The one place where `re` reads a log: the prefixes are anchored, none repeats a repetition, and a test holds them
    to that.
    """
    text = resources.files("resolver.log.rules").joinpath("prefixes.toml").read_text("utf-8")
    return re.compile("^(?:" + "|".join(f"(?:{p})" for p in loads(text)["prefixes"]) + ")")


def strip_colours(block: bytes) -> bytes:
    """The block without colour codes; the same object if it had none."""
    return ANSI.sub(b"", block) if ESC in block else block


def clean(raw: bytes, limit: int = LIMITS.match) -> CleanLine:
    """Take prefixes and the runner's mark off one colourless line; at most `limit` characters are looked at."""
    text = raw[: LIMITS.raw].decode("utf-8", "replace")[:limit].rstrip()
    found = _STAMP.match(raw[3:] if raw.startswith(b"\xef\xbb\xbf") else raw)
    mark = ""
    prefixes = prefix_pattern()
    for _ in range(6):
        hit = prefixes.match(text)
        if hit is not None and hit.end():
            text = text[hit.end() :]
            continue
        marked = MARKER.match(text)
        if marked is None:
            break
        mark = mark or marked[1] or marked[2]
        text = text[marked.end() :]
    return CleanLine(text, text.encode("utf-8", "replace"), mark, found[0] if found else None)


def clean_text(raw: bytes) -> str:
    """The text of one raw line, colours included or not."""
    return clean(strip_colours(raw)).text
