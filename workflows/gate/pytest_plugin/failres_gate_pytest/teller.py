"""
Tells the gate wrapper which tests run; silent where there is no wrapper.

Runs in other people's test sessions, so it changes nothing of the session and stops telling at the first fault. With
pytest-xdist it speaks in the controller, which hears of all workers' tests.
"""

from __future__ import annotations

import json
import os
import time
from typing import Any

VARIABLE = "FAILRES_GATE_ITEMS"
LONGEST = 3500  # bytes; a pipe takes up to 4096 at once without mixing them with another writer's
STEP_EVERY = 0.5


class Teller:
    """Writes events to the wrapper's pipe; hooks are pytest's."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._failed: dict[str, tuple[str, str]] = {}
        self._skipped: set[str] = set()
        self._stepped = 0.0
        self.tell(event="hello")

    def tell(self, **event: str) -> None:
        """Write one line, or never again."""
        if self._pipe < 0:
            return
        try:
            os.write(self._pipe, _line(event))
        except OSError:
            self._pipe = -1

    def pytest_collectreport(self, report: Any) -> None:
        """A file that was read is progress; one that could not be is a failed item."""
        if report.failed:
            message, stack = _told(report)
            self.tell(event="end", item=report.nodeid or "collection", result="failed", message=message, stack=stack)
        elif time.time() - self._stepped > STEP_EVERY:
            self._stepped = time.time()
            self.tell(event="step")

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A test begins."""
        self._failed.pop(nodeid, None)
        self._skipped.discard(nodeid)
        self.tell(event="start", item=nodeid)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A test's setup, call or teardown is over; a crashed worker has a report that is none of these."""
        if report.failed:
            self._failed.setdefault(report.nodeid, _told(report))
        elif report.skipped:
            self._skipped.add(report.nodeid)
        if report.when not in ("setup", "call", "teardown"):
            self._end(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """A test is over."""
        self._end(nodeid)

    def _end(self, nodeid: str) -> None:
        failed = self._failed.pop(nodeid, None)
        skipped = nodeid in self._skipped
        self._skipped.discard(nodeid)
        if failed is not None:
            self.tell(event="end", item=nodeid, result="failed", message=failed[0], stack=failed[1])
        else:
            self.tell(event="end", item=nodeid, result="skipped" if skipped else "passed")


def _told(report: Any) -> tuple[str, str]:
    """A failure's message and where it was; both may be empty."""
    crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
    stack = str(getattr(report, "longreprtext", "") or "")
    message = str(getattr(crash, "message", "") or "")
    if not message:
        lines = [line for line in stack.splitlines() if line.strip()]
        message = lines[-1] if lines else ""
    return message[:1000], stack[-3000:]


def _line(event: dict[str, str]) -> bytes:
    """An event in one write; what is too long loses its trace, then its message."""
    event["source"] = "pytest"
    for key in ("", "stack", "message"):
        event.pop(key, None)
        line = json.dumps(event).encode() + b"\n"
        if len(line) <= LONGEST:
            return line
    event["item"] = event["item"][:500]
    return json.dumps(event).encode() + b"\n"


def pytest_configure(config: Any) -> None:
    """Begin to tell, in the first session only: sessions that tests themselves start are not the check's."""
    path = os.environ.pop(VARIABLE, None)
    _stay_unlisted(config)
    if not path:
        return
    try:
        pipe = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        os.set_blocking(pipe, True)
    except OSError:
        return
    config.pluginmanager.register(Teller(pipe), "failres-gate-teller")


def _stay_unlisted(config: Any) -> None:
    """Keep the session's header as it would be without the wrapper."""
    listed = getattr(config.pluginmanager, "_plugin_distinfo", None)
    if isinstance(listed, list):
        listed[:] = [each for each in listed if getattr(each[0], "__name__", "") != __package__]
