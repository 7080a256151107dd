"""The files by which a step tells the runner things: GITHUB_OUTPUT, GITHUB_ENV, GITHUB_PATH, GITHUB_STEP_SUMMARY."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NAMES = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_STATE")


@dataclass(frozen=True)
class CommandFiles:
    """Fresh empty files for one step."""

    directory: Path

    def create(self) -> dict[str, str]:
        """Make the files; give the variables that name them."""
        self.directory.mkdir(parents=True)
        for name in NAMES:
            (self.directory / name).touch()
        return {name: str(self.directory / name) for name in NAMES}

    def pairs(self, name: str) -> dict[str, str]:
        """The names and values that the step wrote; raises `ValueError` with a sentence when the file is malformed."""
        return read_pairs(self._text(name))

    def lines(self, name: str) -> list[str]:
        """The lines that the step wrote, for GITHUB_PATH."""
        return [line for line in self._text(name).splitlines() if line.strip()]

    def _text(self, name: str) -> str:
        path = self.directory / name
        return path.read_text(errors="replace") if path.exists() else ""


def read_pairs(text: str) -> dict[str, str]:
    """Read `name=value` lines and `name<<DELIMITER` blocks."""
    found: dict[str, str] = {}
    lines = iter(text.splitlines())
    for line in lines:
        if not line:
            continue
        name, equals, value = line.partition("=")
        block, arrows, delimiter = line.partition("<<")
        if arrows and (not equals or len(block) < len(name)):
            found[block] = "\n".join(_until(lines, delimiter))
        elif equals and name:
            found[name] = value
        else:
            raise ValueError(f"Invalid format '{line}'")
    return found


def _until(lines: Iterator[str], delimiter: str) -> list[str]:
    taken: list[str] = []
    for line in lines:
        if line == delimiter:
            return taken
        taken.append(line)
    raise ValueError(f"Invalid value. Matching delimiter not found '{delimiter}'")
