"""Problem matchers that a repository's configuration names, read at the head that is looked at."""

from __future__ import annotations

import base64
import logging
from collections.abc import Sequence

from bot.github import NotFound
from bot.work.place import Place
from resolver.ids import Sha
from resolver.log.matchers import ProblemMatcher, parse_matchers

log = logging.getLogger(__name__)

MOST_BYTES = 256 * 1024
"""Of one file of matchers; public ones have a few kilobytes."""


async def matchers_at(place: Place, sha: Sha, paths: Sequence[str]) -> tuple[ProblemMatcher, ...]:
    """Give the matchers of those files; one that is missing or broken is told in the log of the process."""
    found: list[ProblemMatcher] = []
    for path in paths:
        try:
            found.extend(parse_matchers(await _text(place, sha, path)))
        except (NotFound, ValueError) as problem:
            log.info("problem matchers of %s at %s: %s", path, sha, problem)
    return tuple(found)


async def _text(place: Place, sha: Sha, path: str) -> str:
    """Raise ValueError where it is no file, or too large a one."""
    item = await place.installation.get(place.path("/contents/{+path}", path=path), ref=sha)
    if not isinstance(item, dict) or item.get("type") != "file" or item.get("encoding") != "base64":
        raise ValueError("it is no file of at most 1 MB")
    data = base64.b64decode(item["content"])
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes")
    return data.decode()
