"""Which evidence is missing: the reads that a pull request and its repository still need, cheapest first."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.actions import (
    AnyAction,
    FindPull,
    ReadConfig,
    ReadFiles,
    ReadLog,
    ReadPullConfig,
    ReadRuns,
    RemoveProbe,
    SweepPulls,
)
from resolver.casework import check_of, print_name
from resolver.conclusions import Meaning, meaning
from resolver.config import CONFIG_PATH, RepoConfig
from resolver.decide.due import Due, earlier
from resolver.decide.rights import config_of
from resolver.decide.third_party import annotation_reads
from resolver.executions import Check
from resolver.facts import JobFinished, RunObserved
from resolver.ids import Sha
from resolver.limits import Limits
from resolver.probed import has_ended
from resolver.runs import run_id
from resolver.state import Base, Head, Pull, RepoState, red_ones


def reads(state: RepoState, pull: Pull, limits: Limits) -> tuple[AnyAction, ...]:
    """Give the reads that this pull request still needs."""
    number, head_sha = pull.seen.number, pull.seen.head_sha
    wanted: list[AnyAction] = []
    if pull.files is None:
        wanted.append(ReadFiles(number=number, head_sha=head_sha, base_ref=pull.seen.base_ref))
    elif pull.config is None and (CONFIG_PATH in pull.files.files or pull.files.truncated):
        wanted.append(ReadPullConfig(number=number, head_sha=head_sha))
    head = state.head(head_sha)
    if any(job.run_id not in head.runs for job in head.failed()) or _contradicted(pull, head):
        wanted.append(ReadRuns(number=number, head_sha=head_sha, rollup=head.rollup))
    config = config_of(state, pull)
    if state.bases.get(pull.seen.base_ref, Base()).config is not None:  # it names the reports to read with a log
        wanted.extend(logs_of(pull, head, config, limits))
    wanted.extend(_green_logs(pull, head, config))
    wanted.extend(annotation_reads(number, head, limits))
    return tuple(wanted)


def _contradicted(pull: Pull, head: Head) -> bool:
    """Say whether GitHub counts other results than we know, where that matters: webhooks were lost, or are late."""
    seen = head.rollup
    if seen is None or seen == head.read_for:
        return False
    failed, passed = head.once(_counts)
    counts_differ = (seen.failed, seen.passed) != (failed, passed)
    told_until = max((run.updated_at for run in head.runs.values()), default=0.0)
    changed_since = seen.changed_at is not None and seen.changed_at > told_until
    return (counts_differ or changed_since) and bool(seen.failed or failed or pull.reds)


def _counts(head: Head) -> tuple[int, int]:
    """How many results that are shown now failed, and how many passed."""
    conclusions = [job.conclusion for job in head.current()] + [told.conclusion for told in head.third_party()]
    told = [meaning(conclusion) for conclusion in conclusions]
    return told.count(Meaning.FAILED), told.count(Meaning.PASSED)


def logs_of(pull: Pull, head: Head, config: RepoConfig, limits: Limits) -> Iterator[ReadLog]:
    """Give the reads of a commit's failed jobs that are still to be made for a pull request, a few at a time."""
    if pull.files is None:
        return
    waiting = 0
    for job in logs_wanted(head, limits):
        effect = pull.effects.get(f"log:{job.job_id}")
        if job.job_id in head.triaged:
            continue
        if effect is not None and (effect.status == "started" or effect.retry_at is None):
            waiting += effect.status == "started"
            continue
        if waiting >= limits.logs_at_once:
            return
        waiting += effect is None  # one that was refused for now comes back at its time
        yield read_of(pull, head, job, config)


def read_of(pull: Pull, head: Head, job: JobFinished, config: RepoConfig, wanted: tuple[str, ...] = ()) -> ReadLog:
    """Give the read of a job's log for a pull request; `wanted` are items that failed elsewhere."""
    check = check_of(job, head.runs.get(job.run_id))
    failed = meaning(job.conclusion) is Meaning.FAILED
    return ReadLog(
        number=pull.seen.number,
        our_run=run_id(pull.seen),
        job_id=job.job_id,
        run_id=job.run_id,
        attempt=job.attempt,
        head_sha=job.head_sha,
        check=print_name(check),
        workflow=check.workflow if failed else "",
        job=check.job if failed else "",
        failed_steps=tuple(step for step in job.steps if meaning(step.conclusion) is Meaning.FAILED),
        idle=failed and not job.steps,
        wanted=wanted,
        junit=config.junit,
        matchers=config.problem_matchers,
        check_run_id=job.check_run_id if failed else None,
    )


def _green_logs(pull: Pull, head: Head, config: RepoConfig) -> Iterator[ReadLog]:
    """Greens of checks that were red on this very head: whether the failing item ran in them decides about a flake."""
    for job, items in head.once(_greens_beside_reds):
        yield read_of(pull, head, job, config, items)


def _greens_beside_reds(head: Head) -> tuple[tuple[JobFinished, tuple[str, ...]], ...]:
    """The unread greens of checks whose reds are read, each with the items that failed in those."""
    items: dict[Check, set[str]] = {}
    for job_id, told in head.triaged.items():
        job = head.jobs.get(job_id)
        if job is not None and meaning(job.conclusion) is Meaning.FAILED and not told.because_of:
            found = items.setdefault(check_of(job, head.runs.get(job.run_id)), set())
            found.update(failure.item for failure in told.failures if failure.item)
    names = {check.job for check in items}
    unread = (job for job in head.jobs.values() if job.name in names and job.job_id not in head.triaged)
    greens = ((job, check_of(job, head.runs.get(job.run_id))) for job in unread if _passed(job))
    return tuple((job, tuple(sorted(items[check]))) for job, check in greens if check in items)


