"""The report on a pull request's head: what failed, what it says, and whether what was red is green again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from resolver.attribution import ORDER, Attribution, Want, WantRerun, WantWait
from resolver.casework import check_of, execution_of, print_name
from resolver.casework.beside import claims
from resolver.casework.queue import RedGroup, standing_red
from resolver.conclusions import Meaning, meaning
from resolver.config.misnamed import misnamed
from resolver.decide.ask_model import under_way
from resolver.decide.follow import hindrance
from resolver.decide.invalid_plan import plan_problems, why_held
from resolver.decide.open_now import asked, parked_until
from resolver.decide.paused import asked_at, pause_of
from resolver.decide.repairs_told import repairs_told
from resolver.decide.requeue import in_queue
from resolver.decide.rerunning import waits_for_review
from resolver.decide.rights import DEPENDABOT, config_of, managed
from resolver.decide.running import stalled_checks, unfinished
from resolver.decide.still_open import still_open
from resolver.decide.synced import left_outside, rebased
from resolver.executions import MERGE_GROUP
from resolver.facts import JobFinished
from resolver.facts.decisions import HandoffWritten
from resolver.ids import RunId
from resolver.other_ci import third_party_id
from resolver.other_ci.report import failed_check
from resolver.report import FailedCheck, Held, InQueue, QueueTrouble, Report, Standing
from resolver.runs import run_id
from resolver.stalls import as_failure, findings_of
from resolver.state import Base, Effect, Head, Pull, RepoState, check_id


def compose(
    state: RepoState,
    pull: Pull,
    answer: Attribution | None = None,
    now: float | None = None,
    trouble: QueueTrouble | None = None,
) -> Report:
    """Give everything that is to be said of the pull request's current head; `answer` is what attribution says now.

    What waits is told once it has done so for long; without `now` (seconds), at once. `trouble` is what keeps its merge
    queue from going on.
    """
    head = state.head(pull.seen.head_sha)
    failed = (
        *(_failed_check(head, job, pull.effects.get(f"log:{job.job_id}"), run_id(pull.seen)) for job in head.failed()),
        *(failed_check(pull, head, told) for told in head.failed_third_party()),
    )
    queued = standing_red(state, pull, execution_of)
    failed = (*failed, *stalled_checks(pull, head), *(_failed_in_queue(state, pull, queued) if queued else ()))
    problems, wrong_names = pull.config.problems if pull.config else (), _misnamed(pull)
    base = state.bases.get(pull.seen.base_ref, Base()).config
    return Report(
        number=pull.seen.number,
        head_sha=pull.seen.head_sha,
        state=_overall(pull, head, bool(failed), trouble is not None, bool(problems or wrong_names)),
        failed=failed,
        derived=tuple(sorted(_derived(head))) if failed else (),
        unfinished=unfinished(head, config_of(state, pull).stall, state.steps, now) if failed or now is None else (),
        passed=tuple(sorted(_labels(head)[each] for each in _passed(pull, head))),
        config_problems=problems,
        base_config_problems=base.problems if base else (),
        plan_problems=plan_problems(state, pull),
        misnamed=wrong_names,
        base_misnamed=base.misnamed if base else (),
        was_red=bool(pull.reds),
        from_fork=state.repo is not None and pull.seen.head_repo_id != state.repo.repo_id,
        by_dependabot=pull.seen.author.login == DEPENDABOT,
        base_ref=pull.seen.base_ref,
        managed=managed(state, pull, config_of(state, pull)),
        cause=_cause(state, pull, answer, now),
        held=_held(state, pull),
        repairs=tuple(repairs_told(pull)),
        rebased=rebased(state, pull),
        queue=trouble,
        queued=InQueue(group=queued.commit, again=in_queue(pull)) if queued else None,
        asked=asked(state, pull, now) if failed else None,
        answers=pull.talk.beneath,
    )


def _misnamed(pull: Pull) -> tuple[str, ...]:
    """The files that a pull request brings as the configuration, under a name that nothing reads."""
    changes = pull.files.changes if pull.files else ()
    return misnamed(each.path for each in changes if each.status != "removed")


def _held(state: RepoState, pull: Pull) -> Held | None:
    standing, paused = pull.quarantine, pause_of(state, pull)
    if paused is not None:
        at = asked_at(state, pull)
        return Held(why="run-paused", reason=paused.reason, run=paused.run_id, asked_at=at)
    if standing is None:
        reason = why_held(state, pull)
        return Held(why="plan", reason=reason) if reason is not None else None
    why: Literal["quarantine", "stop-loss"] = "stop-loss" if standing.fact.cause == "stop-loss" else "quarantine"
    always = standing.fact.cause == "sync"
    files = left_outside(pull) if always else ()
    path, unasked = standing.fact.snapshot_bundle, pull.talk.handoffs.get("")
    known = isinstance(unasked, HandoffWritten) and unasked.path == path
    return Held(
        why=why,
        reason=standing.fact.reason,
        final=standing.final,
        always=always,
        files=files,
        bundle=path if known else None,
    )


def _failed_in_queue(state: RepoState, pull: Pull, red: RedGroup) -> Iterator[FailedCheck]:
    """The checks that failed in the merge queue while the head's own runs may all be green."""
    head = state.head(red.commit)
    for job in red.jobs:
        yield _failed_check(head, job, pull.effects.get(f"log:{job.job_id}"), run_id(pull.seen))
    yield from (failed_check(pull, head, told, MERGE_GROUP) for told in red.others)


