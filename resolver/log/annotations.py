"""GitHub's own annotations of a check run: where a job has no log (lost runner, billing), they are all that is told."""

from __future__ import annotations

from collections.abc import Iterable

from resolver.failure import Place
from resolver.log.classify import LogScan
from resolver.log.context import LogContext
from resolver.log.paths import PathMap
from resolver.log.triage import Triage
from resolver.records import Record
from resolver.secrets import mask

NO_FILE = ".github"
"""GitHub: the path of an annotation that belongs to no file."""


class Annotation(Record):
    """One annotation as the check-run API lists it; `level` is `failure`, `warning` or `notice`.

    GitHub: `path` is relative to the repository's root, `.github` where the annotation belongs to no file; a column is
    given only for an annotation of one line.
    """

    path: str = ""
    line: int | None = None
    col: int | None = None
    level: str = "failure"
    title: str = ""
    message: str = ""


def read_annotations(annotations: Iterable[Annotation], context: LogContext | None = None) -> Triage:
    """
    Classify what failure annotations say, with their places (on files of the repository, where those are known) among
    the errors.
    """
    context = context or LogContext()
    failures = [a for a in annotations if a.level == "failure"]
    scan = LogScan(context)
    for annotation in failures:
        for line in (annotation.title, *annotation.message.splitlines()):
            if line.strip():
                scan.feed(f"##[error]{line}\n".encode("utf-8", "replace"))
    triage = scan.close()
    maps = PathMap(context.repo_paths)
    places = [_place(a, maps) for a in failures]
    told = tuple(p for p in places if p is not None)
    findings = tuple(f.model_copy(update={"source": "annotations"}) for f in triage.findings)
    return triage.model_copy(update={"findings": findings, "errors": (*told, *triage.errors)})


def _place(annotation: Annotation, maps: PathMap) -> Place | None:
    """The annotation's place; none for the runner's own, which point at `.github`."""
    if not maps.find(annotation.path) or annotation.path == NO_FILE:
        return None
    return maps.place(annotation.path, annotation.line, annotation.col, mask(annotation.message))
