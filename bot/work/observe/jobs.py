"""Reads of what ran on a head: workflow runs with the jobs of each that has ended or failed, and checks of other CI."""

from __future__ import annotations

from bot.objects import NotUnderstood, job_finished, run_observed
from bot.objects.progress import job_progressed
from bot.work.observe.third_party import third_party_at
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import ReadRuns
from resolver.facts import Fact, RunObserved, RunsRead


async def read_runs(place: Place, action: ReadRuns) -> Outcome:
    """List a head's runs and finished jobs, of all attempts, since each counts as evidence; other CI's where asked."""
    runs: list[RunObserved] = []
    listed = place.installation.pages(place.path("/actions/runs"), key="workflow_runs", head_sha=action.head_sha)
    async for item in listed:
        try:
            runs.append(run_observed(item))
        except NotUnderstood:
            continue
    facts: list[Fact] = [*runs]
    for run in runs:
        facts.extend(await _jobs(place, run))
    if action.others:
        facts.extend(await third_party_at(place, action.head_sha))
    read = RunsRead(head_sha=action.head_sha, at=place.clock.now(), rollup=action.rollup, others=action.others)
    facts.append(read)
    return Outcome(tuple(facts))


async def _jobs(place: Place, run: RunObserved) -> list[Fact]:
    path = place.path("/actions/runs/{run}/jobs", run=run.run_id)
    jobs: list[Fact] = []
    async for item in place.installation.pages(path, key="jobs", filter="all"):
        try:
            told = job_finished(item) or job_progressed(item, place.clock.now())
        except NotUnderstood:
            continue
        if told is not None:
            jobs.append(told)
    return jobs
