"""One process per state directory: an advisory file lock that the system drops when the process ends, however."""

from __future__ import annotations

import fcntl
import os
from typing import TYPE_CHECKING, Final

from bot.store.errors import StateDirectoryBusy, unavailable

if TYPE_CHECKING:
    from pathlib import Path

LOCK_NAME: Final = "failres.lock"


class DirectoryLock:
    """
    The lock on a state directory, held from making until `release`.

    Creates the directory (for this user alone) if there is none. Raises `StateDirectoryBusy` if another process holds
    it and `StoreUnavailable` if it cannot be written. The file stays: removed, two processes could lock two files.
    """

    def __init__(self, directory: Path) -> None:
        try:
            directory.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise unavailable(f"The state directory {directory}", error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(self._file, 20).decode("ascii", "replace").strip()
            os.close(self._file)
            raise StateDirectoryBusy(directory, holder) from None
        os.truncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """Let go; a second call does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
