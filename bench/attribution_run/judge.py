"""
The real decision code on a fast clock: attribution inside the ledger, outage mode, and a small driver that answers what
is wanted by executing the world. It decides nothing itself.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

from attribution_world.world import Job, Pull, World

from attribution_run.read import diff, execution
from resolver.attribution import (
    Attribution,
    Case,
    Diff,
    OutageMode,
    Refusal,
    TaskFacts,
    TaskRed,
    Undecided,
    Verdict,
    Want,
    WantBase,
    WantRerun,
    WantRow,
    Wave,
    attribute_within,
    outage_mode,
    settle,
)
from resolver.config import RepoConfig
from resolver.executions import Check, Execution, FailedItem
from resolver.ids import Fingerprint, Sha
from resolver.ledger import Ledger
from resolver.ledger.events import ProbeStarted, RerunEnded, RerunStarted

DAY = 86_400.0
LOOK_AGAIN = 300.0
LATER, WATCHED = 3_600.0, 3 * 3_600.0
"""How often, and for how long after the failure, a pull request with all its verdicts is looked at again."""


@dataclass
class Told:
    """What was said of one failure, and when."""

    item: FailedItem
    label: str
    at: float


@dataclass
class Patient:
    """One pull request under observation."""

    pull: Pull
    diff: Diff
    jobs: list[Job]
    executions: list[Execution]
    red_at: float
    row_done: set[Check] = field(default_factory=set)
    told: dict[tuple[str, Fingerprint], Told] = field(default_factory=dict)
    ended: float | None = None
    standing: dict[tuple[str, Fingerprint], Verdict] = field(default_factory=dict)


class Judge:
    """All pull requests of one world, each looked at when something it waits for has come."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.config = RepoConfig()
        self.ledger = Ledger(self.config.ledger)
        self.outage = OutageMode()
        self.probes: list[Execution] = []
        self.withdrawn = 0
        self.past = [execution(world, job, "task", task=f"past-{job['head_sha'][:7]}") for job in world.past_jobs()]
        self._pushes: dict[int, Execution] = {}
        self.patients = [self._admit(pull) for pull in world.red_pulls()]
        self.queue = [(each.red_at, number) for number, each in enumerate(self.patients)]
        heapq.heapify(self.queue)

    def run(self) -> None:
        """Go on until every pull request has its verdicts, or a day has passed."""
        while self.queue:
            now, number = heapq.heappop(self.queue)
            patient = self.patients[number]
            if patient.ended is None:
                again = self._look(patient, now)
                if again is not None and again < patient.red_at + DAY:
                    heapq.heappush(self.queue, (max(again, now + 1), number))
                else:
                    patient.ended = now

    def _admit(self, pull: Pull) -> Patient:
        jobs = self.world.first_jobs(pull)
        known = [execution(self.world, job, "task", task=str(pull.number)) for job in jobs]
        red_at = min(job["completed_at"] for job in jobs if job["conclusion"] == "failure")
        return Patient(pull, diff(pull.files), jobs, known, red_at)

    def _visible(self, patient: Patient, now: float) -> tuple[Execution, ...]:
        for job in self.world.push_jobs(now):
            if job["id"] not in self._pushes:
                self._pushes[job["id"]] = execution(self.world, job, "base")
        author = patient.pull.author
        others = [
            each.model_copy(update={"own": "same-author"}) if other.pull.author == author else each
            for other in self.patients
            if other is not patient
            for each in other.executions
        ]
        pushes = [each for each in self._pushes.values() if (each.finished_at or 0) <= now]
        known = [*patient.executions, *self.probes, *others, *self.past, *pushes]
        return tuple(shown for each in known if (shown := _as_of(each, now)) is not None)

    def _case(self, patient: Patient, now: float) -> Case:
        line = tuple(Sha(sha) for sha in self.world.line(now))
        task = TaskFacts(
            task=str(patient.pull.number),
            head=Sha(patient.pull.head),
            base=line[-1],
            base_line=line[-200:],
            diff=patient.diff,
        )
        return Case(
            task,
            self._visible(patient, now),
            now,
            rules=self.config.attribution,
            refusals=tuple(Refusal(kind="row", reason="it was taken", check=each) for each in patient.row_done),
            outage=self.outage.on,
        )

    def _look(self, patient: Patient, now: float) -> float | None:
        """Attribute, do what is wanted, and say when to look again."""
        self.outage = outage_mode(self.outage, self._wave(now), self.config.outage, now)
        case = self._case(patient, now)
        wants = self._tell(patient, case, attribute_within(case, self.ledger), now)
        if wants:
            return min(self._meet(patient, want, now) for want in wants)
        running = [each.finished_at for each in patient.executions if each.finished_at and each.finished_at > now]
        again = now + LATER if now < patient.red_at + WATCHED else None
        return min(running, default=again)

    def _meet(self, patient: Patient, want: object, now: float) -> float:
        match want:
            case WantRerun(check=check):
                return self._rerun(patient, check, now, evidence=True)
            case WantRow(check=check):
                patient.row_done.add(check)
                return self._rerun(patient, check, now, evidence=False)
            case WantBase(check=check, commit=commit):
                job = self.world.probe(commit, check.job, now)
                self.ledger = self.ledger.with_event(
                    ProbeStarted(id=f"p{job['id']}", at=now, check=check.key, commit=commit)
                )
                self.probes.append(execution(self.world, job, "probe"))
                return float(job["completed_at"])
            case _:
                # What is under way ends earlier than the patience with it: look now and then.
                until = getattr(want, "until", None)
                return float(until) if until and until <= now + LATER else now + LOOK_AGAIN

    def _rerun(self, patient: Patient, check: Check, now: float, *, evidence: bool) -> float:
        job = [each for each in patient.jobs if each["name"] == check.job][-1]
        prints = tuple(item.fingerprint for each in patient.executions if each.check == check for item in each.items)
        again = self.world.rerun(patient.pull, job, now)
        patient.jobs.append(again)
        known = execution(self.world, again, "task", task=str(patient.pull.number))
        patient.executions.append(known)
        if evidence:
            started = RerunStarted(
                id=f"r{again['id']}",
                at=now,
                task=str(patient.pull.number),
                head=Sha(patient.pull.head),
                workflow=check.workflow,
                check=check.key,
                fingerprints=prints,
                purpose="evidence",
            )
            passed = tuple(set(prints) - {item.fingerprint for item in known.items})
            ended = RerunEnded(
                id=f"e{again['id']}", rerun=started.id, at=again["completed_at"], useful=True, passed=passed
            )
            # The end is told at once: the pause that it begins is reckoned from its own time all the same.
            self.ledger = self.ledger.with_event(started).with_event(ended)
        return float(again["completed_at"])

    def _wave(self, now: float) -> Wave:
        reds: list[TaskRed] = []
        running: set[int] = set()
        before = {item.fingerprint for each in (*self.past, *self._pushes.values()) for item in each.items}
        for patient in self.patients:
            for each in patient.executions:
                if each.finished_at is None or not now - self.config.outage.calm_for <= each.finished_at <= now:
                    continue
                running.add(patient.pull.number)
                reds.extend(_task_red(patient, each, item, before) for item in each.items)
        return Wave(reds=tuple(reds), running=len(running))

    def _tell(self, patient: Patient, case: Case, answer: Attribution, now: float) -> tuple[Want, ...]:
        """Note what is said now, and give what is wanted still: a verdict stands until executions disagree."""
        items = {item.fingerprint: item for each in case.executions for item in each.items}
        wants: list[Want] = []
        for outcome in answer.outcomes:
            if outcome.fingerprint is None:
                wants += outcome.wants if isinstance(outcome, Undecided) else ()
                continue
            key = (outcome.check.job, outcome.fingerprint)
            standing = settle(patient.standing.get(key), outcome)
            wants += standing.wants
            said = standing.outcome
            item = items[outcome.fingerprint]
            if not item.counts:
                patient.told.setdefault(key, Told(item, "infrastructure", now))
            elif isinstance(said, Verdict):
                patient.standing[key] = said
                self.withdrawn += standing.change is not None and standing.change.kind == "withdrawn"
                if key not in patient.told or patient.told[key].label != said.klass:
                    patient.told[key] = Told(item, said.klass, now)
        return tuple(dict.fromkeys(wants))


def _task_red(patient: Patient, each: Execution, item: FailedItem, before: set[Fingerprint]) -> TaskRed:
    return TaskRed(
        task=str(patient.pull.number),
        fingerprint=item.fingerprint,
        base=each.tested_base,
        at=each.finished_at or 0.0,
        new=item.fingerprint not in before,
        infrastructure=each.result == "infrastructure",
    )


def _as_of(each: Execution, now: float) -> Execution | None:
    """An execution as it stood at a time: finished, running, or not there yet."""
    if each.finished_at is not None and each.finished_at <= now:
        return each
    if each.started_at is None or each.started_at - 120 > now:
        return None
    return each.model_copy(update={"result": "running", "items": (), "passed_items": (), "finished_at": None})
