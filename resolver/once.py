"""What follows from a frozen value is worked out once and kept with it, as long as the value lives.

A fold makes hundreds of commits and a decision looks at all of them: what a commit shows does not change, so the next
decision need not find it out again. A changed value is a new one and has nothing kept. It is no part of the value:
equality, copies by `replace` and the journal do not know it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

T = TypeVar("T")
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Follows:
    """A frozen value that keeps what was worked out from it."""

    _kept: dict[tuple[Any, ...], Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def once(self, work: Callable[Concatenate[Self, P], T], *args: P.args, **more: P.kwargs) -> T:
        """Give what a pure function of a module makes of this value and further plain values; it runs once for them."""
        place = (work, *args, *more.items())
        if place not in self._kept:
            self._kept[place] = work(self, *args, **more)
        return cast(T, self._kept[place])
