"""What is left to do on a closed pull request: its questions have ended. One that failed in the merge queue, was tried
once more and landed was a flake: that is recorded, and the comment that stands says so.
"""

from __future__ import annotations

from resolver.actions import AnyAction, PostComment
from resolver.attribution import Attribution
from resolver.casework import execution_of
from resolver.casework.queue import groups_of, red_groups
from resolver.conclusions import Meaning, meaning
from resolver.decide.attribute import attribute_pull
from resolver.decide.compose import compose
from resolver.decide.decisions import last_words
from resolver.decide.due import Due, due
from resolver.decide.queue_reads import green_reads
from resolver.decide.requeue import ended_requeues
from resolver.decide.rights import silence
from resolver.facts import GateAttributed, GateReattributed
from resolver.limits import Limits
from resolver.other_ci import third_party_id
from resolver.state import Pull, RepoState, check_id


def landed(state: RepoState, pull: Pull, now: float, limits: Limits) -> Due:
    """Give the last words on a closed pull request; of one that a merge queue has landed after it had failed there the
    reads and verdicts too.
    """
    if silence(state, pull) is not None:
        return Due()
    words = tuple(last_words(state, pull))
    told = due(pull.effects, words, now)
    if not pull.seen.merged or pull.queue_red != pull.seen.head_sha:
        return told
    if not red_groups(state, pull, execution_of) or not _passed(state, pull):
        return told
    found = attribute_pull(state, pull, now, limits)
    given = tuple(fact for fact in found.facts if isinstance(fact, GateAttributed | GateReattributed))
    actions: list[AnyAction] = [*green_reads(state, pull), *_comment(state, pull, found.answer)]
    wanted = due(pull.effects, (*words, *actions), now)
    return Due(wanted.actions, wanted.again_at, (*ended_requeues(state, pull, now), *given))


def _passed(state: RepoState, pull: Pull) -> tuple[str, ...]:
    """The checks that passed in the group that landed."""
    group = groups_of(state, pull)[-1]
    head = state.head(group.seen.head_sha)
    green = (job for job in head.current() if meaning(job.conclusion) is Meaning.PASSED)
    others = (told for told in head.third_party() if meaning(told.conclusion) is Meaning.PASSED)
    return tuple(sorted([*(check_id(job, head.runs.get(job.run_id)) for job in green), *map(third_party_id, others)]))


def _comment(state: RepoState, pull: Pull, answer: Attribution) -> list[PostComment]:
    if pull.comment_id is None:
        return []
    report = compose(state, pull, answer).model_copy(update={"state": "green", "passed": _passed(state, pull)})
    known = pull.effects.get(f"comment:{pull.seen.number}")
    return [
        PostComment(
            number=pull.seen.number,
            report=report,
            resolved=True,
            landed=True,
            comment_id=pull.comment_id,
            hidden=bool(known and known.result.get("hidden")),
        )
    ]
