"""
The last line: what failed, as failres's input contract has it, `{failClass, scope, message, stack?, attribution?,
item?, outputPath?, exitStatus?}`.

It claims only what the wrapper saw. Messages hold no times and no counts of this one execution, since failures are
compared by them.
"""

from __future__ import annotations

import json
import signal
from typing import Any, NamedTuple

from failres_gate.lines import plain_text
from failres_gate.options import legal
from failres_gate.watch import Watch

LINE = 15_000
"""Characters of the line; the contract takes 16,384, and a CI system may put its own before it."""
MESSAGE = 2_000
STALLED = 124


class Ending(NamedTuple):
    """
    How the check ended. `excerpt` is the end of its output. `stopped` is the signal that the wrapper was sent and
    handed on, `out_of_memory` says that the kernel ended processes for want of memory meanwhile, `disk_full` that the
    wrapper's own files met a full disk. `refused` is why the command did not start.
    """

    status: int
    output_path: str
    excerpt: bytes = b""
    stalled: bool = False
    stopped: int = 0
    out_of_memory: bool = False
    disk_full: bool = False
    refused: str = ""


def last_line(ending: Ending, watch: Watch) -> bytes:
    """The contract's line for an ending that is a failure, without its end of line."""
    fields = _stall(ending, watch) if ending.stalled else _failure(ending, watch)
    fields = {"failClass": fields.pop("failClass"), "scope": "task", **fields}
    fields["message"] = fields["message"][:MESSAGE]
    fields.update(outputPath=ending.output_path[:1_000], exitStatus=ending.status)
    fields = {key: legal(value) if isinstance(value, str) else value for key, value in fields.items() if value}
    return _bounded(fields).encode()


def _bounded(fields: dict[str, Any]) -> str:
    """The line; what makes it too long loses its beginning (a trace) or its end (a message), the rest is left out."""
    line = json.dumps(fields)
    for key in ("stack", "message", "outputPath"):
        while len(line) > LINE and fields.get(key):
            text, surplus = fields[key], max(1, (len(line) - LINE) // 6)
            fields[key] = text[surplus:] if key == "stack" else text[:-surplus]
            line = json.dumps(fields)
    return line


def _stall(ending: Ending, watch: Watch) -> dict[str, Any]:
    item = watch.active_item()
    return {
        "failClass": "task-stalled",
        "message": f"no progress for {spoken(watch.budget)}" + (f" while {item} was running" if item else ""),
        "attribution": "gate-stalled",
        "item": item,
        "stack": plain_text(ending.excerpt),
    }


def _failure(ending: Ending, watch: Watch) -> dict[str, Any]:
    failed = watch.first_failed()
    running = watch.active_item()
    excerpt = plain_text(ending.excerpt)
    if ending.refused:
        return {"failClass": "gate-red-env", "message": ending.refused}
    if ending.disk_full and failed is None:
        return {"failClass": "disk-space-low", "message": "the disk was full while the check ran", "stack": excerpt}
    died = _signal_name(ending.status)
    if died is None and failed is not None:
        others = [item for item in watch.failed if item != failed.item][:20]
        beside = f"also failed: {', '.join(others)}\n" if others else ""
        message = failed.message or f"{failed.item} failed"
        return {
            "failClass": "gate-red-code",
            "message": message,
            "item": failed.item,
            "stack": beside + (failed.stack or excerpt),
        }
    if died is None:
        return {**_by_status(ending), "item": running, "stack": excerpt}
    where = f" while {running} was running" if running else ""
    return {
        "failClass": _class_of(died, ending),
        "message": f"the command was ended by {died}{where}",
        "item": running,
        "stack": excerpt,
    }


def _by_status(ending: Ending) -> dict[str, Any]:
    if ending.status == 127:
        return {"failClass": "gate-red-env", "message": "a command was not found (exit status 127)"}
    if ending.status == 126:
        return {"failClass": "gate-red-env", "message": "a command could not be executed (exit status 126)"}
    return {"failClass": "gate-red-code", "message": f"the command failed with exit status {ending.status}"}


def _class_of(died: str, ending: Ending) -> str:
    """A crash is the code's, want of memory the environment's; who else ended the command is not known."""
    if ending.out_of_memory and died == "SIGKILL":
        return "gate-red-env"
    if ending.stopped or died in ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"):
        return "unknown"
    return "gate-red-code"


def _signal_name(status: int) -> str | None:
    try:
        return signal.Signals(status - 128).name if status > 128 else None
    except ValueError:
        return None


def spoken(seconds: float) -> str:
    """A duration as it is written in options: `90 s`, `0.5 s`."""
    return f"{seconds:g} s"
