"""
Signals that reach the wrapper, as bytes in a pipe that its loop reads: nothing happens between two instructions.

A signal that was ignored when the wrapper started (`nohup`) stays ignored, for the command too.
"""

from __future__ import annotations

import os
import signal
from typing import Any

HANDED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
"""Sent on to the command's group."""
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Those of them that are meant to end it."""


class Signals:
    """Collects signals from its making to `close`. `fd` becomes readable when there are some."""

    def __init__(self) -> None:
        self.fd, self._in = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._in, False)
        self._before: dict[int, Any] = {}
        for number in (*HANDED_ON, signal.SIGCHLD, signal.SIGWINCH, signal.SIGTSTP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, _noted)
        signal.set_wakeup_fd(self._in, warn_on_full_buffer=False)

    def take(self) -> list[int]:
        """The numbers of the signals that came since."""
        try:
            return list(os.read(self.fd, 4_096))
        except BlockingIOError:
            return []

    def close(self) -> None:
        """Give the signals back to whom they belonged."""
        signal.set_wakeup_fd(-1)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        os.close(self.fd)
        os.close(self._in)


def _noted(*_: object) -> None:
    """The wakeup descriptor has it."""
