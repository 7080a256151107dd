"""One repository with its base branch, pull requests and CI. What fails in an execution follows from causes and chance.

The base's own runs and the first runs of pull requests depend on the seed alone, so that every policy meets the same
incident; what a policy starts itself draws from its own stream.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from random import Random
from typing import Any

from attribution_world.logs import Broken, Run, Test, render

Job = dict[str, Any]


@dataclass
class Cause:
    """
    Why something fails. Present where all its limits hold: base commits by index (from, until), time, one pull request.
    `rate` below 1 is a flake. `truth` is the class that a person with full knowledge would give; None for trouble that
    is nobody's.
    """

    truth: str
    check: str
    kind: str
    test: Test | None
    path: str
    line: int
    got: str
    want: str = "20"
    rate: float = 1.0
    slow: bool = False
    varies: bool = False
    from_base: int = 0
    until_base: int = 1 << 30
    from_time: float = 0.0
    until_time: float = float("inf")
    pull: int | None = None

    def present(self, base: int, pull: int | None, at: float) -> bool:
        """Say whether the cause can act in such an execution."""
        here = self.from_base <= base < self.until_base and self.from_time <= at < self.until_time
        return here and self.pull in (None, pull)

    @property
    def name(self) -> str:
        """What fails: a test, or a place."""
        return self.test.name if self.test else f"{self.path}:{self.line}"

    def broken(self, random: Random) -> Broken:
        """What it shows when it acts."""
        got = str(random.randrange(100, 999)) if self.varies else self.got
        return Broken(self.kind, self.test, self.path, self.line, got, self.want, self.slow)


@dataclass
class Trouble:
    """Surroundings that fail: from when to when, how often, and how it looks."""

    since: float
    until: float
    share: float
    looks: str


@dataclass
class Pull:
    """A pull request as it stands when its checks are red. `files` are as GitHub lists them, with patches."""

    number: int
    author: str
    head: str
    base_index: int
    at: float
    files: list[dict[str, Any]]
    forced: Cause | None = None
    trouble: str | None = None


@dataclass
class Order:
    """One execution to be made. `forced` and `trouble` are what it meets for sure."""

    check: str
    base: int
    sha: str
    event: str
    at: float
    pull: Pull | None = None
    attempt: int = 1
    run_id: int | None = None
    forced: Cause | None = None
    trouble: str | None = None


@dataclass
class World:
    """Everything of one repository. `policy` names the stream of chance for what is started later."""

    seed: str
    policy: str
    style: str
    tests: tuple[Test, ...]
    commits: list[tuple[str, float]]
    push_share: float
    causes: list[Cause] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    pulls: list[Pull] = field(default_factory=list)
    past: list[Pull] = field(default_factory=list)
    truth: dict[tuple[int, str], set[str]] = field(default_factory=dict)
    spent: int = 0
    _runs: dict[int, tuple[Run, str]] = field(default_factory=dict)
    _pushes: dict[tuple[int, str], Job | None] = field(default_factory=dict)
    _ids: int = 1000

    # What can be read

    def base_index(self, at: float) -> int:
        """The newest commit of the base branch at a time."""
        return max(index for index, (_, when) in enumerate(self.commits) if when <= at)

    def line(self, at: float) -> list[str]:
        """The base branch's commits at a time, oldest first."""
        return [sha for sha, when in self.commits if when <= at]

    def push_jobs(self, at: float, newest: int = 80) -> list[Job]:
        """Finished jobs of the base's own runs; not every commit has one."""
        last = self.base_index(at)
        found = [
            self._push(index, check) for index in range(max(0, last - newest), last + 1) for check in ("test", "static")
        ]
        return [job for job in found if job is not None and job["completed_at"] <= at]

    def past_jobs(self) -> list[Job]:
        """Jobs of earlier pull requests of other people, with what they ran again by hand."""
        found: list[Job] = []
        for pull in self.past:
            random = Random(f"{self.seed}|past|{pull.number}")
            first = self._execute(_first(pull, "test"), random)
            found.append(first)
            if first["conclusion"] == "failure" and random.random() < 0.6:
                again = _again(pull, first, first["completed_at"] + random.uniform(60, 1800))
                found.append(self._execute(again, random))
        return found

    def red_pulls(self) -> list[Pull]:
        """The pull requests whose first jobs did not all pass: by chance, not each one does."""
        return [pull for pull in self.pulls if any(job["conclusion"] == "failure" for job in self.first_jobs(pull))]

    def first_jobs(self, pull: Pull) -> list[Job]:
        """The jobs of the pull request's head as its push started them."""
        random = Random(f"{self.seed}|first|{pull.number}")
        orders = [_first(pull, check) for check in ("test", "static")]
        for order in orders:
            order.forced = pull.forced if pull.forced is not None and pull.forced.check == order.check else None
            order.trouble = pull.trouble if order.check == "test" else None
        return [self._execute(order, random) for order in orders]

    def log(self, job: Job) -> bytes:
        """The log of a job."""
        run, stream = self._runs[job["id"]]
        return render(run, Random(stream))

    # What can be started; each counts

    def rerun(self, pull: Pull, job: Job, at: float) -> Job:
        """Run one failed job again: same head, same frozen merge commit, next attempt."""
        self.spent += 1
        return self._execute(_again(pull, job, at), self._own())

    def probe(self, sha: str, check: str, at: float) -> Job:
        """Run a check on a commit of the base branch by a dispatch."""
        self.spent += 1
        index = next(n for n, (each, _) in enumerate(self.commits) if each == sha)
        return self._execute(Order(check, index, sha, "workflow_dispatch", at), self._own())

    def _own(self) -> Random:
        return Random(f"{self.seed}|{self.policy}|{self.spent}")

    # How an execution comes about

    def _push(self, index: int, check: str) -> Job | None:
        if (index, check) not in self._pushes:
            random = Random(f"{self.seed}|push|{index}|{check}")
            sha, at = self.commits[index]
            ran = random.random() < self.push_share
            self._pushes[index, check] = self._execute(Order(check, index, sha, "push", at), random) if ran else None
        return self._pushes[index, check]

    def _execute(self, order: Order, random: Random) -> Job:
        began = order.at + random.uniform(10, 120)
        ended = began + (random.uniform(180, 900) if order.check == "test" else random.uniform(40, 150))
        trouble = order.trouble or self._trouble(began, random)
        acting = [] if trouble else self._acting(order, began, random)
        self._ids += 1
        runner = f"GitHub Actions {random.randrange(1000, 9999)}"
        style = self.style if order.check == "test" else "tsc" if self.style == "jest" else "ruff"
        tested = None if order.pull is None else self.commits[order.base][0]
        broken = tuple(cause.broken(random) for cause in _once(acting))
        run = Run(style, began, order.sha, tested, self.tests, broken, trouble, runner)
        self._runs[self._ids] = (run, f"{self.seed}|log|{random.random()}")
        self._remember(order.pull, acting, trouble)
        return {
            "id": self._ids,
            "run_id": order.run_id or self._ids * 10,
            "run_attempt": order.attempt,
            "name": order.check,
            "path": f".github/workflows/{order.check}.yml",
            "event": order.event,
            "head_sha": order.sha,
            "status": "completed",
            "conclusion": "failure" if broken or trouble else "success",
            "started_at": began,
            "completed_at": ended,
            "labels": ["ubuntu-latest"],
            "runner_name": runner,
        }

    def _acting(self, order: Order, at: float, random: Random) -> list[Cause]:
        number = order.pull.number if order.pull is not None else None
        there = [cause for cause in self.causes if cause.check == order.check and cause.present(order.base, number, at)]
        acting = [cause for cause in there if cause is order.forced or random.random() < cause.rate]
        # A compiler stops before any test runs, and a hanging test ends the job.
        for kind in ("build", "stall"):
            first = [cause for cause in acting if cause.kind == kind]
            if first and order.check == "test":
                return first
        return acting

    def _trouble(self, at: float, random: Random) -> str | None:
        for trouble in self.troubles:
            if trouble.since <= at < trouble.until and random.random() < trouble.share:
                return trouble.looks if trouble.looks != "net" else random.choice(("timeout", "dns", "reset", "lost"))
        return None

    def _remember(self, pull: Pull | None, acting: list[Cause], trouble: str | None) -> None:
        if pull is None:
            return
        for cause in acting:
            self.truth.setdefault((pull.number, cause.name), set()).add(cause.truth)
        if trouble:
            whose = "base-defect" if trouble == "dependency" else "infrastructure"
            self.truth.setdefault((pull.number, trouble), set()).add(whose)


def _first(pull: Pull, check: str) -> Order:
    return Order(check, pull.base_index, pull.head, "pull_request", pull.at, pull)


def _again(pull: Pull, job: Job, at: float) -> Order:
    attempt = job["run_attempt"] + 1
    return Order(job["name"], pull.base_index, pull.head, "pull_request", at, pull, attempt, job["run_id"])


def _once(acting: list[Cause]) -> list[Cause]:
    """A test fails once, whatever number of causes it has."""
    named = {cause.name: cause for cause in reversed(acting)}
    return list(reversed(named.values()))


def sha_of(*parts: object) -> str:
    """A commit's id."""
    return hashlib.sha1("|".join(map(str, parts)).encode(), usedforsecurity=False).hexdigest()
