"""Actions as orders in the outbox: which lane, how urgent, and the way back from a row to an action. Pure."""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import Field, TypeAdapter

from bot.store import Order
from resolver.actions import AnyAction, RerunJobs, SyncBranch
from resolver.actions.model import CallModel
from resolver.actions.queue import DequeuePull, EnqueuePull
from resolver.actions.repairs import TellOfOrphans
from resolver.actions.talk import Notify, PostReply, React, ReadStanding, SetLabel
from resolver.actions.trouble import TellOfTrouble
from resolver.ceilings import WRITES
from resolver.facts import RepoObserved
from resolver.records import Record
from resolver.state import STOP_LABEL

PRIORITY = {
    "read-standing": 5,
    "set-label": 5,
    "react": 8,
    "post-reply": 10,
    "rerun-jobs": 15,
    "sync-branch": 15,
    "remove-reported": 16,
    "enqueue-pull": 15,
    "dequeue-pull": 6,
    "start-probe": 18,
    "start-repair-job": 18,
    "post-check": 20,
    "post-comment": 30,
    "write-handoffs": 31,
    "post-decision": 32,
    "notify": 40,
    "read-log": 50,
    "read-comments": 60,
    "remove-probe": 60,
    "remove-orphans": 65,
    "tell-of-orphans": 66,
    "read-rules": 65,
    "read-queue": 70,
    "sweep-pulls": 70,
}
"""Smaller goes first within a lane (specification, section 18); what is not listed is `USUAL`."""

USUAL = 50


class Assignment(Record):
    """What a worker is given: the action, the ticket under which it was started, and the repository."""

    repo: RepoObserved
    ticket: str
    action: Annotated[AnyAction, Field(discriminator="type")]


_READER: TypeAdapter[Assignment] = TypeAdapter(Assignment)


def writes(action: AnyAction) -> bool:
    """Say whether an action changes anything on GitHub."""
    return isinstance(action, WRITES)


def acts(action: AnyAction) -> bool:
    """Say whether an action changes or tells anything anywhere, so that a kill switch holds it back."""
    return writes(action) or isinstance(action, Notify | TellOfOrphans | TellOfTrouble)


def is_urgent(action: AnyAction) -> bool:
    """Say whether an action may use what is kept of GitHub's allowance for commands, kill switches and landing."""
    if isinstance(action, SetLabel):
        return action.label == STOP_LABEL
    asked = isinstance(action, RerunJobs | SyncBranch) and action.asked
    return asked or isinstance(action, ReadStanding | React | PostReply | EnqueuePull | DequeuePull)


NOTICES = "notify:"
"""What the lanes of notifications begin with: one for each destination of an installation, apart from GitHub's."""


QUESTIONS = "model:"
"""What the lanes of questions to the model begin with: one for each installation."""

ASIDE = (NOTICES, QUESTIONS)
"""Lanes whose orders wait for somebody other than GitHub, so that nobody waits for them."""


def lane(repo: RepoObserved, *, write: bool) -> str:
    """Name the pacing queue: one for the writes of an installation, one for its reads."""
    return f"{'write' if write else 'read'}:{repo.installation_id}"


def order_for(key: str, repo: RepoObserved, action: AnyAction, ticket: str, now: float) -> Order:
    """Make the outbox row of an action."""
    assignment = Assignment(repo=repo, ticket=ticket, action=action)
    write = writes(action)
    destination = action.destination if isinstance(action, Notify | TellOfOrphans | TellOfTrouble) else None
    notice = f"{NOTICES}{repo.installation_id}:{destination}" if destination is not None else None
    question = f"{QUESTIONS}{repo.installation_id}" if isinstance(action, CallModel) else None
    return Order(
        key=key,
        action_key=f"{key}|{ticket}",
        target=action.target,
        lane=notice or question or lane(repo, write=write),
        serial=write or notice is not None,
        priority=PRIORITY.get(action.type, USUAL),
        not_before=now,
        body=json.dumps(assignment.model_dump(mode="json", by_alias=True)),
    )


def assignment_of(order: Order) -> Assignment:
    """Read an outbox row back."""
    return _READER.validate_json(order.body)
