"""The repository: pull requests, commits, runs and jobs, and what GitHub would deliver at which second."""

from __future__ import annotations

import hashlib
import heapq
import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from monorepo_world.bodies import Forms, stamp
from monorepo_world.plan import Plan


class Sent(NamedTuple):
    """A delivery: its GUID, GitHub's event and the body."""

    guid: str
    event: str
    body: str


@dataclass(slots=True)
class Job:
    """One job of one run, in its only attempt."""

    id: int
    run: Run
    name: str
    starts: float
    ends: float
    red: bool

    @property
    def conclusion(self) -> str:
        """What it ends with."""
        return "failure" if self.red else "success"


@dataclass(slots=True)
class Run:
    """A workflow run on a commit."""

    id: int
    path: str
    event: str
    sha: str
    branch: str
    made: float
    jobs: list[Job] = field(default_factory=list)

    @property
    def ends(self) -> float:
        """When its last job ends."""
        return max(job.ends for job in self.jobs)

    @property
    def red(self) -> bool:
        """Whether any job fails."""
        return any(job.red for job in self.jobs)


@dataclass(slots=True)
class Pull:
    """An open pull request."""

    number: int
    author: dict[str, Any]
    ref: str
    sha: str = ""
    updated: float = 0.0
    pushes: int = 0


class World:
    """What is on GitHub, and what it still has to deliver."""

    def __init__(self, plan: Plan, start: float) -> None:
        self.plan, self.now = plan, start
        self.pulls: dict[int, Pull] = {}
        self.runs: dict[str, list[Run]] = {}
        self.run: dict[int, Run] = {}
        self.job: dict[int, Job] = {}
        self.base = ""
        self.delivered = 0
        self._forms, self._random = Forms(), random.Random(plan.seed)
        self._ids = iter(range(10_000_000, 2**40))
        self._order = iter(range(2**40))
        self._todo: list[tuple[float, int, str, Any]] = []
        self._quiet = True  # what happened before failres was there was not delivered to it
        self._move_base(start - 7_200.0)
        for number in range(1, plan.pulls + 1):
            author = {"id": 1_000 + number % 60, "login": f"dev{number % 60}", "type": "User"}
            self.pulls[number] = Pull(number, author, f"topic-{number}")
            self._push(self.pulls[number], start - 86_400.0)
        self._quiet = False
        self._at(start + 1.0, "next head push", None)
        self._at(start + plan.base_every, "next base push", None)

    def deliveries(self, until: float) -> Iterator[Sent]:
        """Let time go on, and give what GitHub delivers meanwhile."""
        while self._todo and self._todo[0][0] <= until:
            at, _, what, thing = heapq.heappop(self._todo)
            self.now = at
            if what == "next head push":
                self._push(self._random.choice(list(self.pulls.values())), at)
                gap = self.plan.hour / self.plan.head_pushes_an_hour
                self._at(at + self._random.uniform(0.5, 1.5) * gap, what, None)
            elif what == "next base push":
                self._move_base(at)
                self._at(at + self.plan.base_every, what, None)
            else:
                self.delivered += 1
                yield Sent(str(uuid.UUID(int=self._random.getrandbits(128))), *self._body(what, thing, at))
        self.now = until

    def comment(self, ident: int, body: str) -> Sent:
        """What GitHub delivers of a new comment by the author of some pull request, who may write."""
        pull = self._random.choice(list(self.pulls.values()))
        at = stamp(self.now)
        said = self._forms.comment.fill(
            action="created", number=pull.number, id=ident, body=body, created_at=at, author=pull.author
        )
        return Sent(str(uuid.UUID(int=self._random.getrandbits(128))), "issue_comment", said)

    def _at(self, at: float, what: str, thing: Any) -> None:
        heapq.heappush(self._todo, (at, next(self._order), what, thing))

    def _tell(self, at: float, what: str, thing: Any) -> None:
        if not self._quiet:
            self._at(at + self._random.uniform(0.0, self.plan.delivery_lag), what, thing)

    def _sha(self, *of: Any) -> str:
        return hashlib.sha1(repr(of).encode(), usedforsecurity=False).hexdigest()

    def _push(self, pull: Pull, at: float) -> None:
        pull.pushes, pull.updated = pull.pushes + 1, at
        before, pull.sha = pull.sha, self._sha(pull.number, pull.pushes)
        self._tell(at, "pull_request", (pull.number, "synchronize", pull.sha, at, self.base))
        self._tell(at, "push", (f"refs/heads/{pull.ref}", before or "0" * 40, pull.sha))
        red = self._random.random() < self.plan.red_heads
        self._ci("pull_request", pull.sha, pull.ref, at, red=red)

    def _move_base(self, at: float) -> None:
        before, self.base = self.base or "0" * 40, self._sha("main", at)
        self._tell(at, "push", ("refs/heads/main", before, self.base))
        self._ci("push", self.base, "main", at, red=self._random.random() < self.plan.red_bases)

    def _ci(self, event: str, sha: str, branch: str, at: float, *, red: bool) -> None:
        plan, chance = self.plan, self._random
        for number in range(plan.workflows):
            run = Run(next(self._ids), f".github/workflows/ci-{number}.yml", event, sha, branch, at)
            for each in range(plan.jobs_a_run):
                starts = at + chance.uniform(*plan.queued_for)
                ends = starts + chance.uniform(*plan.runs_for)
                run.jobs.append(Job(next(self._ids), run, f"test {number}-{each}", starts, ends, red=False))
            self.runs.setdefault(sha, []).append(run)
            self.run[run.id] = run
        if red:
            chosen = chance.choice(self.runs[sha])
            for job in chance.sample(chosen.jobs, min(len(chosen.jobs), chance.randint(1, plan.most_red_jobs))):
                job.red = True
        for run in self.runs[sha]:
            self._tell_run(run)

    def _tell_run(self, run: Run) -> None:
        self._tell(run.made, "workflow_run", (run, "requested"))
        self._tell(run.made, "check_suite", (run, "requested"))
        self._tell(min(job.starts for job in run.jobs), "workflow_run", (run, "in_progress"))
        for job in run.jobs:
            self.job[job.id] = job
            self._tell(run.made, "workflow_job", (job, "queued"))
            self._tell(run.made, "check_run", (job, "created"))
            self._tell(job.starts, "workflow_job", (job, "in_progress"))
            self._tell(job.ends, "workflow_job", (job, "completed"))
            self._tell(job.ends, "check_run", (job, "completed"))
        self._tell(run.ends, "workflow_run", (run, "completed"))
        self._tell(run.ends, "check_suite", (run, "completed"))

    def _body(self, event: str, thing: Any, at: float) -> tuple[str, str]:
        if event == "push":
            ref, before, after = thing
            commits = [{"added": [], "modified": ["src/a.py"], "removed": []}]
            return event, self._forms.push.fill(ref=ref, before=before, after=after, commits=commits)
        if event == "pull_request":
            number, action, sha, updated, base = thing
            pull = self.pulls[number]
            return event, self._forms.pull.fill(
                action=action,
                number=number,
                title=f"Change {number}",
                updated_at=stamp(updated),
                head_sha=sha,
                head_ref=pull.ref,
                base_sha=base,
                author=pull.author,
            )
        subject, action = thing
        form = {
            "workflow_job": self._forms.job,
            "workflow_run": self._forms.run,
            "check_run": self._forms.check_run,
            "check_suite": self._forms.check_suite,
        }[event]
        shown = job_object(subject, action) if isinstance(subject, Job) else run_object(subject, action, at)
        return event, form.fill(action=action, **shown)


