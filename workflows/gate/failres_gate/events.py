"""What a source of items can say: the words between parsers, the pytest plugin and the watch."""

from __future__ import annotations

from typing import NamedTuple

START, END, STEP, ALIVE, HELLO = "start", "end", "step", "alive", "hello"
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"


class Event(NamedTuple):
    """
    One thing that a test runner said.

    `start` and `end` are of an item, `end` with its result. `step` is progress without an item (a file compiled, a line
    that the config calls progress). `alive` only names what is still running: it is no progress. `hello` says that a
    runner reports by itself, so that its printed lines need not be read. `suite` is a container of items: its failure
    counts only where no item of it is known. `depth` is larger for an item inside another.
    """

    kind: str
    item: str = ""
    result: str = ""
    source: str = ""
    suite: bool = False
    depth: int = 0
    message: str = ""
    stack: str = ""