def _cause(state: RepoState, pull: Pull, answer: Attribution | None, now: float | None) -> Standing:
    """The verdicts that stand on this head, the leading one first, and what is still open."""
    standing = [given.verdict() for given in pull.verdicts.values()]
    standing.sort(key=lambda verdict: (ORDER.index(verdict.klass), verdict.check.key, verdict.item or ""))
    open_ones = still_open(state, pull, answer)
    kinds = dict.fromkeys(_kind(state.head(pull.seen.head_sha), want) for each in open_ones for want in each.wants)
    decided = bool(standing) and (not open_ones or standing[0].klass == ORDER[0])
    lead = standing[0] if decided else None
    return Standing(
        verdicts=tuple(standing),
        lead=lead,
        claims=claims(pull, config_of(state, pull)),
        hindrance=hindrance(state, pull, lead, now),
        outage=state.outage.reason if state.outage.on else None,
        proposed=under_way(pull),
        parked_until=parked_until(pull),
        waiting=tuple(kinds),
        doubts=tuple(dict.fromkeys(each.reason for each in open_ones)),
    )


def _kind(head: Head, want: Want) -> str:
    """Name what is being obtained; in a merge queue another execution is another place in the queue."""
    if isinstance(want, WantRerun) and any(
        job.name == want.check.job and waits_for_review(head, job.run_id) for job in head.failed()
    ):
        return "review"
    queued = isinstance(want, WantRerun) and want.check.event == MERGE_GROUP
    if isinstance(want, WantWait):
        return want.why
    return "requeue" if queued else want.kind


def _failed_check(head: Head, job: JobFinished, reading: Effect | None, our_run: RunId) -> FailedCheck:
    run, triaged = head.runs.get(job.run_id), head.triaged.get(job.job_id)
    missing = triaged.missing if triaged else _unread(reading)
    findings = findings_of(job, triaged, print_name(check_of(job, run)))
    return FailedCheck(
        check=check_id(job, run),
        workflow=run.name if run else job.workflow,
        job=job.name,
        event=run.event if run else "",
        conclusion=job.conclusion,
        run_id=job.run_id,
        attempt=job.attempt,
        job_id=job.job_id,
        url=job.url,
        failures=tuple(as_failure(finding, job, our_run) for finding in findings),
        flaky=triaged.flaky if triaged else (),
        capped=triaged.capped if triaged else 0,
        missing=missing,
    )


def _unread(reading: Effect | None) -> str:
    if reading is None:
        return "not-read"
    return reading.reason or "slow"


def _derived(head: Head) -> set[str]:
    """Jobs that a failed job of the same run took along: cancelled by fail-fast, skipped for want of `needs`, or red
    for nothing else.
    """
    red_runs = {job.run_id for job in head.failed()}
    taken, red = (Meaning.CANCELLED, Meaning.NOTHING), head.derived()
    beside = [job for job in head.current() if job.run_id in red_runs]
    return {job.name for job in beside if meaning(job.conclusion) in taken or job.job_id in red}


def _passed(pull: Pull, head: Head) -> frozenset[str]:
    """Those of the checks that were red on any head that have passed on this one."""
    return pull.reds & head.once(_all_passed) if pull.reds else frozenset()


def _labels(head: Head) -> dict[str, str]:
    """Name the checks of a head as people see them in GitHub's own list."""
    jobs = {}
    for job in head.current():
        run = head.runs.get(job.run_id)
        jobs[check_id(job, run)] = f"{run.name if run else job.workflow} / {job.name}"
    return jobs | {third_party_id(each): each.label for each in head.third_party()}


def _all_passed(head: Head) -> frozenset[str]:
    green = [job for job in head.current() if meaning(job.conclusion) is Meaning.PASSED]
    told = {third_party_id(each) for each in head.third_party() if meaning(each.conclusion) is Meaning.PASSED}
    return frozenset(check_id(job, head.runs.get(job.run_id)) for job in green) | told


def _overall(
    pull: Pull, head: Head, failing: bool, stuck: bool, broken_config: bool
) -> Literal["red", "queue", "config", "green", "quiet"]:
    if failing:
        return "red"
    if stuck:
        return "queue"
    if broken_config:
        return "config"
    if pull.reds:
        return "green" if _mended(pull, head) else "quiet"
    if pull.queue_red is not None or pull.queued is not None:
        return "quiet"  # only the merge queue can show that it is mended, and that lands it
    said_config = pull.comment_id is not None and pull.config is None and pull.files is not None
    return "green" if said_config or (pull.config is not None and pull.comment_id is not None) else "quiet"


def _mended(pull: Pull, head: Head) -> bool:
    """Say whether all that was red has an observed success on this head.

    A check that is gone counts as mended only when every run that is known on the head has succeeded; one of another CI
    only by its own success, since nothing tells that it will not report any more.
    """
    open_reds = pull.reds - _passed(pull, head)
    if not open_reds:
        return True
    runs = head.runs.values()
    paths = {run.path.partition("@")[0] for run in runs}
    gone = all(red.partition(": ")[0] not in ("", *paths) for red in open_reds)
    return bool(runs) and gone and all(run.conclusion == "success" for run in runs)
