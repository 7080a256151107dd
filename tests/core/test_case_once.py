"""What a decision costs: the case of a pull request is made once, however many questions are asked about it."""

from __future__ import annotations

import pytest

from resolver.decide import cases, decide_pull
from resolver.facts.quarantine import TaskQuarantined
from resolver.ids import PullNumber
from resolver.ledger.events import RerunEnded, RerunStarted
from tests.core.made import HEAD, failure, state_of, triaged
from tests.core.test_resolving import LIMITS, of, red

CHECK = ".github/workflows/ci.yml: test (pull_request)"
UNKNOWN = failure(None, fail_class="unknown", kind="unknown", places=())


def unproven(reruns):
    """A managed task whose failure nothing explains, after so many executions for evidence."""
    facts = [*red()[:-1], triaged(40, UNKNOWN, head=HEAD, run_id=30)]
    for attempt in range(1, reruns + 1):
        started = f"rerun:30:{attempt}"
        asked = {"task": "pr-7", "head": HEAD, "workflow": ".github/workflows/ci.yml", "check": CHECK}
        facts += [
            RerunStarted(id=started, at=150.0, fingerprints=(), purpose="evidence", **asked),
            RerunEnded(id=f"{started}:ended", rerun=started, at=160.0, useful=True),
        ]
    return state_of(*facts)


@pytest.mark.parametrize("reruns", [0, 3])
def test_the_case_is_made_once_for_a_decision(monkeypatch, reruns):
    """A rerun is wanted; the ledger is spent and the task is quarantined: each asks the case again, nobody makes it anew."""
    made = []

    def counted(state, pull, *rest):
        made.append(pull.seen.number)
        return cases_made(state, pull, *rest)

    cases_made = cases.make_case
    monkeypatch.setattr(cases, "make_case", counted)
    due = decide_pull(unproven(reruns), PullNumber(7), 10_000.0, LIMITS)
    assert made == [7]
    assert bool(of(TaskQuarantined, due.facts)) == (reruns == 3)


def test_a_later_decision_makes_its_own():
    """The case holds the time: what was made for one decision is not used for the next."""
    state = unproven(0)
    first = cases.case_of(state, state.pulls[7], 10_000.0)
    assert cases.case_of(state, state.pulls[7], 10_000.0) is first
    assert cases.case_of(state, state.pulls[7], 10_001.0).now == 10_001.0
