"""
A pseudo-terminal for the command where the wrapper itself writes to one, so that colours and progress bars stay.

The command's terminal passes bytes through as they are; the real one keeps on turning them into lines. Typed bytes are
handed over unread, so that Ctrl-C and Ctrl-D mean to the command what they always mean.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import termios
from typing import Any

_INPUT, _OUTPUT, _LOCAL, _CHARACTERS = 0, 1, 3, 6


class Terminal:
    """A pair of ends, and what to put back on the real terminal. `like` is the real one that is written to."""

    def __init__(self, like: int) -> None:
        self._like = like
        self._saved: list[Any] | None = None
        self.master, self.slave = pty.openpty()
        os.set_blocking(self.master, False)
        with contextlib.suppress(termios.error):
            modes = termios.tcgetattr(like)
            modes[_OUTPUT] &= ~termios.OPOST
            termios.tcsetattr(self.slave, termios.TCSANOW, modes)
        self.resize()

    def resize(self) -> None:
        """Give the command's terminal the size of the real one."""
        with contextlib.suppress(OSError):
            size = fcntl.ioctl(self._like, termios.TIOCGWINSZ, bytes(8))
            fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)

    def hand_over_input(self) -> bool:
        """Let typed bytes through unread. False where the real input is no terminal, or another job's."""
        try:
            if os.tcgetpgrp(0) != os.getpgrp():
                return False
            self._saved = termios.tcgetattr(0)
            modes = termios.tcgetattr(0)
            modes[_INPUT] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON)
            modes[_LOCAL] &= ~(termios.ICANON | termios.ECHO | termios.ISIG | termios.IEXTEN)
            modes[_CHARACTERS] = list(modes[_CHARACTERS])
            modes[_CHARACTERS][termios.VMIN], modes[_CHARACTERS][termios.VTIME] = 1, 0
            termios.tcsetattr(0, termios.TCSADRAIN, modes)
        except (OSError, termios.error):
            return False
        return True

    def started(self) -> None:
        """The command has its end; ours would keep the terminal open after it."""
        os.close(self.slave)

    def restore(self) -> None:
        """Put the real terminal back as it was."""
        saved, self._saved = self._saved, None
        if saved is not None:
            with contextlib.suppress(OSError, termios.error):
                termios.tcsetattr(0, termios.TCSADRAIN, saved)
