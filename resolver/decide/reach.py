"""A repository out of reach: the table hands it to people, who are told where they still can be (section 10).

Nobody can be asked on GitHub. The record stands in the journal, and one notification goes to each destination that the
configuration named when it was last read, and one line into the server's log. The questions stand in the journal until
the repository is back; there is nowhere to post them.
"""

from __future__ import annotations

from collections.abc import Iterator

from resolver.actions.trouble import TellOfTrouble
from resolver.decide.asked_of_run import acted_on, question_of_run
from resolver.decide.due import Due, due
from resolver.decide.paused import run_escalation
from resolver.decide.rights import config_of
from resolver.facts.resolve import ResolveDecided
from resolver.runs import run_id
from resolver.state import Pull, RepoState

REACH = "not-a-git-repo"


def out_of_reach(state: RepoState, now: float) -> Due:
    """Give the records, one for each run on which failres was acting, and whom to tell."""
    reason = lost(state)
    if reason is None:
        return Due()
    concerned = acted_on(state)
    told: dict[str, ResolveDecided] = {}
    for pull in concerned:
        told.setdefault(run_id(pull.seen), run_escalation(pull, REACH, reason, now))
    known = {seq for pull in state.pulls.values() for seq in pull.resolutions}
    new = [each for each in told.values() if each.seq not in known]
    asked = [question_of_run(state, state.pulls[each.number], REACH, reason, now) for each in new]
    found = due(state.effects, _notices(state, concerned, reason, now), now)
    return Due(found.actions, found.again_at, (*new, *asked))


def lost(state: RepoState) -> str | None:
    """Say why nothing can be done in the repository; None where something can."""
    if state.active or state.repo is None:
        return None
    return "it is archived" if state.repo.archived else "the App has no access to it any more"


def _notices(state: RepoState, pulls: list[Pull], reason: str, now: float) -> Iterator[TellOfTrouble]:
    if not pulls:
        return
    numbers = tuple(sorted(pull.seen.number for pull in pulls))
    named = [each for pull in pulls for each in config_of(state, pull).notifications.destinations]
    for destination in dict.fromkeys(("", *named)):
        yield TellOfTrouble(fail_class=REACH, reason=reason, pulls=numbers, at=now, destination=destination)
