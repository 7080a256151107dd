"""What annotates a line of a file, in the form in which the checks API lists it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

Level = Literal["notice", "warning", "failure"]
MOST_PER_LEVEL = 10  # GitHub: ten errors and ten warnings for each step
_MOST_MESSAGE = 64 * 1024


def annotation(level: Level, message: str, properties: Mapping[str, str], workspace: str) -> dict[str, Any]:
    """
    Make an annotation from a command's properties (`file`, `line`, `endLine`, `col`, `endColumn`, `title`).

    A path inside the workspace becomes relative; without a file it belongs to `.github`, line 1, as on GitHub.
    Columns are kept only within one line.
    """
    path = properties.get("file", "")
    start = _positive(properties.get("line"), 1)
    end = max(start, _positive(properties.get("endLine"), start))
    one_line = start == end
    return {
        "path": path.removeprefix(workspace).lstrip("/").removeprefix("./") or ".github",
        "start_line": start,
        "end_line": end,
        "start_column": _column(properties.get("col")) if one_line else None,
        "end_column": _column(properties.get("endColumn") or properties.get("col")) if one_line else None,
        "annotation_level": level,
        "title": properties.get("title") or None,
        "message": message[:_MOST_MESSAGE],
        "raw_details": None,
    }


def _positive(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isdecimal() and int(text) > 0 else otherwise


def _column(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() and int(text) > 0 else None
