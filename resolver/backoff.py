"""
Waiting: before a `resume`, and while a quota or a rate limit lasts (specification, section 10).

Pure: the draw and the time are given. All durations are in seconds, all times in seconds since the epoch.

The resolver draws from a digest of what it decides on (pull request, head, class, attempt) and not from a source of
chance: the same journal, decided on again after a kill, then gives the same wait, and nothing has to be recorded before
it is drawn. What jitter is for holds all the same: tasks that fail together come back apart.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from math import isfinite
from types import MappingProxyType
from typing import Final

import re2

from resolver.config.sections import Budget
from resolver.records import Record


class ParkLimits(Record):
    """A wait that is asked for is kept inside these, whoever asks: a log belongs to whoever wrote the pull request."""

    shortest: float = 60.0
    longest: float = 86400.0
    text: int = 4096
    """How many characters of a limit's text are read."""


PARK_LIMITS: Final = ParkLimits()


def backoff(attempt: int, draw: float, budget: Budget) -> float:
    """
    The wait before the `resume` of an attempt (from 1): `min(2^attempt x backoff, cap)`, moved by up to the jitter.

    `draw` lies in [0, 1), spread evenly: 0 gives the shortest wait, 0.5 the middle. With the defaults the middles are
    60, 120, 240 and 480 seconds, then 600, each moved by at most 20 %.
    """
    if attempt < 1:
        raise ValueError(f"attempts count from 1, not from {attempt}")
    if not 0 <= draw < 1:
        raise ValueError(f"a draw lies in [0, 1), which {draw} does not")
    doublings = min(attempt, budget.backoff_cap.bit_length())
    middle = min(budget.backoff << doublings, budget.backoff_cap)
    return middle * (1 + budget.backoff_jitter * (2 * draw - 1))


class LimitSigns(Record):
    """What told of a limit: `retry_after` seconds, `reset_at` as a time, and the words of the limit."""

    retry_after: float | None = None
    reset_at: float | None = None
    text: str = ""


def retry_at(now: float, signs: LimitSigns, budget: Budget, limits: ParkLimits = PARK_LIMITS) -> float:
    """
    When a parked task resumes: by `Retry-After`, else by the reset header, else by the limit's words, else by the
    configuration; between a minute and a day from now.
    """
    if signs.retry_after is not None:
        wait = signs.retry_after
    elif signs.reset_at is not None:
        wait = signs.reset_at - now
    else:
        text = signs.text[: limits.text]
        said, until = stated_wait(text), stated_end(text)
        if said is None and until is not None:
            said = until - now
        wait = budget.park_for if said is None else said
    if not isfinite(wait):
        wait = budget.park_for
    return now + min(max(wait, limits.shortest), limits.longest)


_SECONDS: Final[Mapping[str, float]] = MappingProxyType(
    {"ms": 0.001, "milli": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
)
_NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,6})?"
_PART = rf"{_NUMBER}\s?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)"
_ONLY = r"(?:one|an?) (?:second|minute|hour|day)"
_BEFORE = r"(?i)(?:try(?:ing)?|request|available|resets?|wait)(?: again| your request)?"
_SAID = re2.compile(
    rf"{_BEFORE}(?: (?:in|after|for|at least|about|approximately|around|another))*"
    rf":? ((?:{_PART}(?:,? and |,? ?))*{_PART}|{_ONLY})\b"
)
_ONE = re.compile(rf"({_NUMBER})\s?(ms|milli|[smhd])[a-z]*|\b(one|an?) ([smhd])", re.IGNORECASE | re.ASCII)
_END = re2.compile(
    rf"{_BEFORE}(?: (?:at|after|on|until|from))*:? "
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]{1,9})?"
    r" ?(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})"
)


def stated_wait(text: str) -> float | None:
    """The wait that a limit's words state (`try again in 6m30s`, `retry after 20 seconds`), or None."""
    found = _SAID.search(text.encode("utf-8", "replace").decode())
    if found is None:
        return None
    parts = _ONE.findall(found.group(1))
    return sum(float(count or 1) * _SECONDS[(unit or single).lower()] for count, unit, _, single in parts)


def stated_end(text: str) -> float | None:
    """When a limit ends by its words (`resets at 2026-09-21T15:00:00Z`), in seconds; None where no zone is told."""
    found = _END.search(text.encode("utf-8", "replace").decode())
    if found is None:
        return None
    zone = "+00:00" if found.group(2).upper() in ("Z", "UTC", "GMT") else found.group(2)
    try:
        return datetime.fromisoformat(f"{found.group(1)}{zone}").timestamp()
    except ValueError:
        return None
