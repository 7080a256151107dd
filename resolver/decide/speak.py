"""What is to be said: the check run and the one comment, once the evidence at hand is complete enough to be told."""

from __future__ import annotations

from resolver.actions import AnyAction, PostCheck, PostComment
from resolver.attribution import Attribution, WantWait
from resolver.casework import execution_of
from resolver.casework.queue import standing_red
from resolver.decide.asked import buttons
from resolver.decide.ceilings import held_back
from resolver.decide.comment_budget import comments_again_at, may_comment_anew
from resolver.decide.compose import compose
from resolver.decide.due import Due, earlier
from resolver.decide.gate import logs_wanted
from resolver.decide.rights import Silence, config_of, silence
from resolver.decide.running import tell_at
from resolver.decide.third_party import waits_for_annotations
from resolver.limits import Limits
from resolver.report import QueueTrouble, Report
from resolver.state import Head, Pull, RepoState


def speak(
    state: RepoState,
    pull: Pull,
    now: float,
    limits: Limits,
    answer: Attribution | None = None,
    *,
    trouble: QueueTrouble | None = None,
) -> Due:
    """Give the check run and comment that should stand on this pull request now; `trouble` is its merge queue's."""
    quiet = silence(state, pull)
    if quiet not in (None, Silence.CONFIG_BROKEN):
        return Due()
    head = state.head(pull.seen.head_sha)
    found = standing_red(state, pull, execution_of)
    waits = [_waiting_until(pull, each, now, limits) for each in (head, *([state.head(found.commit)] if found else ()))]
    patience = max((at for at in waits if at is not None), default=None) or _soon_known(head, answer, now, limits)
    if patience is not None:
        return Due((), patience)
    report = compose(state, pull, answer, now, trouble)
    actions: list[AnyAction] = []
    check = f"check:{pull.seen.number}:{pull.seen.head_sha}"
    taken_back = report.state == "quiet" and bool(head.stalls)
    mended = report.state == "green" or taken_back
    if report.state in ("red", "queue", "config") or (check in pull.effects and mended):
        offered = buttons(state, pull, report.cause.lead, now, limits) if report.state == "red" else ()
        ceiling = held_back(state, pull, report.cause, now) if report.state == "red" else None
        told = report.model_copy(update={"ceiling": ceiling}) if ceiling is not None else report
        actions.append(PostCheck(number=pull.seen.number, report=told, buttons=offered))
    rules = config_of(state, pull).stall
    again_at = tell_at(head, rules, state.steps, now) if report.failed else None
    if quiet is None and _has_comment(state, pull, report):
        if pull.comment_id is None and not may_comment_anew(state, pull, now):
            again_at = earlier(again_at, comments_again_at(state, pull, now))
        else:
            actions.append(_comment(pull, report))
    return Due(tuple(actions), again_at)


def _has_comment(state: RepoState, pull: Pull, report: Report) -> bool:
    """Say whether there is something to be said in a comment, or to be taken back in the one that stands there."""
    standing = pull.comment_id is not None
    always = report.held is not None and report.held.always
    resolved = report.state == "green" and not always
    taken_back = (standing and bool(state.head(pull.seen.head_sha).stalls)) or always
    untold = resolved and not standing and report.rebased is None  # nobody's branch is moved without a word
    return not ((report.state == "quiet" and not taken_back) or untold)


def _comment(pull: Pull, report: Report) -> PostComment:
    always = report.held is not None and report.held.always
    standing_comment = pull.effects.get(f"comment:{pull.seen.number}")
    hidden = bool(standing_comment and standing_comment.result.get("hidden"))
    return PostComment(
        number=pull.seen.number,
        report=report,
        resolved=report.state == "green" and not always,
        comment_id=pull.comment_id,
        hidden=hidden,
        unfolded=pull.talk.unfolded == pull.seen.head_sha,
    )


def _waiting_until(pull: Pull, head: Head, now: float, limits: Limits) -> float | None:
    """Say until when a report waits for logs and annotations that are being read; None when it need not wait."""
    until: float | None = None
    for job in logs_wanted(head, limits):
        if job.job_id in head.triaged:
            continue
        effect = pull.effects.get(f"log:{job.job_id}")
        if effect is None or effect.status == "started":
            started = effect.started_at if effect else now
            until = earlier(until, started + limits.log_patience)
    for begun in waits_for_annotations(pull, head, limits):
        until = earlier(until, (now if begun is None else begun) + limits.log_patience)
    unknown_runs = any(job.run_id not in head.runs for job in head.failed())
    if unknown_runs and until is None:
        until = now + limits.log_patience
    return until if until is not None and until > now else None


def _soon_known(head: Head, answer: Attribution | None, now: float, limits: Limits) -> float | None:
    """Say until when a report waits for one more read that may change its verdict; counted from the newest failure."""
    if answer is None or not any(isinstance(want, WantWait) and want.brief for want in answer.wants):
        return None
    until = max((job.completed_at or 0.0 for job in head.failed()), default=0.0) + limits.log_patience
    return until if until > now else None
