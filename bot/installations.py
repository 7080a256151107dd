"""The App's own turn: deliveries that name no single repository are told to each repository that they list.

Kept as one unit, so that a kill in between loses none and repeats none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from bot.store import Delivery, Work
from bot.translate import OUTCOME, translate_installation
from resolver.facts import Fact
from resolver.ids import RepoId
from resolver.journal import kind_of, to_json

APP = "app"
"""The key of everything that belongs to no single repository."""

BATCH = 50


def repository_key(repo: RepoId) -> str:
    """Give the key under which a repository's deliveries, journal and orders are kept."""
    return f"repo:{repo}"


def repositories_of(keys: Iterable[str]) -> Iterator[RepoId]:
    """Give the repositories whose keys are among these."""
    for key in keys:
        kind, _, number = key.partition(":")
        if kind == "repo" and number.isdecimal():
            yield RepoId(int(number))


def told(guid: str, repo: RepoId, fact: Fact) -> Delivery:
    """Make the delivery that tells one repository one fact."""
    body = {"facts": [{"kind": kind_of(fact), "data": to_json(fact)}]}
    return Delivery(guid=f"{guid}:{repo}", event=OUTCOME, key=repository_key(repo), body=json.dumps(body))


def spread(work: Work) -> float | None:
    """Pass what came for the App on to the repositories concerned."""
    deliveries = work.deliveries(APP, BATCH)
    for delivery in deliveries:
        payload = json.loads(delivery.body) | {"at": delivery.received_at}
        facts = translate_installation(delivery.event, payload)
        work.receive([told(delivery.guid, repo, fact) for repo, fact in facts.items()])
    work.handled([delivery.guid for delivery in deliveries])
    return work.now if len(deliveries) == BATCH else None
