"""From what is known to what is asked: one pull request's `Case`, made of its own executions, its base's, our probes',
and those of other tasks that failed in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from resolver.attribution import Case, Diff, Refusal, TaskFacts
from resolver.casework.beside import base_only, base_unread, claims, marked, never_ran, own_merges
from resolver.casework.queue import own_groups, queue_executions, red_jobs
from resolver.casework.steps import decided
from resolver.conclusions import Meaning, meaning
from resolver.config import RepoConfig
from resolver.executions import Check, Execution, FailedItem, LogState, Own, Side, result_of
from resolver.facts import JobFinished, JobTriaged, ProbeDispatched, RunObserved
from resolver.ids import Fingerprint, Sha
from resolver.other_ci.case import executions as third_party
from resolver.probed import probed_base, speaks, stands_for
from resolver.progress import JobStalled
from resolver.runs import PLAN, task_id
from resolver.stalls import findings_of, stall_finding, standing
from resolver.state import Base, Head, Pull, RepoState, red_ones


def check_of(job: JobFinished | JobStalled, run: RunObserved | None, *, fork: bool = False) -> Check:
    """Give a job's identity. Without its workflow file, its whole name stands for name and matrix values."""
    path = run.path.partition("@")[0] if run else job.workflow
    return Check(workflow=path, job=job.name, event=run.event if run else "", fork=fork)


def print_name(check: Check) -> str:
    """Name a check for fingerprints: without the event, since the base is asked by another one than the task."""
    return f"{check.workflow}: {check.job}"


def make_case(state: RepoState, pull: Pull, now: float, config: RepoConfig, refusals: tuple[Refusal, ...] = ()) -> Case:
    """Give the case of a pull request at its current head."""
    mine = (*_of_task(state, pull), *queue_executions(state, pull, execution_of))
    prints = {item.fingerprint for each in mine for item in each.items}
    executions = decided(marked(state, pull, (*mine, *_of_base(state, pull), *_of_others(state, pull, prints))))
    before = [each for each in state.flakes if each.head_sha != pull.seen.head_sha]
    return Case(
        task=_task(state, pull, config),
        executions=executions,
        flaked=frozenset(each.fingerprint for each in before if each.fingerprint is not None),
        flakes_in_window=frozenset(each.check for each in before if each.at > now - config.flake.window),
        now=now,
        outage=state.outage.on,
        rules=config.attribution,
        refusals=(*refusals, *_unreadable_logs(mine), *_own_base(state, pull, executions)),
        never_ran=never_ran(state, pull, executions),
        own_merges=own_merges(state, executions),
        claims=claims(pull, config),
    )


def _task(state: RepoState, pull: Pull, config: RepoConfig) -> TaskFacts:
    base = state.bases.get(pull.seen.base_ref, Base())
    diff = Diff(files=pull.files.changes, truncated=pull.files.truncated) if pull.files else None
    return TaskFacts(
        task=task_id(pull.seen.number),
        head=pull.seen.head_sha,
        base=base.sha,
        base_line=base.line,
        diff=diff,
        base_only=base_only(pull),
        base_unread=base_unread(state, pull),
        people_pushed_at=pull.pushes,
        stacked_runs=pull.seen.head_ref.startswith(PLAN),
        drift=config.drift,
        drift_verdicts=tuple(each for each in pull.drifts if each.fingerprint not in _drifting(pull)),
    )


def _drifting(pull: Pull) -> frozenset[Fingerprint | None]:
    """The failures whose verdict on this very head is drift: that one stands, and is no second one."""
    return frozenset(each.fingerprint for each in pull.verdicts.values() if each.klass == "base-drift")


def _of_task(state: RepoState, pull: Pull) -> Iterator[Execution]:
    """The executions on the task's head of the jobs that have failed there: what was never red is asked of nobody."""
    head = state.head(pull.seen.head_sha)
    fork = state.repo is not None and pull.seen.head_repo_id != state.repo.repo_id
    task = task_id(pull.seen.number)
    parted = pull.base_changes.merge_base if pull.base_changes is not None else None
    for name in sorted(head.asked()):
        for job in head.named(name):
            ran = execution_of(head, job, side="task", task=task, fork=fork)
            # Where the head itself is tested, the base that it holds is where it left the base branch.
            bare = ran.tested_base is None and job.run_id in head.once(_tested_bare)
            yield ran.model_copy(update={"tested_base": parted}) if bare else ran
    yield from _running(head, pull.seen.head_sha, side="task", task=task, fork=fork)
    yield from (_stalled(head, stall, task=task, fork=fork) for stall in standing(head))
    yield from third_party(head, side="task", task=task, fork=fork)


