"""How many draft pull requests may still be opened today, counted from the journal. Pure.

A probe that is under way counts as one until it is known to have become none: so the cap holds however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resolver.actions import AnyAction, StartProbe
from resolver.config import RepoConfig
from resolver.ledger import DAY
from resolver.state import RepoState

SOON = 600.0
"""Seconds after which a probe that is under way will have told what became of it."""


def with_drafts(
    state: RepoState, config: RepoConfig, actions: Sequence[AnyAction], now: float
) -> tuple[AnyAction, ...]:
    """Give each probe that is to be started one of today's drafts while there are any, else say when there will be."""
    cap = config.probes.draft_pulls_per_day if config.probes.draft_pull else 0
    if not cap:
        return tuple(actions)
    opened = sorted(_opened(state, now))
    left = max(0, cap - len(opened) - sum(_under_way(state)))
    # One is free again once so many have left the day that fewer than the cap are in it.
    again_at = opened[len(opened) - cap] + DAY if len(opened) >= cap else now + SOON
    wanted = dict.fromkeys(each.probe_id for each in actions if isinstance(each, StartProbe))
    given = frozenset(list(wanted)[:left])
    return tuple(
        each.model_copy(update={"draft": True} if each.probe_id in given else {"draft_again_at": again_at})
        if isinstance(each, StartProbe)
        else each
        for each in actions
    )


def _opened(state: RepoState, now: float) -> Iterator[float]:
    """When the drafts of the last day were ordered."""
    for probe_id, probe in state.probes.items():
        effect = state.effects.get(probe_id)
        if probe.dispatched.pull is not None and effect is not None and effect.started_at > now - DAY:
            yield effect.started_at


def _under_way(state: RepoState) -> Iterator[bool]:
    for target, effect in state.effects.items():
        yield target.startswith("probe:") and effect.status == "started" and target not in state.probes
