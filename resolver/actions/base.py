"""What all actions share."""

from __future__ import annotations

from resolver.digest import digest
from resolver.ids import PullNumber
from resolver.records import Record


class Action(Record):
    """`number` is the pull request that wants the action, None for the repository's own."""

    number: PullNumber | None = None

    @property
    def target(self) -> str:
        """What is read or written."""
        raise NotImplementedError

    @property
    def spends(self) -> str | None:
        """The ledger's record of which this is the effect: it is spent from the start, unless nothing happened."""
        return None

    @property
    def key(self) -> str:
        """The identity of this action by its content."""
        return f"{self.target}@{digest(self.model_dump(mode='json', by_alias=True))}"
