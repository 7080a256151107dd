"""Reads of other CI: the check runs and statuses of a commit, and a failed check run's annotations."""

from __future__ import annotations

from bot.github import PermissionMissing
from bot.objects import NotUnderstood
from bot.objects.annotations import PAGE
from bot.objects.third_party import annotations_read, check_begun, check_finished, status_seen
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import ReadCheckAnnotations
from resolver.facts import Fact
from resolver.ids import Sha


async def third_party_at(place: Place, sha: Sha) -> list[Fact]:
    """List what other CI says of a commit.

    An installation that has not granted the statuses yet is told of check runs only (specification, section 17).
    """
    facts: list[Fact] = []
    own = place.github.app_id
    listed = place.installation.pages(
        place.path("/commits/{sha}/check-runs", sha=sha), key="check_runs", filter="latest"
    )
    async for item in listed:
        try:
            check = check_finished(item) or check_begun(item)
        except NotUnderstood:
            continue
        if check is not None and check.app_id != own:
            facts.append(check)
    try:
        async for item in place.installation.pages(place.path("/commits/{sha}/status", sha=sha), key="statuses"):
            try:
                facts.append(status_seen(item, sha))
            except NotUnderstood:
                continue
    except PermissionMissing:
        return facts
    return facts


async def read_check_annotations(place: Place, action: ReadCheckAnnotations) -> Outcome:
    """Read a failed check run's annotations, the first page of them."""
    path = place.path("/check-runs/{id}/annotations", id=action.check_run_id)
    listed = await place.installation.get(path, per_page=PAGE)
    read = annotations_read(action.check, action.check_run_id, action.head_sha, action.completed_at, listed)
    return Outcome((read,))
