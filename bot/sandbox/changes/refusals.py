"""What GitHub answers when it will not do something."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """A change that GitHub does not make: HTTP `status`, `message`, and entries of `errors` (strings or objects)."""

    def __init__(self, status: int, message: str, errors: list[Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors or []


def invalid(resource: str, field: str, code: str = "invalid", message: str | None = None) -> Refused:
    """A 422 `Validation Failed` about one field, as GitHub words it."""
    error: dict[str, Any] = {"resource": resource, "field": field, "code": code}
    if message is not None:
        error["message"] = message
    return Refused(422, "Validation Failed", [error])
