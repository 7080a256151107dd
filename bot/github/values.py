"""What goes to GitHub and what comes back, as plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from bot.github.errors import GitHubError, LimitKind

JSON: Final = "application/vnd.github+json"
READS: Final = frozenset({"GET", "HEAD"})


class LimitHit(NamedTuple):
    """A rate limit. `resume_at` is None where GitHub did not say; then at least a minute, longer each time."""

    kind: LimitKind
    resume_at: float | None


class Reply(NamedTuple):
    """A successful answer. `data`: decoded JSON, text for other media types, None for an empty body."""

    status: int
    data: Any
    headers: Mapping[str, str]  # looked up in any case
    from_cache: bool  # True: GitHub said 304, the data is what it sent before
    next_url: str | None = None


def no_trouble(_: Reply) -> None:
    """REST tells by its status alone."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call. `url` is absolute; `path` is the same for people, without host and query."""

    method: str
    url: str
    path: str
    body: Any = None  # None: no body
    accept: str = JSON
    resource: str = "core"  # GitHub keeps REST's and GraphQL's allowance apart
    repeatable: bool = False  # sending it twice is the same as once
    anew: bool = False  # send no condition: a 304 would not do
    reserve: bool = False  # may use what is kept for commands, kill switches and landing
    examine: Callable[[Reply], GitHubError | LimitHit | None] = no_trouble  # GraphQL reports trouble inside a 200

    @property
    def harmless(self) -> bool:
        """It changes nothing that would have to be looked for before it is sent again."""
        return self.repeatable or self.method in READS


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer as it came. `hops`: how many requests it took, redirects included."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    hops: int
