"""
What a task changed, read from the patches that GitHub's list of files gives: line ranges, and the names that changed
lines speak of.

Only two questions are asked of it: does a place lie in lines that the task changed, and does the task itself add or
change a failing item. Neither is evidence by itself; both only say whose an observed failure is.
"""

from __future__ import annotations

import re
from typing import Literal

from resolver.executions import FailedItem
from resolver.records import Record

Status = Literal["added", "modified", "removed", "renamed"]

_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)$")
_DEFINES = re.compile(r"\b(?:def|fn|func|function|fun|sub|class|module|describe|context|it|test|void|public|TEST\w*)\b")
_TESTS = re.compile("test|spec|fixture|conftest")
_SEPARATORS = re.compile(r"::| \u203a | > | » |#|\[|\(")


class ChangedFile(Record):
    """
    One file of a task's diff. `lines` are ranges of the new file, both ends included; `text` holds the added lines
    and, above each, the line that defines what it lies in (a hunk's heading or its context). `complete` is False where
    GitHub gave no patch (binary or too large): then nothing is known of its lines. `blob` is GitHub's object id of what
    the file holds, empty where that was not kept.
    """

    path: str
    status: Status = "modified"
    lines: tuple[tuple[int, int], ...] = ()
    text: str = ""
    complete: bool = True
    blob: str = ""

    def speaks_of(self, item: str) -> bool:
        """Say whether an item's own name stands on a changed line, or on the one that a change lies under."""
        name = leaf(item)
        return bool(name) and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self.text) is not None


def read_patch(path: str, status: Status, patch: str | None, blob: str = "") -> ChangedFile:
    """Read one file's patch, as `GET /pulls/{n}/files` gives it."""
    if patch is None:
        return ChangedFile(path=path, status=status, complete=False, blob=blob)
    ranges: list[tuple[int, int]] = []
    text: list[str] = []
    number, around = 0, ""
    for line in patch.split("\n"):
        hunk = _HUNK.match(line)
        if hunk is not None:
            number, around = int(hunk[1]), hunk[2]
        elif line.startswith("+"):
            text += [around, line[1:]]
            if ranges and ranges[-1][1] == number - 1:
                ranges[-1] = (ranges[-1][0], number)
            else:
                ranges.append((number, number))
            number += 1
        elif line.startswith(" "):
            around = line if _DEFINES.search(line) else around
            number += 1
    return ChangedFile(path=path, status=status, lines=tuple(ranges), text="\n".join(text), blob=blob)


class Diff(Record):
    """A task's whole diff at one head. `truncated`: GitHub listed only a part of it."""

    files: tuple[ChangedFile, ...] = ()
    truncated: bool = False

    def file(self, path: str | None) -> ChangedFile | None:
        """Give the changed file that a path in a log names, which may be written with what stands before it."""
        if not path:
            return None
        name = path.replace("\\", "/").removeprefix("./")
        return next((each for each in self.files if name == each.path or name.endswith("/" + each.path)), None)

    @property
    def leaves_tests_alone(self) -> bool:
        """True where it is wholly known and no path in it sounds like a test's: the same tests exist without it."""
        return not self.truncated and not any(_TESTS.search(each.path.lower()) for each in self.files)

    def touches(self, item: FailedItem) -> bool:
        """Say whether the failure names a place in lines that the task changed."""
        for place in item.places:
            changed = self.file(place.path)
            if changed is None or changed.status == "removed" or place.line is None:
                continue
            if changed.status == "added" or any(first <= place.line <= last for first, last in changed.lines):
                return True
        return False

    def adds(self, item: FailedItem) -> bool:
        """Say whether the task itself adds the failing item: its file is new."""
        return any(each.status == "added" for each in self._files_of(item))

    def changes(self, item: FailedItem) -> bool:
        """Say whether the task itself adds or changes the failing item: its name stands on or above a changed line."""
        if item.item is None:
            return False
        return any(each.status == "added" or each.speaks_of(item.item) for each in self._files_of(item))

    def _files_of(self, item: FailedItem) -> list[ChangedFile]:
        """The changed files that hold the item: the one that its name begins with, else a place of its own name."""
        if item.item is None:
            return []
        named = self.file(_SEPARATORS.split(item.item, maxsplit=1)[0].strip())
        if named is not None:
            return [named]
        placed = [self.file(place.path) for place in item.places]
        return [each for each in placed if each is not None and each.speaks_of(item.item)]


def leaf(item: str) -> str:
    """Give the last name of an item: the test itself, without its file, suite and parameters."""
    text = item.partition("[")[0].partition("(")[0].strip()
    return re.split(r"::| \u203a | > | » |#|/|\.", text)[-1].strip()
