"""Where a worker works: one repository of one installation, with the clock, the settings and the pace at hand."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.clock import Clock
from bot.github import GitHub, Installation, route
from bot.llm import Model
from bot.notify import Destinations
from resolver.facts import RepoObserved


@dataclass(frozen=True, slots=True)
class Pace:
    """The workers' limits. GitHub: content is created at most 80 times a minute and 500 an hour, writes a second apart.

    `reserve` is the part of a minute's and an hour's writes that is kept for what people wait for. Waits are in
    seconds, `log_bytes` caps one downloaded log, `annotations` those of one check run. A
    command that is found later than `command_age` after it was written is not carried out.
    """

    orders: int = 16
    lease: float = 120.0
    write_every: float = 1.0
    writes_a_minute: int = 80
    writes_an_hour: int = 500
    reserve: float = 0.2
    first_backoff: float = 5.0
    longest_backoff: float = 600.0
    lag_tries: int = 4
    refusal_rest: float = 3_600.0
    stop_rest: float = 60.0
    rerun_rest: float = 120.0
    log_bytes: int = 1_000_000_000
    annotations: int = 50
    command_age: float = 86_400.0


@dataclass(frozen=True, slots=True)
class Place:
    """A repository to work on. After a rename GitHub redirects the old path, until a delivery brings the new name.

    `model` is whom the model rung asks, None where there is nobody. `urgent`: what is done here may use what is kept of
    GitHub's allowance.
    """

    github: GitHub
    repo: RepoObserved
    clock: Clock
    pace: Pace
    web_url: str = "https://github.com"
    destinations: Destinations = field(default_factory=Destinations)
    model: Model | None = None
    urgent: bool = False

    @property
    def installation(self) -> Installation:
        """The App in the repository's account."""
        if self.repo.installation_id is None:
            raise LookupError(f"no installation is known for {self.repo.full_name}")
        found = self.github.installation(self.repo.installation_id)
        return found.with_reserve() if self.urgent else found

    @property
    def repo_url(self) -> str:
        """The repository's page, for links that people click."""
        return f"{self.web_url}/{self.repo.full_name}"

    def path(self, template: str, **values: str | int) -> str:
        """Fill in a path below the repository: `path("/pulls/{number}", number=7)`."""
        owner, _, name = self.repo.full_name.partition("/")
        return route("/repos/{owner}/{repo}" + template, owner=owner, repo=name, **values)
