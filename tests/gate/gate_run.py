"""Runs the wrapper as a process, as CI does, and reads what it left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "workflows" / "gate" / "gate.py"
PYTHON = sys.executable
INSTALLED = sorted({plugin.name for plugin in entry_points(group="pytest11")})
"""Plugins of pytest in this environment, whoever needs them; each costs a tenth of a second and more to load."""


def pytest_with(*wanted: str) -> list[str]:
    """A pytest session that starts in a fifth of a second, with these plugins and the wrapper's own."""
    unwanted = [name for name in ("cacheprovider", *INSTALLED) if name not in wanted]
    return [PYTHON, "-m", "pytest", *(word for name in unwanted for word in ("-p", f"no:{name}"))]


PYTEST = pytest_with()
WRAPPER = [PYTHON, "-S", str(SCRIPT)]


def words(code: str) -> list[str]:
    """A Python program as a command; it starts quickly."""
    return [PYTHON, "-S", "-c", code]


@dataclass(frozen=True)
class Outcome:
    """What a call gave: its streams, its status, the records, the last line of stderr."""

    stdout: bytes
    stderr: bytes
    status: int
    progress: Path
    output: Path

    @property
    def records(self) -> list[dict[str, Any]]:
        """Every record, in order."""
        return [json.loads(line) for line in self.progress.read_bytes().splitlines()]

    @property
    def phases(self) -> list[tuple[str, str | None]]:
        """Phase and item of each record; heartbeats aside, since they come by the clock."""
        return [(each["phase"], each.get("item")) for each in self.records if each["phase"] != "heartbeat"]

    @property
    def last(self) -> str:
        """The last line of stderr."""
        return self.stderr.decode().splitlines()[-1]

    @property
    def told(self) -> dict[str, Any]:
        """The last line of stderr, as the contract's JSON."""
        found = json.loads(self.last)
        assert isinstance(found, dict)
        return found


def started(folder: Path, command: Sequence[str], *options: str, **kept: Any) -> subprocess.Popen[bytes]:
    """Start the wrapper; `kept` are Popen's own arguments."""
    line = [*WRAPPER, "--progress", str(folder / "progress.jsonl"), *options, "--", *command]
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST", "COV"))}
    environment.update(kept.pop("env", {}))
    return subprocess.Popen(line, env=environment, **kept)


def outcome_of(process: subprocess.Popen[bytes], folder: Path, limit: float = 15) -> Outcome:
    """Wait for a wrapper whose streams are pipes."""
    stdout, stderr = process.communicate(timeout=limit)
    progress = folder / "progress.jsonl"
    return Outcome(stdout or b"", stderr or b"", process.returncode, progress, folder / "progress.output.log")


def gate(folder: Path, command: Sequence[str], *options: str, **kept: Any) -> Outcome:
    """Run the wrapper to its end."""
    kept = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **kept}
    return outcome_of(started(folder, command, *options, **kept), folder)


def without_own_lines(stderr: bytes) -> bytes:
    """The wrapper's stderr without its first line, and without its last where that is the contract's."""
    _, _, rest = stderr.partition(b"\n")
    head, cut, last = rest.rstrip(b"\n").rpartition(b"\n")
    return head + cut if last.startswith(b'{"failClass"') else rest
