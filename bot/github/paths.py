"""Addresses: a template filled with names that people chose, and the base address of GitHub or of an Enterprise server.

An unescaped `/`, a trailing one or `..` would ask for something else, and GitHub answers that with 404 (GITHUB.md trap
26).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias
from urllib.parse import quote, urlencode, urljoin, urlsplit

_HOLE = re.compile(r"\{(\+?)(\w+)\}")
_KEPT = "/%:@!$&'()*+,;=~-._"  # legal in a path as they are; `%` because the path is already escaped

Query: TypeAlias = str | int | bool | None


def route(template: str, **parts: str | int) -> str:
    """Fill `{name}` with one escaped segment and `{+name}` with several: `route("/repositories/{id}/git/ref/{+ref}",
    id=1, ref="heads/a/b")`.

    Raises ValueError for a part that is empty or would climb (`.`, `..`).
    """

    def filled(hole: re.Match[str]) -> str:
        text = str(parts[hole[2]])
        segments = text.split("/") if hole[1] else [text]
        if any(segment in {"", ".", ".."} for segment in segments):
            raise ValueError(f"{text!r} cannot stand for {{{hole[2]}}} in a path")
        return "/".join(quote(segment, safe="") for segment in segments)

    return _HOLE.sub(filled, template)


def address(base_url: str, path: str, params: Mapping[str, Query]) -> str:
    """The absolute address of a path that begins with `/` and may hold a query; parameters of None are left out."""
    head, _, query = path.partition("?")
    if not head.startswith("/") or head.startswith("//") or any(part in {".", ".."} for part in head.split("/")):
        raise ValueError(f"not a path of GitHub's API: {head!r}")
    pairs = [(name, _written(value)) for name, value in params.items() if value is not None]
    both = "&".join(part for part in (quote(query, safe=_KEPT + "?"), urlencode(pairs)) if part)
    return base_url.rstrip("/") + quote(head, safe=_KEPT) + (f"?{both}" if both else "")


def _written(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def origin(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port: what must be equal before a credential is sent along. Empty for what is no address."""
    try:
        parts = urlsplit(url)
        default = {"https": 443, "http": 80}.get(parts.scheme)
        return parts.scheme, (parts.hostname or "").lower(), parts.port or default
    except ValueError:
        return "", "", None


def redirected(url: str, location: str) -> str | None:
    """Where a redirect leads; None where that is no address, not HTTP, or plain text after TLS."""
    try:
        target = urljoin(url, location)
    except ValueError:
        return None
    scheme, host, _ = origin(target)
    return target if host and scheme in {"https", origin(url)[0]} else None


def graphql_address(base_url: str) -> str:
    """`https://api.github.com/graphql`; an Enterprise server's `https://HOST/api/v3` has it at `/api/graphql`."""
    base = base_url.rstrip("/")
    return base.removesuffix("/v3") + "/graphql" if base.endswith("/api/v3") else base + "/graphql"


def path_of(url: str) -> str:
    """The part of an address that may be shown to people: no host, no query."""
    return urlsplit(url).path