def _of_base(state: RepoState, pull: Pull) -> Iterator[Execution]:
    """The executions on the base, and our probes of it, of the jobs that have failed on this head."""
    base = state.bases.get(pull.seen.base_ref, Base())
    asked = sorted(state.head(pull.seen.head_sha).asked() | red_jobs(state, pull))
    holding = own_groups(state, pull)
    for sha in base.line:
        if sha in holding:
            continue  # what has landed through the queue is no clean base: it holds the task
        head = state.head(sha)
        for name in asked:
            yield from head.once(_ended_on_base, name)
        yield from head.once(_beside_on_base, sha)
    for probe in state.probes.values():
        head = state.head(probe.dispatched.commit)
        at = probe.dispatched.base_sha
        if probe.dispatched.check.job not in asked:
            continue
        ended = [_probed(head, job, probe.dispatched) for job in head.jobs.values()]
        yield from ended
        if probe.removed is None and not ended:
            yield Execution(
                check=probe.dispatched.check,
                commit=at,
                side="probe",
                run=probe.dispatched.run_id or 0,
                result="running",
            )


def _ended_on_base(head: Head, name: str) -> tuple[Execution, ...]:
    return tuple(execution_of(head, job, side="base") for job in head.named(name))


def _beside_on_base(head: Head, sha: Sha) -> tuple[Execution, ...]:
    return (*_running(head, sha, side="base"), *third_party(head, side="base"))


def _probed(head: Head, job: JobFinished, probe: ProbeDispatched) -> Execution:
    """A probe's job. The one that was asked for stands for the check, whatever file it is in."""
    commit = probed_base(probe, tested_base(head, job.run_id))
    execution = execution_of(head, job, side="probe", commit=commit)
    if not speaks(probe, head, job):
        return execution
    return execution.model_copy(update={"check": stands_for(probe), "told_item": probe.item})


def _of_others(state: RepoState, pull: Pull, prints: set[Fingerprint]) -> Iterator[Execution]:
    """The same failures on other tasks, and those checks' greens there: hints at base and flakes, no excuse."""
    for other in red_ones(state):
        if other.seen.number == pull.seen.number:
            continue
        head = state.head(other.seen.head_sha)
        if prints.isdisjoint(head.once(prints_of)):
            continue
        own: Own = "same-author" if other.seen.author.id == pull.seen.author.id else "no"
        theirs = head.once(_of_other, task_id(other.seen.number), own)
        alike = {each.check for each in theirs if any(item.fingerprint in prints for item in each.items)}
        yield from (each for each in theirs if each.check in alike)


def prints_of(head: Head) -> frozenset[Fingerprint]:
    """Give all failures on a head, those of another CI too."""
    return frozenset(item.fingerprint for each in _of_other(head, "", "no") for item in each.items)


def _of_other(head: Head, task: str, own: Own) -> tuple[Execution, ...]:
    """The executions on another task's head of the jobs that have failed there, or whose logs were read."""
    read = {head.jobs[job_id].name for job_id in head.triaged if job_id in head.jobs}
    jobs = [job for name in sorted(head.asked() | read) for job in head.named(name)]
    ended = (execution_of(head, job, side="task", task=task, own=own) for job in jobs)
    return (*ended, *third_party(head, side="task", task=task, own=own))


def execution_of(
    head: Head,
    job: JobFinished,
    *,
    side: Side,
    task: str | None = None,
    fork: bool = False,
    commit: Sha | None = None,
    own: Own = "no",
) -> Execution:
    """Give what a job that has ended proves, as far as its log is read. A base is known only of what runs on a task."""
    triaged = head.triaged.get(job.job_id)
    check = check_of(job, head.runs.get(job.run_id), fork=fork)
    items = tuple(FailedItem.of(finding) for finding in findings_of(job, triaged, print_name(check)))
    return Execution(
        check=check,
        commit=commit or job.head_sha,
        tested_base=tested_base(head, job.run_id) if side == "task" else None,
        side=side,
        task=task,
        run=job.run_id,
        attempt=job.attempt,
        job_id=job.job_id,
        runner=job.runner or "",
        started_at=job.started_at,
        finished_at=job.completed_at,
        result=result_of(job.conclusion, items),
        items=items,
        passed_items=triaged.passed if triaged else (),
        tests=triaged.tests if triaged else None,
        failed_steps=_steps(job, Meaning.FAILED),
        skipped_steps=_steps(job, Meaning.NOTHING),
        log=_log(job, triaged),
        configuration=job.runs_on,
        own=own,
    )


