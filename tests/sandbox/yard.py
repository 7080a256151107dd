"""A GitHub without ports: one repository, its people and its CI; every webhook payload is checked by its schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.clock import ManualClock
from bot.sandbox.changes import accounts
from bot.sandbox.ci.engine import Ci
from bot.sandbox.description import load
from bot.sandbox.people import People
from bot.sandbox.state import Act, Actor, GitHub, Happening, Job, Repository, WorkflowRun
from bot.sandbox.webhooks.payloads import payload


@dataclass
class Mute:
    """Stands where webhooks would be."""

    muted: bool = False


@dataclass
class Yard:
    """What a test of the CI plays with. `heard` holds (event, action, name of job or check); `problems` must stay empty."""

    clock: ManualClock
    github: GitHub
    people: People
    ci: Ci
    repo: Repository
    heard: list[tuple[str, str | None, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def hear(self, happening: Happening) -> None:
        """Note what happened and check the payload that would tell it."""
        named = happening.subject.get("job") or happening.subject.get("check_run") or happening.subject.get("run")
        self.heard.append((happening.event, happening.action, named.name if named else ""))
        body = payload(self.github, happening)
        self.problems += load().webhook_problems(happening.event, happening.action, body)

    def act(self, login: str = "maintainer") -> Act:
        """Somebody's act."""
        return Act(self.github, self.repo, Actor(self.people.account(login)))

    @property
    def runs(self) -> list[WorkflowRun]:
        """Every run, oldest first."""
        return list(self.repo.runs.values())

    @property
    def run(self) -> WorkflowRun:
        """The newest run."""
        return self.runs[-1]

    @property
    def jobs(self) -> dict[str, Job]:
        """The newest run's jobs by name, of its latest attempt."""
        return {job.name: job for job in self.run.latest.jobs}

    def ends(self) -> dict[str, str | None]:
        """Conclusions of the newest run's jobs."""
        return {name: job.conclusion for name, job in self.jobs.items()}


def make_yard(root: Path, workflow: str | Sequence[str], files: Mapping[str, str] | None = None) -> Yard:
    """Make a yard whose repository has the workflow `ci.yml` (text, or names of simple jobs)."""
    clock = ManualClock()
    github = GitHub(root, clock)
    accounts.add_actions_app(github)
    owner = accounts.add_account(github, "octo", "Organization")
    ci = Ci(github, root / "jobs", payload)
    people = People(github, owner, ci, Mute())
    repo = people.repo("demo", {"app.py": "x = 1\n", **(files or {})}, {"ci.yml": workflow})
    yard = Yard(clock, github, people, ci, repo)
    github.listeners.append(yard.hear)
    return yard


def on_pull(jobs: str, extra: str = "") -> str:
    """A workflow for pull requests with these jobs (YAML, not indented)."""
    body = "".join(f"  {line}\n" if line else "\n" for line in jobs.strip("\n").split("\n"))
    return f"name: CI\non: pull_request\n{extra}jobs:\n{body}"


def steps(*lines: str) -> str:
    """`runs-on` and run steps, as YAML in flow style."""
    parts = ", ".join("{run: " + _quoted(line) + "}" for line in lines)
    return f"runs-on: ubuntu-latest, steps: [{parts}]"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
