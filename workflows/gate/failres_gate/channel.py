"""
How a test runner's plugin tells its items: a named pipe whose path is in the command's environment.

A pipe needs no space on a disk and survives whatever starts the runner; where the variable or the plugin gets lost on
the way, only the printed lines are left.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

from failres_gate.events import END, FAILED, HELLO, PASSED, SKIPPED, START, STEP, Event
from failres_gate.options import LIMITS

VARIABLE = "FAILRES_GATE_ITEMS"
PLUGINS = Path(__file__).resolve().parents[1] / "pytest_plugin"


class Channel:
    """The reading end. `fd` is -1 where no pipe could be made."""

    def __init__(self) -> None:
        self.fd = -1
        self._folder = ""
        self._rest = b""
        try:
            self._folder = tempfile.mkdtemp(prefix="failres-gate-items-")
            self._path = str(Path(self._folder, "items"))
            os.mkfifo(self._path, 0o600)
            self.fd = os.open(self._path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            self.close()

    def environment(self, inherited: dict[str, str]) -> dict[str, str]:
        """
        The command's environment. pytest finds the plugin by its entry point on PYTHONPATH, so only where it can be
        loaded: a check that sets a PYTHONPATH of its own loses the plugin and nothing else.
        """
        if self.fd < 0:
            return {key: value for key, value in inherited.items() if key != VARIABLE}
        paths = [path for path in (inherited.get("PYTHONPATH"), str(PLUGINS)) if path]
        return {**inherited, "PYTHONPATH": os.pathsep.join(paths), VARIABLE: self._path}

    def read(self) -> list[Event]:
        """What was told since; empty where nothing was."""
        data = b""
        try:
            data = os.read(self.fd, LIMITS.block)
        except OSError:
            return []
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest[: LIMITS.block]
        events = (_event(line) for line in lines)
        return [event for event in events if event is not None]

    def close(self) -> None:
        """Take the pipe away."""
        if self.fd >= 0:
            os.close(self.fd)
        self.fd = -1
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


def _event(line: bytes) -> Event | None:
    """An event as the plugin writes it; anything else is nothing, since any process of the check may write here."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict) or not all(isinstance(value, str) for value in told.values()):
        return None
    kind, result = told.get("event"), told.get("result", "")
    if kind not in (START, END, STEP, HELLO) or (kind == END and result not in (PASSED, FAILED, SKIPPED)):
        return None
    texts = {key: told.get(key, "") for key in ("item", "source", "message", "stack")}
    if kind in (START, END) and not texts["item"]:
        return None
    return Event(kind, result=result, **texts)
