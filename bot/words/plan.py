"""What is wrong with the `failres` block of a description, and what one that can be used looks like. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bot.words.inert import code, fence
from bot.words.lists import listed, rows
from resolver.config import ConfigProblem
from resolver.task_scope import Source, TaskScope

SHOWN: Final = 10
PATHS: Final = 30

_SOURCES: Final[Mapping[Source, str]] = MappingProxyType(
    {
        "block": "as its description said when it was first seen",
        "config": "as the configuration says for its branch",
        "files": "which are the files that it changed when it was first seen",
    }
)

EXAMPLE: Final = "```failres\nscope:\n  - src/shop.py\n  - tests/**\n```"
"""A block that the parser takes; a test keeps it so."""


def unusable_block(why: str) -> str:
    """Say what is wrong; `why` has one problem a line, each with its line in the description."""
    told = [each.partition(": ") for each in why.splitlines()]
    return _told([(place, message) for place, _, message in told])


def plan_told(problems: Iterable[ConfigProblem]) -> str:
    """Say the same where nothing follows from it."""
    return _told([(f"line {each.line}", each.message) for each in problems])


def _told(problems: list[tuple[str, str]]) -> str:
    told = [f"- {place}: {code(message, 300)}" for place, message in problems]
    said = "The `failres` block in the description of this pull request cannot be used:"
    return "\n".join((said, "", *rows(told, SHOWN, last="- {}".format)))


def block_to_mend() -> str:
    """Say what ends the question, with an example to copy."""
    return (
        "Nothing automatic follows here until that is corrected. Edit the description: it is read anew at once, and no "
        "reply is needed. A block that can be used looks like this (`*` stands for any text without a slash, `**` for "
        f"any text):\n\n{fence(EXAMPLE, 'markdown')}\n\n"
        "Without a block, a task may change what the configuration says for its branch, else the files that it changed "
        "when it was first seen. To put this question away, somebody with write access answers by a new comment:"
    )


def may_change(scope: TaskScope) -> str:
    """Say what a task may change, and where that comes from."""
    first, *later = [scope.files, *scope.patterns] if scope.source == "files" else scope.patterns
    told = f"The task may change {_paths(first)}, {_SOURCES[scope.source]}."
    told += "".join(f" Of these, a later description leaves {_paths(group)}." for group in later)
    return told + (f" An answer has added {_paths(scope.answered)}." if scope.answered else "")


def _paths(paths: Sequence[str]) -> str:
    return listed([code(each) for each in paths], PATHS)
