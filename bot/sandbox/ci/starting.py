"""
Makes runs of what happened: reads the workflow files of the tested commit, asks triggers, approval and file problems.

A file that cannot be run gives a run with conclusion `startup_failure` and no jobs, as on GitHub; `problems_of` has the
sentences, each naming file, line and key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.sandbox.ci.board import Board
from bot.sandbox.ci.contexts import event_contexts
from bot.sandbox.ci.events import Start, starts
from bot.sandbox.ci.expressions import ExpressionError, Status, interpolate
from bot.sandbox.ci.expressions.values import truthy
from bot.sandbox.ci.plan import Plan
from bot.sandbox.ci.runner import builtin, composite
from bot.sandbox.ci.workflow import Concurrency, JobSpec, Problem, WorkflowFile, read_triggers, read_workflow
from bot.sandbox.git import Git
from bot.sandbox.state import WorkflowRun

DIRECTORY = ".github/workflows"


async def start_runs(board: Board, start: Start) -> None:
    """Make every run that this happening starts, in the order of the file names."""
    checkout = await tested_commit(start)
    if checkout is None:
        return
    for path, text in workflow_files(start.repo.git, checkout).items():
        file = read_workflow(path, text)
        if isinstance(file, tuple):
            if _asked_by_broken_file(start, path, text):
                fail_at_start(board, start, checkout, path, file)
            continue
        trigger = file.triggers.get(start.event)
        if trigger is not None and starts(start, trigger):
            make_run(board, start, checkout, file, {})


async def tested_commit(start: Start) -> str | None:
    """
    The commit that the runs test: the head, or for a pull request its merge with the base as they were; None: conflict.

    GitHub: the merge commit is frozen when the run is made; a base that moves later changes nothing.
    """
    if start.base is None:
        return start.head
    if start.merge_commit is not None:
        return start.merge_commit
    git = start.repo.git
    merged = await git.merge_trees(start.base, start.head)
    if merged.tree is None or start.author is None:
        return None
    message = f"Merge {start.head} into {start.base}"
    return git.store.write_commit(merged.tree, (start.base, start.head), message, start.author.signature(start.at))


def workflow_files(git: Git, commit: str) -> dict[str, str]:
    """The workflow files of a commit by path."""
    store = git.store
    folder = store.lookup(store.commit(commit).tree, DIRECTORY)
    if folder is None or not folder.is_tree:
        return {}
    return {
        f"{DIRECTORY}/{entry.name}": store.blob(entry.sha).decode("utf-8", "replace")
        for entry in sorted(store.tree(folder.sha), key=lambda one: one.name)
        if not entry.is_tree and entry.name.endswith((".yml", ".yaml"))
    }


def make_run(board: Board, start: Start, checkout: str, file: WorkflowFile, inputs: dict[str, Any]) -> WorkflowRun:
    """Make a queued run, one that awaits approval, or one that failed at start."""
    problems = _unsupported_actions(board, file)
    if problems:
        return fail_at_start(board, start, checkout, file.path, problems)
    contexts = event_contexts(board.github, start.repo, file, _facts(start, checkout, inputs), start.payload)
    try:
        group, cancels = evaluate_group(file.concurrency, contexts)
        title = interpolate(file.run_name, contexts, Status()) if file.run_name else start.title
    except ExpressionError as error:
        return fail_at_start(board, start, checkout, file.path, [Problem(file.path, 1, "concurrency", str(error))])
    workflow = board.records.workflow(start.repo, file.path, file.name)
    run = board.records.run(start, workflow, checkout, title, inputs)
    plan = Plan(start.repo, run, file, start.payload, start.base_ref, group, cancels)
    board.plans[run.id] = plan
    if _needs_approval(board, start):
        plan.waits_for_approval = True
        board.records.run_completed(start.repo, run, "action_required", start.at)
    return run


def fail_at_start(board: Board, start: Start, checkout: str, path: str, problems: Sequence[Problem]) -> WorkflowRun:
    """Make a run that ended before it began. GitHub: it has no jobs, and no job is told of (GITHUB.md trap 10)."""
    known = start.repo.workflows.get(path)
    workflow = board.records.workflow(start.repo, path, known.name if known else path)
    run = board.records.run(start, workflow, checkout, start.title, {})
    run.problems = [str(problem) for problem in problems]
    board.records.run_completed(start.repo, run, "startup_failure", start.at)
    return run


def evaluate_group(concurrency: Concurrency | None, contexts: dict[str, Any]) -> tuple[str | None, bool]:
    """The concurrency group's name and whether it cancels what is in progress."""
    if concurrency is None:
        return None, False
    group = interpolate(concurrency.group, contexts, Status())
    cancels = concurrency.cancel_in_progress
    if isinstance(cancels, str):
        text = interpolate(cancels, contexts, Status())
        cancels = truthy(text) and text.lower() != "false"
    return group or None, cancels


def _facts(start: Start, checkout: str, inputs: dict[str, Any]) -> dict[str, Any]:
    pull = start.event == "pull_request"
    return {
        "ref": start.ref,
        "sha": checkout,
        "event_name": start.event,
        "head_ref": start.head_branch if pull else "",
        "base_ref": start.base_ref if pull else "",
        "actor": start.actor.login,
        "triggering_actor": start.actor.login,
        "inputs": inputs,
    }


def _asked_by_broken_file(start: Start, path: str, text: str) -> bool:
    """A file with problems fails where its triggers ask for it, and at every push where they cannot be read."""
    triggers = read_triggers(path, text)
    if not triggers:
        return start.event == "push"
    trigger = triggers.get(start.event)
    return trigger is not None and starts(start, trigger)


def _needs_approval(board: Board, start: Start) -> bool:
    """GitHub: runs of a fork's pull request by somebody whose first contribution it is wait for a maintainer."""
    if not board.approvals or start.event != "pull_request" or start.head_repo == start.repo.id:
        return False
    author = start.author
    if author is None or author is start.repo.owner or author.login in start.repo.collaborators:
        return False
    return not any(pull.author is author and pull.merged_at is not None for pull in start.repo.pulls.values())


def _unsupported_actions(board: Board, file: WorkflowFile) -> list[Problem]:
    return [
        Problem(
            file.path,
            step.line,
            f"jobs.{job.id}.steps.{number}.uses",
            f"the action {step.uses} is not supported by this sandbox; {', '.join(builtin.ACTIONS)} are",
        )
        for job in file.jobs.values()
        if not _is_function(board, job)
        for number, step in enumerate(job.steps)
        if step.uses is not None and builtin.find(step.uses) is None and not composite.is_local(step.uses)
    ]


def _is_function(board: Board, job: JobSpec) -> bool:
    return board.controls.function(job.id, job.name or job.id) is not None
