"""What can go wrong with the store, in words that say what to do; the drivers' own errors are translated here."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, NotSupportedError, ProgrammingError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_OURS: Final = (IntegrityError, ProgrammingError, DataError, NotSupportedError)
"""Errors of the statement and not of the database: they stay what they are, because they are defects."""

_ADVICE: Final = (
    ("disk is full", "free some space on its disk; nothing was half-written, so the next attempt can go on"),
    ("max_page_count", "free some space on its disk; nothing was half-written, so the next attempt can go on"),
    ("locked", "end the other program that has the database file open"),
    ("readonly", "give this user the right to write to the file and to its directory"),
    ("read-only", "give this user the right to write to the file and to its directory"),
    ("unable to open", "check that its directory exists and that this user may write there"),
    ("malformed", "restore the database file from a backup"),
    ("not a database", "the file is something else, or damaged: name another file, or restore it from a backup"),
    ("disk i/o", "check the disk and the system's log"),
    ("password", "check the user and the password in the store's address"),
    ("does not exist", "create the database and the user, or correct the store's address"),
    ("deadlock", "nothing was written; the next attempt can go on"),
)
_DEFAULT_ADVICE: Final = "check that the database runs and can be reached; the next attempt can go on"


class StoreUnavailable(Exception):
    """The database refused or could not be reached: `what` it is, `why` as the driver says, and what `to_do`."""

    def __init__(self, what: str, why: str, to_do: str) -> None:
        super().__init__(f"{what} is unavailable: {why}. What to do: {to_do}.")
        self.what, self.why, self.to_do = what, why, to_do

    def again(self) -> StoreUnavailable:
        """An equal error, for one more caller: a traceback belongs to one."""
        return StoreUnavailable(self.what, self.why, self.to_do)


class StateDirectoryBusy(StoreUnavailable):
    """Another process holds the state directory `path`."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(
            f"The state directory {path}",
            f"another failres holds it{f' (process {holder})' if holder else ''}",
            "stop that process, or start this one with a state directory of its own; several processes share a "
            "store only on PostgreSQL",
        )
        self.path = path


class LeaseLost(Exception):
    """The lease on `key` no longer holds: it expired and another claim took it. Nothing of the unit was written."""

    def __init__(self, key: str) -> None:
        super().__init__(f"The lease on {key} was taken over; nothing was written.")
        self.key = key


class JournalCorrupt(Exception):
    """The chain of `key` does not hold at record `seq`: the journal was changed by something other than failres."""

    def __init__(self, key: str, seq: int, why: str) -> None:
        super().__init__(f"The journal of {key} is corrupt at record {seq}: {why}.")
        self.key, self.seq, self.why = key, seq, why


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Turn a driver's error within the block into `StoreUnavailable`; defects of a statement pass unchanged."""
    try:
        yield
    except _OURS:
        raise
    except DBAPIError as error:
        raise unavailable(what, error.orig or error) from error
    except (OSError, sqlite3.Error) as error:
        raise unavailable(what, error) from error


def unavailable(what: str, error: BaseException) -> StoreUnavailable:
    """The driver's error as a sentence with advice."""
    why = " ".join(str(error).split()) or type(error).__name__
    advice = next((advice for words, advice in _ADVICE if words in why.lower()), _DEFAULT_ADVICE)
    return StoreUnavailable(what, why.rstrip("."), advice)
