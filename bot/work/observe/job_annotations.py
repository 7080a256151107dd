"""Reads of GitHub's own annotations of a failed job. An Actions job is a check run; its annotations cost one call."""

from __future__ import annotations

import logging

from bot.github import NotFound, PermissionMissing, Refused
from bot.objects.annotations import PAGE, annotations_of
from bot.work.place import Place
from resolver.log.annotations import Annotation

log = logging.getLogger(__name__)


async def read_job_annotations(place: Place, check_run_id: int) -> tuple[Annotation, ...]:
    """Give the first page of them; none where GitHub gives none, which the process's log says."""
    path = place.path("/check-runs/{id}/annotations", id=check_run_id)
    try:
        return annotations_of(await place.installation.get(path, per_page=PAGE))
    except (NotFound, Refused, PermissionMissing) as problem:
        log.info("the annotations of check run %d: %s", check_run_id, problem)
        return ()
