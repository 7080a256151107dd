"""GitHub's annotations of a check run as values. Pure; one that is not understood is left out."""

from __future__ import annotations

from collections.abc import Iterable

from bot.objects import Json, NotUnderstood, understood
from resolver.log.annotations import Annotation

PAGE = 100
"""So many annotations come with one call; that is enough to say what failed."""


def annotations_of(listed: Iterable[Json]) -> tuple[Annotation, ...]:
    """Read a listing, in its order."""
    return tuple(each for each in map(_annotation, listed) if each is not None)


def _annotation(item: Json) -> Annotation | None:
    try:
        with understood("annotation"):
            whole_line = item.get("start_line") == item.get("end_line")
            return Annotation(
                path=str(item["path"]),
                line=item.get("start_line"),
                col=item.get("start_column") if whole_line else None,
                level=str(item.get("annotation_level") or ""),
                title=str(item.get("title") or ""),
                message=str(item.get("message") or ""),
            )
    except NotUnderstood:
        return None
