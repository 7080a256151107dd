"""What of failres's own still has an owner: the branches that live records name. Who makes branches adds them here."""

from __future__ import annotations

from collections.abc import Iterator

from resolver.probes import PREFIX
from resolver.repair_job import repair_id, repair_wanted
from resolver.state import RepoState


def live_branches(state: RepoState) -> tuple[str, ...] | None:
    """Give the branches of failres's own that are in use; None where records that may name more cannot be read."""
    return None if state.unreadable else tuple(sorted(set(_live(state))))


def _live(state: RepoState) -> Iterator[str]:
    for probe in state.probes.values():
        if probe.removed is None:
            yield probe.dispatched.branch
    for target, effect in state.effects.items():
        kind, _, name = target.partition(":")
        if kind == "probe" and effect.status == "started":  # on its way, so that its record is not there yet
            # A workflow's filters may want another beginning: `is_owned` compares what stands behind it.
            yield PREFIX + name.replace(":", "-")
    for pull in state.pulls.values():
        for each in pull.resolutions.values():
            reported = each.reported
            if reported is None or reported.job is None or reported.base_sha is None or each.ended is not None:
                continue
            decided = each.decided
            name = repair_id(decided.number, decided.seq)
            yield repair_wanted(reported.job, name, reported.base_sha, decided.seq, "").branch