def _passed(job: JobFinished) -> bool:
    return meaning(job.conclusion) is Meaning.PASSED


def logs_wanted(head: Head, limits: Limits) -> list[JobFinished]:
    """Give the failed jobs whose logs are to be read: capped, and a matrix job that fails alike is not read again."""
    wanted: list[JobFinished] = []
    for job in head.failed():
        if job.run_id in head.runs and len(wanted) < limits.logs_per_head and not _alike(head, job, limits):
            wanted.append(job)
    return wanted


def _alike(head: Head, job: JobFinished, limits: Limits) -> bool:
    """Say whether enough other cells of the same matrix job have been read and failed in one and the same way."""
    if job.job_id in head.triaged:
        return False
    cells = [j for j in head.failed() if (j.run_id, stem(j)) == (job.run_id, stem(job)) and j.job_id in head.triaged]
    prints = {tuple(sorted(f.fingerprint for f in head.triaged[cell.job_id].failures)) for cell in cells}
    return len(cells) >= limits.logs_alike and len(prints) == 1


def stem(job: JobFinished) -> str:
    """Give a job's name without its matrix values. Brackets prove nothing, so this only ever saves a read."""
    return job.name.partition(" (")[0]


def repository_reads(state: RepoState, now: float, limits: Limits) -> Due:
    """Give the reads that the repository needs, and the time of its next regular look."""
    wanted: list[AnyAction] = []
    for ref in sorted({pull.seen.base_ref for pull in state.pulls.values() if pull.seen.state == "open"}):
        base = state.bases.get(ref, Base())
        if base.config is None or (base.sha is not None and base.config_at != base.sha):
            wanted.append(ReadConfig(ref=ref, sha=base.sha))
    wanted.extend(_unowned(state))
    wanted.extend(_ended_probes(state, now, limits))
    watched = tuple(_under_way(state))
    slot = int(now // limits.watch_every)
    begun = slot * limits.watch_every
    wanted.extend(ReadRuns(head_sha=sha, slot=slot) for sha, since in watched if _due_again(state, sha, since, begun))
    last = state.effects.get("sweep")
    next_sweep = 0.0 if last is None else last.started_at + limits.sweep_every
    if now >= next_sweep:
        known = tuple(sorted(number for numbers in state.open_at.values() for number in numbers))
        sweep = last.count if last else 0
        wanted.append(SweepPulls(slot=sweep, own_refs=limits.ceiling == "act", open=known))
        next_sweep = now + limits.sweep_every
    next_watch = (slot + 1) * limits.watch_every if watched else None
    return Due(tuple(wanted), earlier(next_sweep, next_watch))


def _unowned(state: RepoState) -> Iterator[FindPull]:
    """Failed jobs of heads that no known pull request has: their `pull_request` delivery was lost, or is only late."""
    known = {pull.seen.head_sha for pull in state.pulls.values()}
    known |= {probe.dispatched.commit for probe in state.probes.values()}
    for sha, head in state.heads.items():
        run = head.once(_failed_run) if sha not in known else None
        if run is not None:
            yield FindPull(head_sha=sha, head_owner=run.head_owner, head_branch=run.head_branch)


def _failed_run(head: Head) -> RunObserved | None:
    """A pull request's run on a commit that has failed there."""
    runs = (run for run in head.runs.values() if run.event.startswith("pull_request"))
    return next(runs, None) if head.failed() else None


def _under_way(state: RepoState) -> Iterator[tuple[Sha, float]]:
    """Commits whose results somebody waits for, and since when: probes, and bases that red tasks ask."""
    for probe_id, probe in state.probes.items():
        if probe.removed is None:
            started = state.ledger.events.get(probe_id)
            yield probe.dispatched.commit, started.at if started else 0.0
    asked = {pull.seen.base_ref for pull in red_ones(state) if pull.seen.state == "open"}
    for ref in sorted(asked):
        sha = state.bases.get(ref, Base()).sha
        running = [run for run in state.head(sha).runs.values() if run.status != "completed"] if sha else []
        if sha is not None and running:
            yield sha, max(run.updated_at for run in running)


def _due_again(state: RepoState, sha: Sha, since: float, slot_start: float) -> bool:
    """Say whether its runs were neither listed nor asked for since the slot began; webhooks usually are quicker."""
    known = state.effects.get(f"runs:{sha}")
    return since < slot_start and (known is None or known.started_at < slot_start)


def _ended_probes(state: RepoState, now: float, limits: Limits) -> Iterator[RemoveProbe]:
    """The branches of probes that have reported, or that never will."""
    for probe_id, probe in state.probes.items():
        if probe.removed is not None:
            continue
        told = probe.dispatched
        ended = has_ended(told, state.head(told.commit))
        started = state.ledger.events.get(probe_id)
        late = started is not None and now > started.at + limits.probe_patience
        if ended or late:
            reason = "it has reported" if ended else "it never reported"
            yield RemoveProbe(probe_id=probe_id, branch=told.branch, commit=told.commit, reason=reason, pull=told.pull)
