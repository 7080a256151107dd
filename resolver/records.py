"""The shape of the core's values: frozen, closed to unknown keys, camelCase in JSON as the specification has it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Record(BaseModel):
    """A value. Equal by content, never changed; `model_dump(mode="json", by_alias=True)` gives its JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)


def nothing() -> Mapping[Any, Any]:
    """A mapping with nothing in it, which nobody can fill: what a field is before anything is known."""
    return MappingProxyType({})
