"""JUnit reports of a job: the artifacts that its log says it uploaded, downloaded and read in bounded memory.

What is broken or gone is told in the log of the process; the job's own log then stands alone.
"""

from __future__ import annotations

import asyncio
import io
import logging
import zipfile
import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from bot.github import NotFound, PermissionMissing, Refused, TooLarge
from bot.work.place import Place
from resolver.actions import ReadLog
from resolver.config import matches
from resolver.log.context import LogContext
from resolver.log.junit import JUnitReport, read_junit
from resolver.log.uploads import Upload

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReportLimits:
    """How much of a job's reports is read: artifacts, bytes of one as downloaded and of its XML files together."""

    artifacts: int = 10
    zip_bytes: int = 50_000_000
    xml_bytes: int = 50_000_000
    files: int = 2_000


async def read_reports(
    place: Place, action: ReadLog, uploads: Sequence[Upload], context: LogContext, limits: ReportLimits | None = None
) -> tuple[JUnitReport, ...]:
    """Give the readable reports of the job, in the order of the artifacts' ids and the files' names."""
    limits = limits or ReportLimits()
    named = [upload for upload in uploads if any(matches(pattern, upload.name) for pattern in action.junit)]
    if not named:
        return ()
    found: list[JUnitReport] = []
    async for artifact in _artifacts(place, action, named, limits):
        data = await _download(place, artifact, limits)
        if data is not None:
            told = await asyncio.to_thread(read_zip, data, context, limits)
            for file, problem in ((name, report.problem) for name, report in told if report.problem):
                log.info("artifact %s of job %s: %s: %s", artifact["name"], action.job_id, file, problem)
            found.extend(report for _, report in told if report.problem is None)
    return tuple(found)


async def _artifacts(
    place: Place, action: ReadLog, named: Sequence[Upload], limits: ReportLimits
) -> AsyncIterator[dict[str, Any]]:
    """The run's artifacts that the job uploaded: by id, or the newest of that name where its log tells no id."""
    path = place.path("/actions/runs/{run}/artifacts", run=action.run_id)
    try:
        async with aclosing(place.installation.pages(path, key="artifacts")) as pages:
            listed = [artifact async for artifact in pages]
    except (NotFound, Refused, PermissionMissing) as problem:
        log.info("the artifacts of run %s: %s", action.run_id, problem)
        return
    by_id = {int(artifact["id"]): artifact for artifact in listed}
    by_name = {str(by_id[number]["name"]): by_id[number] for number in sorted(by_id)}
    chosen = [by_name.get(each.name) if each.artifact_id is None else by_id.get(each.artifact_id) for each in named]
    there = {int(artifact["id"]): artifact for artifact in chosen if artifact and not artifact["expired"]}
    for number in sorted(there)[: limits.artifacts]:
        yield there[number]


async def _download(place: Place, artifact: dict[str, Any], limits: ReportLimits) -> bytes | None:
    data = bytearray()
    path = place.path("/actions/artifacts/{id}/zip", id=int(artifact["id"]))
    try:
        async with aclosing(place.installation.download(path, cap_bytes=limits.zip_bytes)) as chunks:
            async for chunk in chunks:
                data += chunk
    except (NotFound, Refused, PermissionMissing, TooLarge) as problem:
        log.info("artifact %s: %s", artifact["name"], problem)
        return None
    return bytes(data)


def read_zip(data: bytes, context: LogContext, limits: ReportLimits) -> list[tuple[str, JUnitReport]]:
    """Give each XML file of a zip with its report; what is wrong with the zip is the problem of an empty one."""
    return list(_read(data, context, limits))


def _read(data: bytes, context: LogContext, limits: ReportLimits) -> Iterator[tuple[str, JUnitReport]]:
    left = limits.xml_bytes
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = [entry for entry in archive.infolist() if entry.filename.lower().endswith(".xml")]
            for entry in sorted(files, key=lambda each: each.filename)[: limits.files]:
                with archive.open(entry) as file:
                    text = file.read(left + 1)
                left -= len(text)
                if left < 0:
                    yield entry.filename, JUnitReport(problem=f"more than {limits.xml_bytes} bytes of XML")
                    return
                yield entry.filename, read_junit(text, context)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as problem:
        yield "the zip", JUnitReport(problem=f"it cannot be read: {problem}")
