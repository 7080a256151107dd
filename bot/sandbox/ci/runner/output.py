"""
What becomes of the lines that a step prints: commands obeyed, secrets masked, problems annotated, all of it logged.

Promises: the log holds what GitHub's would; paths of the job's directory appear as `/home/runner/work/…`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bot.sandbox.ci.log import JobLog
from bot.sandbox.ci.runner.annotations import MOST_PER_LEVEL, Level, annotation
from bot.sandbox.ci.runner.commands import Command, parse_command
from bot.sandbox.ci.runner.matchers import Progress, properties, read_matchers

SHOWN_HOME = "/home/runner"
_LEVELS: dict[str, Level] = {"error": "failure", "warning": "warning", "notice": "notice"}


@dataclass
class JobMemory:
    """What lasts over the steps of a job: masks, matchers, annotations."""

    masks: list[str] = field(default_factory=list)
    matchers: list[Progress] = field(default_factory=list)
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class StepOutput:
    """The output of one step of a job whose `directory` on this machine shows as `/home/runner` in the log."""

    log: JobLog
    memory: JobMemory
    directory: Path
    workspace: Path
    now: Callable[[], float]
    outputs: dict[str, str] = field(default_factory=dict)
    _counts: dict[Level, int] = field(default_factory=dict)
    _stopped: str | None = None

    def take(self, raw: bytes) -> None:
        """Handle one line without its newline."""
        line = raw.decode("utf-8", "surrogateescape")
        bare = line.rstrip("\r")
        if self._stopped is not None:
            if bare.strip() == f"::{self._stopped}::":
                self._stopped = None
            self._write(line)
            return
        command = parse_command(bare)
        if command is None or not self._obey(command):
            self._match(line)

    def annotate(self, level: Level, message: str, given: dict[str, str] | None = None) -> None:
        """Add an annotation, unless the step has had its ten of this level."""
        self._counts[level] = self._counts.get(level, 0) + 1
        if self._counts[level] <= MOST_PER_LEVEL:
            self.memory.annotations.append(
                annotation(level, self.hide(message), given or {}, self.hide(str(self.workspace)))
            )

    def hide(self, text: str) -> str:
        """Replace masked values by `***`, and this machine's directory by the runner's."""
        text = text.replace(str(self.directory), SHOWN_HOME)
        for mask in self.memory.masks:
            text = text.replace(mask, "***")
        return text

    def _obey(self, command: Command) -> bool:
        """Carry out a command; False when it is none and the line is ordinary output."""
        if command.name in _LEVELS:
            self._write(f"##[{command.name}]{command.message}")
            given = {key: self.hide(value) for key, value in command.properties.items()}
            self.annotate(_LEVELS[command.name], command.message, given)
        elif command.name in ("group", "endgroup"):
            self._write(f"##[{command.name}]{command.message}")
        elif command.name == "add-mask":
            self.memory.masks.extend(line for line in command.message.splitlines() if line.strip())
        elif command.name == "stop-commands":
            self._stopped = command.message
            self._write(f"::stop-commands::{command.message}")
        elif command.name == "set-output":
            self.outputs[command.properties.get("name", "")] = command.message
        elif command.name == "add-matcher":
            self._add_matcher(command.message)
        elif command.name == "remove-matcher":
            gone = command.properties.get("owner")
            self.memory.matchers = [one for one in self.memory.matchers if one.matcher.owner != gone]
        else:
            return command.name in ("debug", "save-state", "echo")
        return True

    def _add_matcher(self, name: str) -> None:
        try:
            found = read_matchers((self.workspace / name).read_text())
        except (OSError, ValueError) as error:
            self._write(f"##[warning]Unable to process command '::add-matcher::{name}' successfully: {error}")
            return
        owners = {matcher.owner for matcher in found}
        kept = [one for one in self.memory.matchers if one.matcher.owner not in owners]
        self.memory.matchers = [*kept, *(Progress(matcher) for matcher in found)]

    def _match(self, line: str) -> None:
        for progress in self.memory.matchers:
            found = progress.feed(self.hide(line.rstrip("\r")))
            if found is not None:
                self._problem(progress, found, line)
                return
        self._write(line)

    def _problem(self, progress: Progress, found: dict[str, str], line: str) -> None:
        severity = (found.get("severity") or progress.matcher.severity or "error").lower()
        name = severity if severity in _LEVELS else "error"
        self._write(f"##[{name}]{line}")
        self.annotate(_LEVELS[name], found.get("message") or line.strip(), properties(found))

    def _write(self, line: str) -> None:
        self.log.add(self.hide(line), self.now())
