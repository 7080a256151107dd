"""What follows for branches of failres's own that nobody owns: they rest for a while, then the table's row cleans up.

A branch is left in peace for as long as its record may still be on its way. One that could not be removed is not tried
again: the row's second column is for people, who are told once wherever the repository's configuration says, and in the
server's log. They answer by removing it, or by leaving it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from resolver.actions import AnyAction, ReadConfig
from resolver.actions.repairs import RemoveOrphans, TellOfOrphans
from resolver.config import RepoConfig
from resolver.decide.due import Due, earlier
from resolver.decide.leftovers import live_branches
from resolver.digest import digest
from resolver.facts.orphans import FAIL_CLASS, OrphansAsked, OrphansDecided, OrphansEnded
from resolver.facts.repairs import Thing
from resolver.limits import Limits
from resolver.policy import Take, rule
from resolver.probes import is_owned
from resolver.state import Base, RepoState


def orphans(state: RepoState, now: float, limits: Limits) -> Due:
    """Give the removal that is due, with its decision or its end, whom to tell of what is left to people, and when the
    next branch will have rested.
    """
    found = _removals(state, now, limits)
    return replace(found, actions=(*found.actions, *_told(state, limits)))


def _told(state: RepoState, limits: Limits) -> Iterator[AnyAction]:
    """Tell of the open questions; the configuration of the default branch names the destinations."""
    open_ones = state.orphans.questions() if limits.ceiling == "act" else []
    if not open_ones or state.repo is None:
        return
    base = state.bases.get(state.repo.default_branch, Base())
    if base.config is None:
        yield ReadConfig(ref=state.repo.default_branch, sha=base.sha)
        return
    settings = base.config.settings or RepoConfig()
    if base.config.problems or not settings.enabled:
        return
    for asked in open_ones:
        for destination in dict.fromkeys(("", *settings.notifications.destinations)):
            yield TellOfOrphans(asked=asked, destination=destination)


def _removals(state: RepoState, now: float, limits: Limits) -> Due:
    standing = state.orphans.open()
    if limits.ceiling != "act" or (standing is None and not state.orphans.seen):
        return Due()
    live = live_branches(state)
    if live is None:
        return Due()
    if standing is not None:
        return _carry_out(state, standing, live)
    ripe: list[Thing] = []
    again_at: float | None = None
    for thing, since in state.orphans.seen.values():
        if is_owned(thing.branch, live) or state.orphans.attempts(thing) >= _LAST:
            continue
        if since + limits.orphan_rest <= now:
            ripe.append(thing)
        else:
            again_at = earlier(again_at, since + limits.orphan_rest)
    if not ripe:
        return Due(again_at=again_at)
    decided = _decide(state, ripe[: limits.removed_at_once], now)
    if decided.action != "resume":
        left = _names(decided.things)
        given_up = OrphansEnded(ref_decision_seq=decided.seq, success=False, left=left, reason=FOR_PEOPLE)
        return Due(again_at=again_at, facts=(decided, _ask(state, decided, now), given_up))
    return Due((_removal(decided, live),), again_at, (decided,))


_LAST = 2
"""After the decision that hands a branch to people there is none on it, as long as it stays where it is."""

FOR_PEOPLE = "it could not be removed, and people have to look at it"


def _decide(state: RepoState, ripe: list[Thing], now: float) -> OrphansDecided:
    """Decide on those of the most attempts first: the columns of a row are one after the other."""
    attempt = 1 + max(state.orphans.attempts(each) for each in ripe)
    things = tuple(each for each in ripe if state.orphans.attempts(each) + 1 == attempt)
    ruling = rule(FAIL_CLASS, "task", attempt, llm=False)
    action = ruling.action if isinstance(ruling, Take) else "escalate"
    return OrphansDecided(seq=1 + len(state.orphans.decided), things=things, attempt=attempt, action=action, at=now)


def _ask(state: RepoState, decided: OrphansDecided, now: float) -> OrphansAsked:
    matter = [FAIL_CLASS, *([each.name, each.version] for each in decided.things)]
    why = state.orphans.why_left(decided.things) or FOR_PEOPLE
    return OrphansAsked(
        decision_id=f"d-{digest(matter, 10)}", ref_decision_seq=decided.seq, things=decided.things, why=why, at=now
    )


def _carry_out(state: RepoState, decided: OrphansDecided, live: tuple[str, ...]) -> Due:
    removal = _removal(decided, live)
    effect = state.effects.get(removal.target)
    if effect is not None and effect.key == removal.key and effect.status == "refused" and effect.retry_at is None:
        reason = effect.reason or "GitHub refused it"
        left = _names(decided.things)
        return Due(facts=(OrphansEnded(ref_decision_seq=decided.seq, success=False, left=left, reason=reason),))
    actions: tuple[AnyAction, ...] = (removal,)
    return Due(actions)


def _removal(decided: OrphansDecided, live: tuple[str, ...]) -> RemoveOrphans:
    return RemoveOrphans(seq=decided.seq, things=decided.things, live=live)


def _names(things: tuple[Thing, ...]) -> tuple[str, ...]:
    return tuple(each.name for each in things)
