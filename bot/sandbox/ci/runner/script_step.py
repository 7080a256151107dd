"""A `run` step: its script in its shell, with its environment, limits and command files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping

from bot.sandbox.ci.expressions.values import to_number, to_text
from bot.sandbox.ci.runner import frame
from bot.sandbox.ci.runner.command_files import CommandFiles
from bot.sandbox.ci.runner.environment import github_variables
from bot.sandbox.ci.runner.output import StepOutput
from bot.sandbox.ci.runner.running import RunningJob, Verdict
from bot.sandbox.ci.runner.script import Ended, command_line, run_script
from bot.sandbox.ci.workflow import StepSpec

_NO_LIMIT_MINUTES = 360.0
_AFTER_CANCELLATION = 300.0


async def run_step(job: RunningJob, spec: StepSpec, env: dict[str, str], output: StepOutput) -> Verdict:
    """Run the step's script and take in what it wrote for later steps. `ValueError` for a malformed command file."""
    script = job.text(spec.run, env)
    shell = job.text(spec.shelling.shell, env) or None
    number = next(job.numbers)
    path = job.task.directory / "temp" / f"step{number}.sh"
    path.write_text(script)
    frame.script_header(job.log, script, command_line(shell, "{0}"), env, job.now())
    limit = (to_number(job.text(spec.timeout_minutes, env)) or _NO_LIMIT_MINUTES) * 60
    # GitHub: after a cancellation, steps that ask for `always()` still run, for five minutes at most.
    over = job.task.cancelled.is_set()
    left = _AFTER_CANCELLATION if over else job.seconds_left
    files = CommandFiles(job.task.directory / "files" / str(number))
    try:
        ended = await run_script(
            command_line(shell, str(path)),
            directory=job.task.workspace / (job.text(spec.shelling.working_directory, env) or "."),
            environment={**_environment(job, env), **files.create()},
            line=output.take,
            timeout_seconds=min(limit, left),
            cancelled=asyncio.Event() if over else job.task.cancelled,
        )
    except FileNotFoundError as error:
        output.take(f"::error::An error occurred trying to start process: {error}".encode())
        return "failure"
    output.outputs.update(files.pairs("GITHUB_OUTPUT"))
    job.env.update(files.pairs("GITHUB_ENV"))
    job.paths = [*reversed(files.lines("GITHUB_PATH")), *job.paths]
    sentence = f"The action '{spec.title}' has timed out after {to_text(limit / 60)} minutes."
    return _verdict(job, ended, output, sentence if limit < left else None)


def _verdict(job: RunningJob, ended: Ended, output: StepOutput, step_limit: str | None) -> Verdict:
    """Log how a script ended. `step_limit` is the sentence for the step's own time limit, where that came first."""
    if ended.reason == "exit":
        if ended.status != 0:
            job.log.add(frame.exit_line(ended.status), job.now())
            output.annotate("failure", f"Process completed with exit code {ended.status}.")
        return "success" if ended.status == 0 else "failure"
    if ended.reason == "cancelled":
        output.take(b"::error::The operation was canceled.")
        return "cancelled"
    if step_limit is not None:
        output.take(f"::error::{step_limit}".encode())
        return "failure"
    text = f"The job has exceeded the maximum execution time of {to_text(job.limit_minutes)}m0s"
    output.take(f"::error::{text}".encode())
    job.task.cancelled.set()  # GitHub: a job over its time is cancelled, not failed
    return "cancelled"


def _environment(job: RunningJob, env: Mapping[str, str]) -> dict[str, str]:
    path = os.pathsep.join([*job.paths, os.environ.get("PATH", os.defpath)])
    return {**github_variables(job.task), **env, "PATH": path}
