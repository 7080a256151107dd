"""The ways in which a call to GitHub does not give what was asked. Their texts never hold a secret.

All of them are raised; a caller that expects one (a ref that may be gone, a rerun that may be refused) catches it and
makes a value of it.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from bot.github.redact import redacted, redacted_value

LimitKind: TypeAlias = Literal["primary", "secondary", "reserve"]


class GitHubError(Exception):
    """A call failed. `str()` is fit for people and for logs."""

    def __init__(self, text: str) -> None:
        super().__init__(redacted(text))


class NotFound(GitHubError):
    """404: not there, not yet there (GitHub lags behind its own webhooks for seconds), or hidden from this App."""

    def __init__(self, path: str, message: str = "") -> None:
        self.path = redacted(path)
        super().__init__(f"GitHub does not find {path}{': ' + message if message else ''}")


class Refused(GitHubError):
    """GitHub said no: any other 4xx, a redirect that must not be followed, or an error that a query names.

    `status`: HTTP status. `message`: GitHub's sentence. `errors`: GitHub's list of details (objects or strings),
    possibly empty.
    """

    def __init__(self, status: int, message: str, errors: Any = ()) -> None:
        self.status = status
        self.message = redacted(message)
        self.errors: list[Any] = (
            redacted_value(list(errors)) if isinstance(errors, list | tuple) else [redacted_value(errors)]
        )
        details = f" {self.errors}" if self.errors else ""
        super().__init__(f"GitHub refused ({status}): {message}{details}")


class QueryFailed(Refused):
    """A GraphQL reply with errors. `data` is what came beside them, possibly None; a mutation may have been carried out
    all the same.
    """

    def __init__(self, errors: list[Any], data: dict[str, Any] | None) -> None:
        self.data = data
        first = errors[0] if errors else None
        message = first.get("message") if isinstance(first, dict) else None
        super().__init__(200, str(message or "the query failed"), errors)

    @property
    def types(self) -> frozenset[str]:
        """GitHub's error types, such as NOT_FOUND, FORBIDDEN, UNPROCESSABLE."""
        return frozenset(str(error.get("type", "")) for error in self.errors if isinstance(error, dict))


class PermissionMissing(GitHubError):
    """403 `Resource not accessible by integration`.

    `accepted`: what GitHub would accept, e.g. `("contents=write", "pull_requests=write")`, alternatives in order; empty
    where it did not say.
    """

    def __init__(self, path: str, accepted: tuple[str, ...] = ()) -> None:
        self.path = redacted(path)
        self.accepted = tuple(redacted(one) for one in accepted)
        wanted = f"; one of these is needed: {', '.join(accepted)}" if accepted else ""
        super().__init__(f"The installation lacks the permission for {path}{wanted}")


class RateLimited(GitHubError):
    """Nothing may be sent now. `resume_at`: seconds since the epoch.

    `kind`: `primary` (the hour's allowance is used up), `secondary` (too fast, too much at once), both of which stop
    the whole installation; `reserve`: only what is kept for commands, kill switches and landing is left, so that calls
    with the reserve may still go.
    """

    def __init__(self, resume_at: float, kind: LimitKind) -> None:
        self.resume_at = resume_at
        self.kind: LimitKind = kind
        super().__init__(f"Rate limit ({kind}); may go on at {resume_at:.0f}")


class Unavailable(GitHubError):
    """No usable answer: 5xx, network, time-out, or something that is not what GitHub sends; after the short retries
    that are safe.

    `maybe_done`: it was a write that may have reached GitHub, so look for its effect before it is sent again.
    """

    def __init__(self, reason: str, *, maybe_done: bool = False) -> None:
        self.reason = redacted(reason)
        self.maybe_done = maybe_done
        doubt = "; the request may have been carried out" if maybe_done else ""
        super().__init__(f"GitHub gave no usable answer: {reason}{doubt}")


class TooLarge(GitHubError):
    """A body was longer than the caller allowed; everything up to the cap was handed over before."""

    def __init__(self, path: str, cap_bytes: int) -> None:
        self.path = redacted(path)
        self.cap_bytes = cap_bytes
        super().__init__(f"{path} is longer than {cap_bytes} bytes")
