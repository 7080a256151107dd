"""The ledger: each limit of section 7 with its default, and never more than it allows in whatever order records come."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resolver.config.sections import Ledger as Limits
from resolver.ids import Fingerprint, RunId, Sha
from resolver.ledger import DAY, Allowed, Ledger, Refused, RerunAsked
from resolver.ledger.events import (
    FailedAfterRepair,
    GroupFailed,
    LedgerEvent,
    LedgerKey,
    ProbeStarted,
    Quarantined,
    RepairTried,
    RerunEnded,
    RerunStarted,
    Synced,
    TriedAfresh,
)

F1, F2 = Fingerprint("v1-0000000000000001"), Fingerprint("v1-0000000000000002")
HEAD, BASE, NEXT = Sha("h1"), Sha("b1"), Sha("b2")
KEY = LedgerKey(run_id=RunId("pr-1"), task="pr-1", fail_class="gate-red-code", fingerprint=F1, base=BASE, head=HEAD)
NOW = 10 * DAY


def _asked(purpose: str = "flake", **more: object) -> RerunAsked:
    given_values = {
        "task": "pr-1",
        "head": HEAD,
        "workflow": "ci.yml",
        "check": "ci: test",
        "fingerprints": (F1,),
        "purpose": purpose,
    }
    return RerunAsked.model_validate({**given_values, **more})


def _rerun(number: int, purpose: str = "evidence", **more: object) -> RerunStarted:
    values = {
        "id": f"r{number}",
        "at": NOW - 9000 + number,
        "task": "pr-1",
        "head": HEAD,
        "workflow": "ci.yml",
        "check": f"ci: {number}",
        "fingerprints": (F1,),
        "purpose": purpose,
    }
    return RerunStarted.model_validate({**values, **more})


def _ended(
    number: int, at: float = NOW - 8000, passed: tuple[Fingerprint, ...] = (), *, useful: bool = True
) -> RerunEnded:
    return RerunEnded(id=f"e{number}", rerun=f"r{number}", at=at, useful=useful, passed=passed)


def _told(answer: Allowed | Refused) -> str:
    return (
        f"allowed {answer.attempt}"
        if isinstance(answer, Allowed)
        else "refused"
        if answer.until is None
        else f"refused until {answer.until - NOW:+.0f}"
    )


RERUNS: list[tuple[str, list[LedgerEvent], RerunAsked, str]] = [
    ("the first", [], _asked(), "allowed 1"),
    ("a flake's second", [_rerun(1, "flake"), _ended(1)], _asked(), "refused"),
    ("another failure's first", [_rerun(1, "flake", fingerprints=(F2,)), _ended(1)], _asked(), "allowed 2"),
    ("another head's first", [_rerun(1, "flake", head="h0"), _ended(1)], _asked(), "allowed 1"),
    ("after evidence that passed", [_rerun(1), _ended(1, passed=(F1,))], _asked(), "refused"),
    ("after evidence that failed", [_rerun(1), _ended(1)], _asked(), "allowed 2"),
    ("evidence after evidence", [_rerun(1), _ended(1)], _asked("evidence"), "allowed 2"),
    ("evidence's fourth", [e for n in range(3) for e in (_rerun(n, check="ci: test"), _ended(n))], _asked("evidence"), "refused"),
    ("evidence after three probes", [ProbeStarted(id=str(n), at=0, check="ci: test", commit=HEAD) for n in range(3)], _asked("evidence"), "refused"),
    ("a command is bound too", [e for n in range(3) for e in (_rerun(n, "command", check="ci: test"), _ended(n))], _asked("command"), "refused"),
    ("the workflow's sixth", [e for n in range(5) for e in (_rerun(n, "flake", fingerprints=(F2,)), _ended(n))], _asked(), "refused"),
    ("the workflow's fifth", [e for n in range(4) for e in (_rerun(n, "flake", fingerprints=(F2,)), _ended(n))], _asked(), "allowed 5"),
    ("too soon after a useful one", [_rerun(1), _ended(1, at=NOW - 60)], _asked("evidence"), "refused until +1140"),
    ("the longer wait wins", [_rerun(1), _ended(1, at=NOW - 60)], _asked("evidence", not_before=NOW + 3000), "refused until +3000"),
    ("the other wait is shorter", [_rerun(1), _ended(1, at=NOW - 60)], _asked("evidence", not_before=NOW + 3), "refused until +1140"),
    ("only another wait", [], _asked("evidence", not_before=NOW + 5), "refused until +5"),
    ("one that had no effect", [_rerun(1), _ended(1, useful=False)], _asked("evidence"), "refused"),
    ("one under way", [_rerun(1)], _asked("evidence"), "refused until +1200"),
    ("six jobs fail in different ways", [], _asked(failing=6), "refused"),
    ("five jobs fail in different ways", [], _asked(failing=5), "allowed 1"),
    ("six jobs, one execution for evidence", [], _asked("evidence", failing=6), "allowed 1"),
    ("what was cancelled", [], _asked("evidence", newest_cancelled=True), "refused"),
    ("identical after a repair", [FailedAfterRepair(id="x", at=0, key=KEY)], _asked(keys=(KEY,)), "refused"),
    ("after a repair, a new base", [FailedAfterRepair(id="x", at=0, key=KEY)], _asked(keys=(KEY.model_copy(update={"base": NEXT}),)), "allowed 1"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "events", "asked", "expected"), RERUNS, ids=[row[0] for row in RERUNS])
def test_reruns(name: str, events: list[LedgerEvent], asked: RerunAsked, expected: str) -> None:
    """A rerun keeps the limits of its failure, its check, its workflow and its head."""
    assert _told(Ledger.of(events).rerun(asked, NOW)) == expected


@pytest.mark.parametrize("event", [_rerun(1), ProbeStarted(id="r1", at=0, check="ci: test", commit=HEAD)])
def test_what_certainly_did_not_happen_spends_nothing(event: LedgerEvent) -> None:
    """Refused before it was sent: nothing is spent, until the same attempt is started again."""
    ledger = Ledger.of([event], Limits(workflow_reruns=1, evidence_runs=1))
    asked = _asked("evidence", check="ci: test")
    assert _told(ledger.rerun(asked, NOW)).startswith("refused")
    unspent = ledger.spent("r1", happened=False)
    assert (_told(unspent.rerun(asked, NOW)), unspent.counts("r1")) == ("allowed 1", False)
    assert _told(unspent.spent("r1").rerun(asked, NOW)).startswith("refused")


def test_three_executions_for_evidence_per_check_and_commit() -> None:
    """Probes of one check on one commit are shared and counted together."""
    ledger = Ledger.of(ProbeStarted(id=str(n), at=0, check="t", commit=BASE) for n in range(2))
    assert _told(ledger.probe("t", BASE)) == "allowed 3"
    assert _told(ledger.with_event(ProbeStarted(id="9", at=0, check="t", commit=BASE)).probe("t", BASE)) == "refused"
    assert _told(ledger.probe("t", NEXT)) == "allowed 1"


def test_one_synchronisation_per_pair_of_heads_and_one_for_drift_in_six_hours() -> None:
    """The same pair is never synchronised twice; drift has to wait, another reason has not."""
    ledger = Ledger.of([Synced(id="1", at=NOW - 3600, task="pr-1", base=BASE, head=HEAD, drift=True)])
    assert _told(ledger.sync("pr-1", BASE, HEAD, drift=False, now=NOW)) == "refused"
    assert _told(ledger.sync("pr-1", NEXT, HEAD, drift=True, now=NOW)) == "refused until +18000"
    assert _told(ledger.sync("pr-1", NEXT, HEAD, drift=True, now=NOW + 18000)) == "allowed 1"
    assert _told(ledger.sync("pr-1", NEXT, HEAD, drift=False, now=NOW)) == "allowed 1"
    assert _told(ledger.sync("pr-2", BASE, HEAD, drift=True, now=NOW)) == "allowed 1"
    other = Ledger.of([Synced(id="1", at=NOW - 3600, task="pr-1", base=BASE, head=HEAD, drift=False)])
    assert _told(other.sync("pr-1", NEXT, HEAD, drift=True, now=NOW)) == "allowed 1"


def test_two_repairs_per_failure_and_base_branch() -> None:
    """The second attempt is told as such, since it is of the high tier; there is no third."""
    ledger = Ledger.of([RepairTried(id="1", at=0, base_ref="main", fingerprint=F1)])
    assert _told(ledger.repair("main", F1)) == "allowed 2"
    assert (
        _told(ledger.with_event(RepairTried(id="2", at=0, base_ref="main", fingerprint=F1)).repair("main", F1))
        == "refused"
    )
    assert _told(ledger.repair("next", F1)) == "allowed 1"


def test_a_failing_set_is_never_tried_again_unchanged() -> None:
    """D1: the same heads on the same base stay out; a smaller set, or a moved base, is another question."""
    heads = frozenset({Sha("h1"), Sha("h2")})
    ledger = Ledger.of([GroupFailed(id="1", at=0, base=BASE, heads=tuple(sorted(heads)))])
    assert _told(ledger.group(BASE, heads)) == "refused"
    assert _told(ledger.group(BASE, frozenset({HEAD}))) == "allowed 1"
    assert _told(ledger.group(NEXT, heads)) == "allowed 1"
    alone = Ledger.of([GroupFailed(id="1", at=0, base=BASE, heads=(HEAD,))])
    assert _told(alone.group(BASE, frozenset({HEAD}))) == "allowed 1", (
        "its one re-enqueue is a rerun, and asked as such"
    )


def _quarantines(count: int, **more: object) -> list[LedgerEvent]:
    return [Quarantined(id=f"q{n}", at=NOW - 100 + n, key=KEY.model_copy(update=more)) for n in range(count)]


STOPS: list[tuple[str, list[LedgerEvent], Limits, LedgerKey, str]] = [
    ("never quarantined", [], Limits(), KEY, "allowed 1"),
    ("once", _quarantines(1), Limits(), KEY, "allowed 2"),
    ("twice", _quarantines(2), Limits(), KEY, "refused"),
    ("twice, on another head", _quarantines(2), Limits(), KEY.model_copy(update={"head": "h2"}), "refused"),
    ("twice, another failure", _quarantines(2), Limits(), KEY.model_copy(update={"fingerprint": F2}), "allowed 1"),
    ("twice, the base moved", _quarantines(2), Limits(), KEY.model_copy(update={"base": NEXT}), "allowed 1"),
    ("stop-loss is off", _quarantines(2), Limits(stop_loss="off"), KEY, "allowed 1"),
    ("the base moved three times today", [*_quarantines(2), *(TriedAfresh(id=f"t{n}", at=NOW - 3600 * n - 1, task="pr-1") for n in range(3))], Limits(), KEY.model_copy(update={"base": NEXT}), "refused until +79199"),
    ("the base moved three times yesterday", [*_quarantines(2), *(TriedAfresh(id=f"t{n}", at=NOW - DAY - n, task="pr-1") for n in range(3))], Limits(), KEY.model_copy(update={"base": NEXT}), "allowed 1"),
    ("no escape is configured", _quarantines(2), Limits(base_moves_per_day=0), KEY.model_copy(update={"base": NEXT}), "refused"),
    ("identical after a repair", [FailedAfterRepair(id="x", at=0, key=KEY)], Limits(), KEY, "refused"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "events", "limits", "key", "expected"), STOPS, ids=[row[0] for row in STOPS])
def test_stop_loss(name: str, events: list[LedgerEvent], limits: Limits, key: LedgerKey, expected: str) -> None:
    """Two identical quarantines on an unchanged base stop the task; a moved base takes it up, three times a day."""
    assert _told(Ledger.of(events, limits).afresh(key, NOW)) == expected


def test_a_configuration_can_forbid_everything() -> None:
    """Limits of nought leave nothing to try."""
    ledger = Ledger.of([], Limits(flake_reruns=0, syncs_per_heads=0, evidence_runs=0, workflow_reruns=0))
    assert _told(ledger.rerun(_asked(), NOW)) == "refused"
    assert _told(ledger.probe("t", BASE)) == "refused"
    assert _told(ledger.sync("pr-1", BASE, HEAD, drift=False, now=NOW)) == "refused"


@dataclass
class World:
    """What happens when an eager caller does all that the ledger allows, and records come late, doubled, in any order."""

    ledger: Ledger = field(default_factory=Ledger)
    started: list[LedgerEvent] = field(default_factory=list)
    late: list[LedgerEvent] = field(default_factory=list)
    now: float = 0.0

    def did(self, event: LedgerEvent) -> None:
        """An attempt is written when it starts: only later records may come late."""
        self.started.append(event)
        self.ledger = self.ledger.with_event(event)

    def step(self, kind: str, task: int, head: int, base: int, print_: int) -> None:
        """Try one thing, if it is allowed."""
        name, at, task_, head_, base_, prints = (
            f"{len(self.started)}",
            self.now,
            f"pr-{task}",
            Sha(f"h{task}{head}"),
            Sha(f"b{base}"),
            (Fingerprint(f"f{print_}"),),
        )
        match kind:
            case "flake" | "evidence":
                asked = _asked(kind, task=task_, head=head_, fingerprints=prints)
                if isinstance(self.ledger.rerun(asked, at), Allowed):
                    self.did(
                        _rerun(0, kind, id=name, at=at, task=task_, head=head_, check="ci: test", fingerprints=prints)
                    )
                    self.late.append(
                        RerunEnded(id=f"end {name}", rerun=name, at=at + 60, useful=True, passed=prints if base else ())
                    )
            case "probe":
                if isinstance(self.ledger.probe("ci: test", base_), Allowed):
                    self.did(ProbeStarted(id=name, at=at, check="ci: test", commit=base_))
            case "sync":
                if isinstance(self.ledger.sync(task_, base_, head_, drift=bool(print_), now=at), Allowed):
                    self.did(Synced(id=name, at=at, task=task_, base=base_, head=head_, drift=bool(print_)))
            case "repair":
                if isinstance(self.ledger.repair(f"main{base}", prints[0]), Allowed):
                    self.did(RepairTried(id=name, at=at, base_ref=f"main{base}", fingerprint=prints[0]))
            case _:
                self.now += 1500
                self.hear()

    def hear(self) -> None:
        """Late records arrive, the youngest first, each twice."""
        for event in [*reversed(self.late), *self.late]:
            self.ledger = self.ledger.with_event(event)
        self.late.clear()


steps = st.lists(
    st.tuples(st.sampled_from(("flake", "evidence", "probe", "sync", "repair", "wait")), st.integers(0, 1), st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)),
    max_size=60,
)  # fmt: skip


@given(steps)
@settings(max_examples=150, deadline=None)
def test_i5_never_more_than_the_ledger_allows(sequence: list[tuple[str, int, int, int, int]]) -> None:
    """An eager caller that tries everything, in any order, never exceeds a limit."""
    world = World()
    for step in sequence:
        world.step(*step)
    limits, counts = Limits(), dict[tuple[object, ...], int]()
    for each in world.started:
        for key in _limited(each):
            counts[key] = counts.get(key, 0) + 1
    most = {
        "flake": limits.flake_reruns,
        "evidence": limits.evidence_runs,
        "workflow": limits.workflow_reruns,
        "sync": limits.syncs_per_heads,
        "repair": limits.repair_attempts,
    }
    assert all(count <= most[str(key[0])] for key, count in counts.items())
    drifts = sorted((each.task, each.at) for each in world.started if isinstance(each, Synced) and each.drift)
    assert all(a[0] != b[0] or b[1] - a[1] >= limits.drift_sync_every for a, b in pairwise(drifts))


def _limited(event: LedgerEvent) -> list[tuple[object, ...]]:
    match event:
        case RerunStarted(purpose="flake"):
            return [("flake", event.task, event.head, event.fingerprints), ("workflow", event.head)]
        case RerunStarted():
            return [("evidence", event.head), ("workflow", event.head)]
        case ProbeStarted():
            return [("evidence", event.commit)]
        case Synced():
            return [("sync", event.task, event.base, event.head)]
        case RepairTried():
            return [("repair", event.base_ref, event.fingerprint)]
        case _:
            return []


def test_a_question_looks_at_what_it_is_about_alone() -> None:
    """However long the past is: of a thousand reruns elsewhere none is looked at, and the answer is the same."""
    past = [_rerun(number, head=Sha(f"other{number}"), task=f"pr-{number}") for number in range(10, 1_010)]
    ledger = Ledger.of([_rerun(1), _ended(1), *past, ProbeStarted(id="p", at=NOW, check="ci: 1", commit=HEAD)])
    about = [ledger.places[kind, HEAD] for kind in (RerunStarted, ProbeStarted)]
    assert [len(records) for records in about] == [1, 1]
    assert ledger.rerun(_asked(), NOW) == Ledger.of([_rerun(1), _ended(1)]).rerun(_asked(), NOW)
    assert _told(ledger.probe("ci: 1", HEAD)) == "allowed 3"


@given(
    st.permutations(
        [*_quarantines(2), _rerun(1), _ended(1), _rerun(2, "flake"), FailedAfterRepair(id="x", at=0, key=KEY)]
    )
)
@settings(max_examples=40, deadline=None)
def test_the_fold_does_not_depend_on_order_or_repetition(events: list[LedgerEvent]) -> None:
    """Records in any order, each told twice, give the same ledger."""
    ledger = Ledger()
    for event in [*events, *events]:
        ledger = ledger.with_event(event)
    assert dict(ledger.events) == dict(Ledger.of(events).events)
    assert _told(ledger.afresh(KEY, NOW)) == "refused"
