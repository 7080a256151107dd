"""Reads of logs: streamed from GitHub through the classifier, in bounded memory; only what a person needs is kept.

Reports and annotations of the job are joined here, so that one fact says all that is known of it.
"""

from __future__ import annotations

import hashlib
from contextlib import aclosing

from bot.github import NotFound, TooLarge
from bot.work.observe.job_annotations import read_job_annotations
from bot.work.observe.matcher_files import matchers_at
from bot.work.observe.needs import failed_needs, failed_needs_by_file
from bot.work.observe.reports import read_reports
from bot.work.observe.tree import files_at
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import ReadLog
from resolver.facts import JobTriaged
from resolver.failure import Failure, Finding
from resolver.failure import Place as CodePlace
from resolver.ids import Sha, TextHash
from resolver.log.annotated import join_annotations, wants_annotations
from resolver.log.annotations import NO_FILE
from resolver.log.cache_keys import CacheKeyScan
from resolver.log.classify import LogContext, LogScan, StepWindow
from resolver.log.limit_told import LimitScan
from resolver.log.matchers import ProblemMatcher
from resolver.log.passed import Passed, PassedScan
from resolver.log.paths import PathMap
from resolver.log.reported import join_failures, join_passed
from resolver.log.tested_base import TestedBaseScan
from resolver.log.triage import Triage
from resolver.log.uploads import UploadScan
from resolver.secrets import mask

NO_LOG = "no-log"
"""The log was not there: for the words, and for whoever decides. A missing log excuses nothing."""


async def read_log(place: Place, action: ReadLog) -> Outcome:
    """Read a failed job's log and triage it; what the log names is mapped to files that exist at the head."""
    scan = LogScan(_context(action, await matchers_at(place, action.head_sha, action.matchers)))
    passed, base, uploads = PassedScan(action.wanted), TestedBaseScan(action.head_sha), UploadScan()
    caches, limit = CacheKeyScan(), LimitScan()
    path = place.path("/actions/jobs/{job}/logs", job=action.job_id)
    try:
        async with aclosing(place.installation.download(path, cap_bytes=place.pace.log_bytes)) as chunks:
            async for chunk in chunks:
                for reader in (scan, passed, base, uploads, caches, limit):
                    reader.feed(chunk)
    except TooLarge:
        pass  # what was read so far is classified; the rest is told by `size`
    triage, seen = scan.close(), passed.close()
    uploaded = uploads.close() if action.junit else ()
    named = any(at.path for finding in triage.findings for at in finding.places)
    paths = await files_at(place, action.head_sha) if named or uploaded else frozenset()
    reports = await read_reports(place, action, uploaded, LogContext(check=action.check, repo_paths=paths))
    if action.failed_steps:
        triage = join_failures(triage, reports)
    triage, paths = await _annotated(place, action, triage, paths)
    told = _triaged(action, triage, join_passed(seen, reports, action.wanted), base.close(), paths)
    names_own = any(not finding.job_level for finding in triage.findings)
    because_of = () if names_own or not action.job else await failed_needs(place, action)
    read = {"caches": caches.close(), "limit": limit.close(), "tested_head": base.head_itself}
    beside = {**read, "because_of": because_of}
    facts = tuple(each.model_copy(update=beside) for each in told.facts)
    return Outcome(facts, texts=told.texts)


async def no_log(place: Place, action: ReadLog, problem: NotFound) -> Outcome:
    """Take what the job's annotations tell, once GitHub was asked for its log long enough; else say so."""
    nothing = LogScan(_context(action, ())).close()
    triage, paths = await _annotated(place, action, nothing, frozenset())
    told = _triaged(action, triage, Passed(), None, paths)
    names_own = any(not finding.job_level for finding in triage.findings)
    because_of = () if names_own or not action.job else await failed_needs_by_file(place, action)
    missing = None if triage.findings else NO_LOG
    facts = tuple(each.model_copy(update={"missing": missing, "because_of": because_of}) for each in told.facts)
    return Outcome(facts, result={"reason": str(problem)}, texts=told.texts)


async def _annotated(
    place: Place, action: ReadLog, triage: Triage, paths: frozenset[str]
) -> tuple[Triage, frozenset[str]]:
    """Add what the annotations of a failed job tell, where its log leaves something open; files that exist count."""
    if action.check_run_id is None or not wants_annotations(triage):
        return triage, paths
    told = await read_job_annotations(place, action.check_run_id)
    if not paths and any(each.path != NO_FILE for each in told):
        paths = await files_at(place, action.head_sha)
    return join_annotations(triage, told, LogContext(check=action.check, repo_paths=paths)), paths


def _triaged(action: ReadLog, triage: Triage, seen: Passed, base: Sha | None, paths: frozenset[str]) -> Outcome:
    files, texts = PathMap(paths), dict[str, str]()
    failures = tuple(_failure(action, finding, files, texts) for finding in triage.findings)
    fact = JobTriaged(
        job_id=action.job_id,
        run_id=action.run_id,
        attempt=action.attempt,
        head_sha=action.head_sha,
        kind=triage.kind,
        tested_base=base,
        failures=failures,
        passed=tuple(mask(name) for name in seen.names),
        tests=seen.tests,
        flaky=triage.flaky,
        capped=triage.capped,
        lines=triage.lines,
        size=triage.bytes,
    )
    return Outcome((fact,), texts=texts)


def _context(action: ReadLog, matchers: tuple[ProblemMatcher, ...]) -> LogContext:
    steps = tuple(
        StepWindow(number=step.number, name=step.name, started_at=step.started_at, completed_at=step.completed_at)
        for step in action.failed_steps
    )
    return LogContext(check=action.check, failed_steps=steps, matchers=matchers)


def _failure(action: ReadLog, finding: Finding, files: PathMap, texts: dict[str, str]) -> Failure:
    """Make the record of a finding: places mapped to the tree, the excerpt moved out to the texts."""
    reference: TextHash | None = None
    if finding.excerpt:
        reference = TextHash(hashlib.sha256(finding.excerpt.encode("utf-8", "surrogatepass")).hexdigest())
        texts[reference] = finding.excerpt
    content = finding.model_dump(exclude={"excerpt", "excerpt_ref", "places"})
    return Failure(
        **content,
        excerpt_ref=reference,
        places=tuple(_mapped(at, files) for at in finding.places),
        task_head=action.head_sha,
        run_id=action.our_run,
        workflow_run_id=action.run_id,
        run_attempt=action.attempt,
    )


def _mapped(at: CodePlace, files: PathMap) -> CodePlace:
    found = files.find(at.path)
    return at.model_copy(update={"path": found, "mapped": True}) if found else at
