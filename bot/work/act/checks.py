"""Writes the check run **failres**, whose identity is its external id on its commit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.words import check as words
from bot.work.act.fresh import look
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import PostCheck
from resolver.secrets import mask


async def post_check(place: Place, action: PostCheck) -> Outcome:
    """Create the check run, or update the one that is there; annotations go in batches of 50, none of them twice."""
    report = action.report
    refused = await look(place, action.number, report.head_sha, broken_config_too=True)
    if refused is not None:
        return refused
    found = await _find(place, action)
    marks = [{**each, "message": mask(each["message"]), "title": mask(each["title"])} for each in words.marks(report)]
    if found is not None:
        there = [_place_of(mark) async for mark in _marks(place, found)]
        marks = [mark for mark in marks if _place_of(mark) not in there]
    body = _body(place, action)
    batches = [marks[at : at + place.pace.annotations] for at in range(0, len(marks), place.pace.annotations)] or [[]]
    for batch in batches:
        output = {**body["output"], **({"annotations": batch} if batch else {})}
        found = await _write(place, found, {**body, "output": output})
    return Outcome(result={"checkRunId": found})


def _body(place: Place, action: PostCheck) -> dict[str, Any]:
    report = action.report
    return {
        "name": words.NAME,
        "head_sha": report.head_sha,
        "external_id": words.external_id(report),
        "status": "completed",
        "conclusion": "neutral",
        "actions": words.buttons(action.buttons),
        "output": {"title": mask(words.title(report)), "summary": mask(words.summary(report, place.repo_url))},
    }


async def _write(place: Place, found: int | None, body: Mapping[str, Any]) -> int:
    if found is None:
        made = await place.installation.post(place.path("/check-runs"), body)
        return int(made["id"])
    update = {name: value for name, value in body.items() if name != "head_sha"}
    await place.installation.patch(place.path("/check-runs/{id}", id=found), update)
    return found


async def _find(place: Place, action: PostCheck) -> int | None:
    listed = place.installation.pages(
        place.path("/commits/{sha}/check-runs", sha=action.report.head_sha),
        key="check_runs",
        check_name=words.NAME,
        app_id=place.github.app_id,
        filter="all",
    )
    wanted = words.external_id(action.report)
    async for run in listed:
        if run.get("external_id") == wanted:
            return int(run["id"])
    return None


def _marks(place: Place, check_run: int) -> Any:
    return place.installation.pages(place.path("/check-runs/{id}/annotations", id=check_run))


def _place_of(mark: Mapping[str, Any]) -> tuple[Any, ...]:
    return mark["path"], mark["start_line"], mark.get("title"), mark.get("message")
