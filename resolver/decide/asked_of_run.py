"""The question that a class of a run's scope puts to people, asked at one of the run's pull requests; and which pull
requests a trouble of the whole repository concerns.
"""

from __future__ import annotations

from resolver.decide.endings import circumstances
from resolver.decide.rights import config_of, managed
from resolver.decisions import Asking, ask, kind_for
from resolver.facts.decisions import DecisionRequested
from resolver.runs import task_id
from resolver.state import Pull, RepoState


def question_of_run(
    state: RepoState, pull: Pull, fail_class: str, why: str, now: float, *, earlier: int = 0
) -> DecisionRequested:
    """Give the question as it is asked now (seconds); `earlier` counts those that were asked before it."""
    here = circumstances(state, pull)
    asking = Asking(
        number=pull.seen.number,
        task_id=task_id(pull.seen.number),
        kind=kind_for(fail_class, "run"),
        fail_class=fail_class,
        head=here.head,
        base=here.base,
        earlier=earlier,
    )
    decision = ask(asking, now)
    return DecisionRequested.of(decision, why=why)


def acted_on(state: RepoState) -> list[Pull]:
    """Give the open pull requests on which failres may act and a check has failed, in the order of their numbers."""
    red = (pull for _, pull in sorted(state.pulls.items()) if pull.seen.state == "open" and pull.reds)
    return [pull for pull in red if managed(state, pull, config_of(state, pull))]
