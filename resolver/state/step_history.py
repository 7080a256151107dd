"""How long the steps of each job have taken: what a step's budget is made of. Bounded, whatever order facts come in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from resolver.facts import JobFinished
from resolver.limits import LIMITS
from resolver.records import nothing

Sample = tuple[float, str, float]
"""When and on which runner a step started, and how long it took; times in seconds."""

Steps = Mapping[str, tuple[Sample, ...]]


@dataclass(frozen=True, slots=True)
class StepHistory:
    """
    Durations of steps that succeeded, by job and step name, the newest of each.

    A job names its workflow by name only, and its run may be told later: so the name stands for the file, and one
    job's past holds all its events.
    """

    jobs: Mapping[str, Steps] = field(default_factory=nothing)

    def steps_of(self, workflow: str, job: str) -> Steps:
        """Give the known steps of a job by name."""
        return self.jobs.get(_key(workflow, job), {})

    def past(self, workflow: str, job: str, step: str) -> tuple[float, ...]:
        """Give a step's past durations (seconds), oldest first."""
        return tuple(seconds for *_, seconds in self.steps_of(workflow, job).get(step, ()))

    def with_job(self, job: JobFinished) -> StepHistory:
        """Give the history with one more finished job. GitHub lists a job again in later attempts: it counts once."""
        key = _key(job.workflow, job.name)
        before = self.jobs.get(key, {})
        steps = dict(before)
        for name, sample in _samples(job):
            known = steps.get(name, ())
            if sample not in known and (known or len(steps) < LIMITS.step_names):
                steps[name] = tuple(sorted((*known, sample))[-LIMITS.step_samples :])
        if steps == before:
            return self
        return StepHistory(_bounded({**self.jobs, key: steps}))


def _key(workflow: str, job: str) -> str:
    return f"{workflow}: {job}"


def _samples(job: JobFinished) -> list[tuple[str, Sample]]:
    """Only success counts: a step that failed, was cancelled or ran into a limit says nothing of how long it takes."""
    return [
        (step.name, (step.started_at, job.runner or "", max(0.0, step.completed_at - step.started_at)))
        for step in job.steps
        if step.conclusion == "success" and step.started_at is not None and step.completed_at is not None
    ]


def _bounded(jobs: dict[str, Steps]) -> Mapping[str, Steps]:
    """Forget the jobs that have not run for the longest time, a tenth at once, so that it happens rarely."""
    if len(jobs) <= LIMITS.step_jobs:
        return jobs
    last = sorted(jobs, key=lambda key: (max(each[-1][0] for each in jobs[key].values()), key))
    gone = set(last[: len(jobs) - LIMITS.step_jobs * 9 // 10])
    return {key: steps for key, steps in jobs.items() if key not in gone}
