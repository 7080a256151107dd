"""The shape that all values of the core share: frozen, closed to unknown keys, camelCase in JSON as the specification writes them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Record(BaseModel):
    """A value. Equal by content, never changed; `model_dump(mode="json", by_alias=True)` gives its JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True)
