"""What GitHub's GraphQL says when it cannot: an error with a `type` beside the message."""

from __future__ import annotations


class Failed(Exception):
    """`type` is NOT_FOUND, FORBIDDEN, UNPROCESSABLE, RATE_LIMITED and so on."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


def not_found(what: str) -> Failed:
    """GitHub: `Could not resolve to …`."""
    return Failed("NOT_FOUND", f"Could not resolve to {what}.")


FORBIDDEN = "Resource not accessible by integration"