def _steps(job: JobFinished, ended: Meaning) -> tuple[str, ...]:
    return tuple(step.name for step in job.steps if step.conclusion and meaning(step.conclusion) is ended)


def _log(job: JobFinished, triaged: JobTriaged | None) -> LogState:
    """What came of a job's log. One that failed without a log, and none of whose steps did, died: its runner, or what
    ran it, went away.
    """
    if triaged is None:
        return "unread"
    if not triaged.missing:
        return "read"
    failed = any(meaning(step.conclusion) is Meaning.FAILED for step in job.steps if step.conclusion)
    return "missing" if failed or not job.steps else "died"


def _stalled(head: Head, stall: JobStalled, *, task: str, fork: bool) -> Execution:
    """A job that goes on and gets nowhere: red by its stall, whatever its log will say once it has ended."""
    check = check_of(stall, head.runs.get(stall.run_id), fork=fork)
    return Execution(
        check=check,
        commit=stall.head_sha,
        tested_base=tested_base(head, stall.run_id),
        side="task",
        task=task,
        run=stall.run_id,
        attempt=stall.attempt,
        job_id=stall.job_id,
        runner=stall.runner or "",
        started_at=stall.since,
        finished_at=stall.seen_at,  # it has not ended: this is how far it was seen
        result="failed",
        items=(FailedItem.of(stall_finding(stall, print_name(check))),),
        failed_steps=(stall.step,),
        configuration=stall.runs_on,
    )


def tested_base(head: Head, run_id: int) -> Sha | None:
    """Give the base that a run was tested with. GitHub freezes the merge commit with the run: one log tells for all."""
    return head.once(_tested_bases).get(run_id)


def _tested_bases(head: Head) -> Mapping[int, Sha]:
    told: dict[int, Sha] = {}
    for each in head.triaged.values():
        if each.tested_base is not None:
            told.setdefault(each.run_id, each.tested_base)
    return told


def _tested_bare(head: Head) -> frozenset[int]:
    return frozenset(each.run_id for each in head.triaged.values() if each.tested_head)


def _running(head: Head, sha: Sha, *, side: Side, task: str | None = None, fork: bool = False) -> Iterator[Execution]:
    """What has begun and not ended: the jobs of a run that is being run again."""
    for run in head.runs.values():
        if run.status == "completed":
            continue
        before = [job for job in head.jobs.values() if job.run_id == run.run_id]
        newest: dict[str, int] = {}
        for job in before:
            newest[job.name] = max(job.attempt, newest.get(job.name, 0))
        for job in before:
            if job.attempt == newest[job.name] < run.attempt:
                yield Execution(
                    check=check_of(job, run, fork=fork),
                    commit=sha,
                    side=side,
                    task=task,
                    run=run.run_id,
                    attempt=run.attempt,
                    started_at=run.updated_at or None,
                    result="running",
                )


def _unreadable_logs(executions: Sequence[Execution]) -> Iterator[Refusal]:
    """What GitHub has no log of; while a newer failure of the same check is not read yet, that one is waited for."""
    ended = [each for each in executions if each.result != "running"]
    newest = {(each.check, each.commit): each for each in sorted(ended, key=lambda each: (each.run, each.attempt))}
    for each in executions:
        last = newest.get((each.check, each.commit))
        unread = last is not None and last.log == "unread" and last.result == "failed"
        if each.log in ("missing", "died") and not unread:
            yield Refusal(kind="log", reason="GitHub has no log of it", commit=each.commit, check=each.check)


def _own_base(state: RepoState, pull: Pull, executions: Iterable[Execution]) -> Iterator[Refusal]:
    """A base commit that is the task's own earlier merge is asked nothing: whatever it answers counts for nothing."""
    own = {each.commit for each in executions if each.own == "earlier-merge"}
    if not own:
        return
    asked = {state.bases.get(pull.seen.base_ref, Base()).sha, *(each.tested_base for each in _of_task(state, pull))}
    for commit in sorted(own & {each for each in asked if each}):
        yield Refusal(kind="base", reason=f"the base commit {commit[:7]} is this change, landed before", commit=commit)
