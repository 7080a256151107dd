"""What came of an action, as a value that goes back through the inbox."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.orders import Assignment
from bot.store import Delivery, LeasedOrder
from bot.translate import OUTCOME
from resolver.facts import ActionDone, ActionRefused, Fact
from resolver.interruptions import Interruption
from resolver.journal import kind_of, to_json


@dataclass(frozen=True, slots=True)
class Outcome:
    """Facts that were learnt, and whether the action was done.

    `refused` says why it did not happen; it is then not tried again for the same content before `retry_at` (seconds),
    or at all. `result` is what later actions need, `texts` what the facts name by hash. `maybe` says of a refusal that
    something may have reached GitHub all the same, `fail_class` what interrupted it through no fault of its own.
    """

    facts: tuple[Fact, ...] = ()
    result: Mapping[str, Any] = field(default_factory=dict)
    refused: str | None = None
    retry_at: float | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    maybe: bool = False
    fail_class: Interruption | None = None


FACTS = 30
"""How many facts one delivery brings: a list of hundreds of jobs is taken in by several turns, not by a long one."""


def deliveries_of(leased: LeasedOrder, assignment: Assignment, outcome: Outcome) -> list[Delivery]:
    """Make the deliveries that tell a repository's next turns what came of an action; that it has ended comes last."""
    facts = (*outcome.facts, _ended(leased, assignment, outcome))
    guid = f"{OUTCOME}:{leased.order.action_key}"
    parts = [facts[start : start + FACTS] for start in range(0, len(facts), FACTS)]
    guids = [*(f"{guid}/{part}" for part in range(1, len(parts))), guid]
    return [_delivery(name, leased.order.key, part) for name, part in zip(guids, parts, strict=True)]


def _delivery(guid: str, key: str, facts: Sequence[Fact]) -> Delivery:
    body = {"facts": [{"kind": kind_of(fact), "data": to_json(fact)} for fact in facts]}
    return Delivery(guid=guid, event=OUTCOME, key=key, body=json.dumps(body))


def _ended(leased: LeasedOrder, assignment: Assignment, outcome: Outcome) -> Fact:
    action, ticket = assignment.action, assignment.ticket
    if outcome.refused is None:
        return ActionDone(
            ticket=ticket, key=action.key, target=action.target, number=action.number, result=dict(outcome.result)
        )
    certain = leased.attempts == 1 and not outcome.maybe  # an earlier attempt may have reached GitHub
    return ActionRefused(
        ticket=ticket,
        key=action.key,
        target=action.target,
        number=action.number,
        reason=outcome.refused,
        retry_at=outcome.retry_at,
        unspent=action.spends if certain else None,
        fail_class=outcome.fail_class or "",
    )
