"""
Concurrency groups of one repository. Pure bookkeeping.

GitHub: a group has one in progress and one pending; a newer one takes the pending place and the older is cancelled;
with `cancel-in-progress` the one in progress is cancelled too. Names compare without regard to case; runs and jobs
share them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Member: TypeAlias = tuple[Literal["run", "job"], int]


@dataclass(frozen=True)
class Place:
    """Whether a member may go on, and whom its arrival cancels."""

    admitted: bool
    cancels: tuple[Member, ...] = ()


@dataclass
class Groups:
    """Who is in progress and who is pending, by group."""

    holding: dict[str, Member] = field(default_factory=dict)
    pending: dict[str, Member] = field(default_factory=dict)

    def ask(self, group: str, member: Member, *, cancel_in_progress: bool) -> Place:
        """Ask for the group; asking again is harmless."""
        name = group.lower()
        holder, waiting = self.holding.get(name), self.pending.get(name)
        if holder == member:
            return Place(True)
        if holder is None and waiting in {None, member}:
            self.pending.pop(name, None)
            self.holding[name] = member
            return Place(True)
        cancels = [waiting] if waiting is not None and waiting != member else []
        self.pending[name] = member
        if cancel_in_progress and holder is not None:
            cancels.append(holder)
        if holder is None:
            return Place(self.ask(group, member, cancel_in_progress=False).admitted, tuple(cancels))
        return Place(False, tuple(cancels))

    def leave(self, member: Member) -> None:
        """Give up every place of a member."""
        for table in (self.holding, self.pending):
            for name in [name for name, one in table.items() if one == member]:
                del table[name]
