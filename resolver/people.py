"""People and bots as GitHub names them."""

from __future__ import annotations

from resolver.records import Record


class Person(Record):
    """Who did something on GitHub; rights are checked by `id`, never by `login`."""

    id: int
    login: str
    type: str = "User"

    @property
    def is_bot(self) -> bool:
        """True for an App's bot user: what it does is no person's doing."""
        return self.type == "Bot"
