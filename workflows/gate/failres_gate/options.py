"""What the command line says, and every default and limit of the wrapper, once."""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple, NoReturn


class Limits(NamedTuple):
    """
    Times in seconds, sizes in bytes.

    `stall_after` holds where none is asked for, and then only from the first item on: a command that reports nothing
    is not ended. `linger` is how long output is still awaited from what a command left running behind it. `slack` is
    how much later than asked the loop may wake; more is a machine asleep and counts for nothing. `blocked` is from when
    on a write waited for a slow reader, or a pattern took its time, which counts for nothing either. `head` and `tail`
    are kept of the output, `line` is looked at of one line, `pattern_seconds` is what a pattern may cost of the
    processor's time for one block of output.
    """

    stall_after: float = 600.0
    grace: float = 10.0
    heartbeat: float = 10.0
    linger: float = 1.5
    slack: float = 1.0
    blocked: float = 0.1
    block: int = 65_536
    head: int = 64 * 1_048_576
    tail: int = 1_048_576
    line: int = 4_096
    excerpt: int = 4_096
    items: int = 1_000
    pattern_seconds: float = 0.5


LIMITS = Limits()


class Options(NamedTuple):
    """
    One call. `strict` says that somebody asked for `stall_after`, so that it counts from the start, whatever the
    command reports. `progress` is None where a fresh folder is to be made.
    """

    command: tuple[str, ...]
    check: str
    stall_after: float
    strict: bool
    grace: float = LIMITS.grace
    progress: str | None = None
    patterns: tuple[re.Pattern[bytes], ...] = ()

    @property
    def heartbeat(self) -> float:
        """Seconds between heartbeats: several within one budget, so that life and progress can be told apart."""
        return min(LIMITS.heartbeat, max(0.05, self.stall_after / 6))


_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_LONGEST = 7 * 86_400.0


def seconds(text: str) -> float:
    """`90s`, `2m`, `1.5h`, `500ms`; a bare number is seconds. Raises ArgumentTypeError."""
    found = re.fullmatch(r"(\d{1,7}(?:\.\d{1,3})?)(ms|s|m|h)?", text)
    value = float(found[1]) * _UNITS[found[2] or "s"] if found else 0.0
    if not 0 < value <= _LONGEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration of up to seven days; write 90s, 20m or 2h")
    return value


def pattern(text: str) -> re.Pattern[bytes]:
    """A regular expression over a line's bytes. Raises ArgumentTypeError."""
    try:
        return re.compile(text.encode())
    except (re.error, RecursionError, OverflowError) as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from error


def parser() -> argparse.ArgumentParser:
    """The options before `--`."""
    made = argparse.ArgumentParser(
        prog="failres gate",
        usage="failres gate [options] -- COMMAND [ARGUMENT ...]",
        description="Run a check, record its progress, end it when it stalls, and say at the end what failed.",
    )
    made.add_argument("--check", default="", metavar="NAME", help="the check's name in the records; else the command's")
    made.add_argument(
        "--stall-after", type=seconds, metavar="TIME", help="end the check after so long without progress, such as 90s"
    )
    made.add_argument("--grace", type=seconds, default=LIMITS.grace, metavar="TIME", help="between TERM and KILL")
    made.add_argument("--progress", metavar="FILE", help="where the records go; the output is kept beside it")
    made.add_argument(
        "--pattern",
        type=pattern,
        action="append",
        default=[],
        metavar="REGEX",
        help="a line that matches is progress; a group named item names what begins there (may be repeated)",
    )
    return made


def read(arguments: list[str]) -> Options:
    """The options of a call. Ends the process with status 2 and a sentence where they make no sense."""
    made = parser()
    if "--" not in arguments:
        if not {"-h", "--help"} & set(arguments):
            _refuse(made, "write the command after --, such as: failres gate -- make test")
        made.parse_args(arguments)
    cut = arguments.index("--")
    known = made.parse_args(arguments[:cut])
    command = tuple(arguments[cut + 1 :])
    if not command:
        _refuse(made, "there is no command after --")
    return Options(
        command=command,
        check=one_line(known.check) or one_line(" ".join(command)),
        stall_after=known.stall_after or LIMITS.stall_after,
        strict=known.stall_after is not None,
        grace=known.grace,
        progress=known.progress,
        patterns=tuple(known.pattern),
    )


def legal(text: str) -> str:
    """Text that every reader of JSON takes: no lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def one_line(text: str, limit: int = 200) -> str:
    """Text that may stand in a record's name: one line, legal, bounded."""
    return re.sub(r"[\x00-\x1f\x7f\x85\u2028\u2029]+", " ", legal(text)).strip()[:limit]


def _refuse(made: argparse.ArgumentParser, why: str) -> NoReturn:
    made.error(why)
