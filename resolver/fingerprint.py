# ruff: noqa: E501 - the rows of a table are read whole
"""
Fingerprints: the stable key of a failure, equal for the same failure seen again and different when another thing
failed.

A fingerprint is taken over check, failing item, error type and normalised message (specification, section 3). What
changes between two runs of the same failure (times, addresses, hashes, ports, temporary paths, workspaces, line
numbers) becomes a placeholder; what was asserted stays: ``assert 200 == 20`` and ``assert 400 == 20`` are two
failures. Placeholders are numbered where a text has several different values of one sort, so that "a differs from b"
is not "a differs from a".

`VERSION` is part of every fingerprint. A changed algorithm gets a new version, so that what was stored under an old one
is never taken for the same failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import blake2b

from resolver.ids import Fingerprint
from resolver.log.regex import compile_pattern

VERSION = "v1"
MESSAGE_LIMIT = 1_024
"""Characters of a message that count."""

_SORTS = (
    ("space", r"(?:file://)?(?:/(?:home|__w|Users|builds?|github|root|opt|usr|app|src|workspace|var/lib|var/jenkins_home|work|code|repo|project|mnt|data|srv)/|\b[A-Za-z]:[\\/])(?:[\w.@+-]*[/\\]+)*"),
    ("uuid", r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"),
    ("time", r"\b\d{4}[-/]\d\d[-/]\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?)?(?: ?(?:Z\b|UTC\b|[+-]\d\d:?\d\d))?"),
    ("time", r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d\d? )?[A-Z][a-z]{2} (?:\d{1,4} )?[\d:]{4,8}(?: \d{4})?(?: (?:UTC|GMT))?"),
    ("time", r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b"),
    ("time", r"\b\d{8}[-T_]\d{6}\b|_\d{8}[-T_]\d{6}"),
    ("addr", r"\b0[xX][0-9a-fA-F]+\b"),
    ("temp", r"(?:/private)?(?:/var/folders/[\w/+.-]+|(?:/var)?/tmp/[\w./+@-]+)|\b[A-Za-z]:\\Users\\[^\\\s]+\\AppData\\Local\\Temp\\[\w.\\-]+"),
    ("temp", r"\bcc[A-Za-z0-9]{6}\.[os]\b"),
    ("hash", r"\bsha(?:1|256|512)[-:][0-9a-zA-Z+/=]{20,}"),
    ("hex", r"\b[0-9a-f]{7,}\b"),
    ("duration", r"\b\d+(?:\.\d+)? ?(?:ns|us|µs|ms|msec|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b"),
    ("duration", r"\b\d+m\d+(?:\.\d+)?s\b"),
    ("size", r"\b\d+(?:\.\d+)? ?(?:[KMGT]i?B|kB|bytes|Kbytes)\b"),
    ("port", r"(?:\blocalhost|\b(?:\d{1,3}\.){3}\d{1,3}|://[\w.-]+|\[[0-9a-f:]*::[0-9a-f:]*\]):\d{2,5}\b"),
    ("port", r"\bport \d{2,5}\b"),
    ("at", r"\.[A-Za-z]\w{0,7}(?::\d+(?::\d+)?\b|\(\d+(?:,\d+)?\)|:?\[\d+(?:,\d+)?\])"),
    ("at", r"\b[Ll]ines? \d+(?:, col(?:umn)? \d+)?"),
    ("id", r"\b(?:pid|PID|process|thread|Thread|gw)[ :=#-]?\d+\b|==\d+==|\b\d{9,}\b"),
    ("temp", r"\b(?:tmp|temp)[-_]?[A-Za-z_]*\d\w*\b"),
)  # fmt: skip
_ALL = compile_pattern("|".join(f"(?P<{sort}{n}>{pattern})" for n, (sort, pattern) in enumerate(_SORTS)))
_BLANKS = re.compile(r"\s+")
_HEAD = re.compile(r"^(?:\.\w+?(?=[:(\[])|[A-Za-z]+[ :=#-]?(?=\d))")


def normalise(message: str) -> str:
    """
    The message with everything that changes between runs replaced by placeholders, at most `MESSAGE_LIMIT`
    characters. Linear time.
    """
    text = message[: 2 * MESSAGE_LIMIT]
    if any(map(str.isdigit, text)) or "/" in text or "\\" in text:
        text = _replaced(text)
    return _BLANKS.sub(" ", text).strip()[:MESSAGE_LIMIT]


def _replaced(text: str) -> str:
    seen: dict[tuple[str, str], int] = {}
    count: dict[str, int] = {}

    def word(name: str, whole: str) -> str:
        sort = name.rstrip("0123456789")
        if sort == "space":
            return ""
        if sort == "hex":
            plain = len(whole) not in (40, 64) and (whole.isalpha() or (whole.isdigit() and len(whole) < 9))
            if plain:
                return whole
            sort = "id" if whole.isdigit() and len(whole) not in (40, 64) else "hash"
        if (sort, whole) not in seen:
            count[sort] = seen[sort, whole] = count.get(sort, 0) + 1
        number = seen[sort, whole]
        return f"{_kept(sort, whole)}<{sort}{number if number > 1 else ''}>"

    return _ALL.replace(word, text)


def _kept(sort: str, whole: str) -> str:
    """What of a found text says which thing it is: the host before a port, the suffix before a line number."""
    if sort == "port" and ":" in whole:
        return whole[: whole.rindex(":") + 1]
    head = _HEAD.match(whole) if sort in ("at", "id", "port") else None
    return head[0] if head else ""


def fingerprint(check: str, item: str | None, error_type: str, message: str) -> Fingerprint:
    """
    The fingerprint of one failure: ``v1-`` and 16 hex digits. Equal input, equal output, on any machine and version
    of Python.
    """
    parts = (VERSION, check, normalise_item(item or ""), error_type, normalise(message))
    return _digest(parts)


def set_fingerprint(members: Iterable[Fingerprint]) -> Fingerprint:
    """The fingerprint of several failures as a whole, the same in any order; of a single one, its own."""
    distinct = sorted(set(members))
    return distinct[0] if len(distinct) == 1 else _digest(("set", VERSION, *distinct))


_SPACE = compile_pattern(_SORTS[0][1])
_ITEM_LINE = re.compile(r"(\.[A-Za-z]\w{0,7}):\d+(?::\d+)?(?=$|\s|\[)")
_WORKER = re.compile(r"^\[gw\d+\] ")


def normalise_space(path: str) -> str:
    """A path or name without the directory that a CI system checked the repository out to."""
    return _SPACE.sub("", path)


def normalise_item(item: str) -> str:
    """An item's name without what a runner adds: workspace, parallel worker, line number, temporary paths."""
    text = normalise_space(item[:MESSAGE_LIMIT])
    text = _WORKER.sub("", _ITEM_LINE.sub(r"\1", text))
    return _BLANKS.sub(" ", text).strip()


def _digest(parts: Iterable[str]) -> Fingerprint:
    state = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "replace")
        state.update(len(data).to_bytes(4, "big"))
        state.update(data)
    return Fingerprint(f"{VERSION}-{state.hexdigest()}")
