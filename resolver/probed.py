"""What a probe's commit has shown: which of its jobs speaks for the check, of which base commit, and whether it ended.

A push and a pull request start more than the check's own workflow, so that a job's name alone proves nothing there; and
a pull request tests its merge with the base of that moment, which its run's log tells.
"""

from __future__ import annotations

from resolver.executions import Check
from resolver.facts import JobFinished, ProbeDispatched, RunObserved
from resolver.ids import Sha
from resolver.state import Head


def speaks(probe: ProbeDispatched, head: Head, job: JobFinished) -> bool:
    """Say whether a job of the probe's commit is the execution that was asked for."""
    run = head.runs.get(job.run_id)
    return job.name == probe.check.job and (run is None or _is_its_run(probe, run))


def stands_for(probe: ProbeDispatched) -> Check:
    """The check that such a job executed. `failres-probe.yml` has other workflows' checks in it."""
    return probe.check.model_copy(update={"event": probe.event})


def probed_base(probe: ProbeDispatched, told: Sha | None) -> Sha:
    """The base commit that it says something about; `told` is what a run's log says was merged."""
    return told if probe.pull is not None and told is not None else probe.base_sha


def has_ended(probe: ProbeDispatched, head: Head) -> bool:
    """Say whether nothing more will come of it. What else its branch has started is not waited for."""
    runs = [run for run in head.runs.values() if _is_its_run(probe, run)]
    return bool(runs) and bool(head.jobs) and all(run.status == "completed" for run in runs)


def _is_its_run(probe: ProbeDispatched, run: RunObserved) -> bool:
    return not probe.workflow or (run.path.partition("@")[0], run.event) == (probe.workflow, probe.event)
