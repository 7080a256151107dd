"""Keys of the configuration that nothing reads in this version: what is set there changes nothing, and is told so."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic import BaseModel

from resolver.config import RepoConfig

NOT_READ: Final = (
    "adapters",
    "gate.required",
    "ledger.dependents",
    "ledger.repairAttempts",
    "managed.disposable",
    "managed.land",
    "mode.fix",
    "mode.land",
    "mode.repair",
    "repair",
    "story",
)
"""Whole sections or single keys, as the file names them. Whoever makes one of them count takes it off here."""


def unread(config: RepoConfig) -> tuple[str, ...]:
    """Give those that a configuration sets."""
    given = set(_given(config, ""))
    return tuple(key for key in NOT_READ if key in given)


def _given(part: BaseModel, before: str) -> Iterator[str]:
    """The keys that were written, each with the sections around it."""
    for name in part.model_fields_set:
        key = f"{before}{type(part).model_fields[name].alias or name}"
        value = getattr(part, name)
        yield key
        if isinstance(value, BaseModel):
            yield from _given(value, f"{key}.")
