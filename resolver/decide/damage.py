"""A damaged journal: the table hands its repository to people, who are told without a record: none can be trusted.

What is said stands on the records that hold by themselves. Each comment is found again by its mark, so that it is
written once; it is words alone, and the last look at GitHub holds it back where failres may not speak.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.actions import AnyAction
from resolver.actions.talk import PostDecision
from resolver.actions.trouble import TellOfTrouble
from resolver.decide.asked_of_run import acted_on, question_of_run
from resolver.decide.rights import config_of, silence
from resolver.ids import PullNumber
from resolver.runs import run_id
from resolver.state import Pull, RepoState

DAMAGED = "journal-corrupt"


def tell_of_damage(state: RepoState, reason: str, now: float) -> tuple[AnyAction, ...]:
    """Give a comment for each run on which failres was acting, as many as an hour may have, and the notifications."""
    concerned = [pull for pull in acted_on(state) if state.active and silence(state, pull) is None]
    firsts: dict[str, Pull] = {}
    for pull in concerned:
        firsts.setdefault(run_id(pull.seen), pull)
    comments = [_comment(state, pull, reason, now) for pull in firsts.values()]
    most = min((config_of(state, pull).comments.per_repository_and_hour for pull in concerned), default=0)
    return (*comments[:most], *_notices(state, concerned, reason, now))


def _comment(state: RepoState, pull: Pull, reason: str, now: float) -> PostDecision:
    asked = question_of_run(state, pull, DAMAGED, reason, now)
    return PostDecision(number=pull.seen.number, head_sha=pull.seen.head_sha, decision=asked)


def _notices(state: RepoState, pulls: list[Pull], reason: str, now: float) -> Iterator[TellOfTrouble]:
    numbers: tuple[PullNumber, ...] = tuple(pull.seen.number for pull in pulls)
    named = [each for pull in pulls for each in config_of(state, pull).notifications.destinations]
    for destination in dict.fromkeys(named):
        yield TellOfTrouble(fail_class=DAMAGED, reason=reason, pulls=numbers, at=now, destination=destination)