def job_object(job: Job, action: str) -> dict[str, Any]:
    """What GitHub says of a job; `action` as in the delivery."""
    ended, begun = action == "completed", action != "queued"
    status = "completed" if ended else "in_progress" if begun else "queued"
    return {
        "id": job.id,
        "run_id": job.run.id,
        "name": job.name,
        "head_sha": job.run.sha,
        "head_branch": job.run.branch,
        "status": status if action != "created" else "queued",
        "conclusion": job.conclusion if ended else None,
        "workflow_name": job.run.path,
        "created_at": stamp(job.run.made),
        "started_at": stamp(job.starts if begun else job.run.made),
        "completed_at": stamp(job.ends) if ended else None,
        "runner": "runner-1" if begun else None,
        "steps": _steps(job, ended=ended) if begun and action != "created" else [],
    }


def _steps(job: Job, *, ended: bool) -> list[dict[str, Any]]:
    done = {"status": "completed", "conclusion": "success", "started_at": stamp(job.starts)}
    last: dict[str, Any] = {"number": 3, "name": "Run tests", "started_at": stamp(job.starts + 5.0)}
    last |= {"status": "completed" if ended else "in_progress", "conclusion": job.conclusion if ended else None}
    last |= {"completed_at": stamp(job.ends) if ended else None}
    ready = stamp(job.starts + 5.0)
    return [
        {"number": 1, "name": "Set up job", **done, "completed_at": ready},
        {"number": 2, "name": "Run actions/checkout@v4", **done, "completed_at": ready},
        last,
    ]


def run_object(run: Run, action: str, at: float) -> dict[str, Any]:
    """What GitHub says of a run; `action` as in the delivery."""
    ended = action == "completed"
    return {
        "id": run.id,
        "path": run.path,
        "event": run.event,
        "head_sha": run.sha,
        "head_branch": run.branch,
        "status": "completed" if ended else "in_progress" if action == "in_progress" else "queued",
        "conclusion": ("failure" if run.red else "success") if ended else None,
        "updated_at": stamp(at),
    }
