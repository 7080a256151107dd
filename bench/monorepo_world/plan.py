"""How busy the monorepo is; everything that the world makes follows from these figures and the seed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """Times are in seconds.

    A push starts `workflows` runs. How many jobs they have follows from `rate`: what a lower rate leaves out are green
    jobs, and nothing of what costs calls: pushes, base moves, red jobs and sweeps stay as they are.
    """

    pulls: int = 500
    rate: float = 200.0
    hour: float = 3_600.0
    head_pushes_an_hour: int = 240
    base_every: float = 60.0
    red_heads: float = 0.12
    red_bases: float = 0.03
    most_red_jobs: int = 3
    workflows: int = 5
    queued_for: tuple[float, float] = (1.0, 60.0)
    runs_for: tuple[float, float] = (30.0, 240.0)
    delivery_lag: float = 3.0
    log_lines: int = 4_000
    seed: int = 7

    @property
    def jobs_a_run(self) -> int:
        """How many jobs each run has, so that all deliveries of an hour come to the rate: five for each, six a run."""
        pushes = self.head_pushes_an_hour + self.hour / self.base_every
        return max(1, round((self.rate * self.hour / pushes / self.workflows - DELIVERIES_A_RUN) / DELIVERIES_A_JOB))


DELIVERIES_A_JOB = 5
"""`workflow_job` queued, in_progress, completed; `check_run` created, completed."""

DELIVERIES_A_RUN = 5
"""`workflow_run` requested, in_progress, completed; `check_suite` requested, completed."""
