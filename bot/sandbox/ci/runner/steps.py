"""
Runs a job's real steps in a directory of its own, one after another, as GitHub's runner would.

Promises: `if`, `continue-on-error`, time limits, outputs, environment and path files, masks and matchers behave as
documented; a process sees none of the variables of whoever runs the sandbox.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping

from bot.sandbox.ci.expressions import ExpressionError, evaluate_condition, expand
from bot.sandbox.ci.expressions.values import truthy
from bot.sandbox.ci.runner import builtin, composite, frame
from bot.sandbox.ci.runner.output import StepOutput
from bot.sandbox.ci.runner.running import RunningJob, Verdict
from bot.sandbox.ci.runner.script_step import run_step
from bot.sandbox.ci.runner.task import JobResult, Task
from bot.sandbox.ci.workflow import StepSpec
from bot.sandbox.state import Step


async def run_steps(task: Task, earlier: Mapping[str, bytes]) -> JobResult:
    """Run every step of the job. `earlier` are the artifacts that other jobs of the run have uploaded, by name."""
    job = RunningJob(task, earlier, steps=task.steps or frame.planned_steps(task.spec, task.started))
    _begin(job)
    for spec, step in zip(task.spec.steps, job.steps[1:], strict=True):
        step.status, step.started_at = "in_progress", job.now()
        step.conclusion = await _step(job, spec, step)
        step.status, step.completed_at = "completed", job.now()
    job.end_steps()
    frame.clean_up(job.log, task, job.now())
    for spec in reversed(task.spec.steps):
        if (spec.uses or "").startswith("actions/checkout@"):
            job.frame_step(f"Post {spec.title}")
    job.frame_step("Complete job")
    outputs = _outputs(job)
    return JobResult(
        conclusion="cancelled" if task.cancelled.is_set() else job.status,
        seconds=time.monotonic() - job.begun,
        steps=job.steps,
        log=job.log.content(),
        annotations=job.memory.annotations,
        outputs=outputs,
        uploads=job.uploads,
    )


def _begin(job: RunningJob) -> None:
    job.task.workspace.mkdir(parents=True, exist_ok=True)
    (job.task.directory / "temp").mkdir(parents=True, exist_ok=True)
    job.task.event_path.write_text(json.dumps(job.task.contexts["github"]["event"]))
    job.memory.masks.append(job.task.token)
    frame.set_up(job.log, job.task, job.now())
    try:
        for layer in job.task.env:
            job.env.update(job.texts(layer, job.env))
    except ExpressionError as error:
        job.fail(str(error))


async def _step(job: RunningJob, spec: StepSpec, step: Step | None = None) -> Verdict:
    """Run one step, of the job or of a composite action; gives its conclusion and books its outcome."""
    output = job.output()
    outcome: Verdict
    try:
        env = {**job.env, **job.texts(spec.env, job.env)}
        if step is not None:
            step.name = job.text(spec.title, env)
        wanted = evaluate_condition(spec.condition, job.names(env), job.so_far())
        outcome = await _carry_out(job, spec, env, output) if wanted else "skipped"
        forgiven = truthy(expand(spec.continue_on_error, job.names(env), job.so_far()))
    except (ExpressionError, ValueError) as error:
        output.take(f"::error::{error}".encode())
        outcome, forgiven = "failure", False
    conclusion: Verdict = "success" if outcome == "failure" and forgiven else outcome
    if spec.id:
        job.seen[spec.id] = {"outputs": dict(output.outputs), "outcome": outcome, "conclusion": conclusion}
    if conclusion in {"failure", "cancelled"} and job.status == "success":
        job.status = conclusion
    return conclusion


async def _carry_out(job: RunningJob, spec: StepSpec, env: dict[str, str], output: StepOutput) -> Verdict:
    if spec.uses is None:
        return await run_step(job, spec, env, output)
    inputs = job.texts(spec.inputs, env)
    frame.action_header(job.log, spec.uses, inputs, env, job.now())
    if composite.is_local(spec.uses):
        verdict, outputs = await composite.run(job, spec.uses, inputs, env, _step)
        output.outputs.update(outputs)
        return verdict
    action = builtin.find(spec.uses)
    if action is None:
        raise ValueError(f"The action {spec.uses} is not supported by this sandbox")
    end = await action(builtin.ActionCall(job.task, inputs, output, job.uploads, job.earlier))
    output.outputs.update(end.outputs)
    job.paths = [*end.paths, *job.paths]
    if end.after is not None:
        job.posts.append((spec.title, end.after))
    if end.error is not None:
        raise ValueError(end.error)
    return "success"


def _outputs(job: RunningJob) -> dict[str, str]:
    try:
        return job.texts(job.task.spec.outputs, job.env)
    except ExpressionError as error:
        job.fail(str(error))
        return {}
