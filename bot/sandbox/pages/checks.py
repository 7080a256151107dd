"""Checks: what each says about a commit, its annotations and buttons, and the job behind it with its log."""

from __future__ import annotations

import re
from typing import Any

from bot.sandbox.ci.log import BOM
from bot.sandbox.pages import marks
from bot.sandbox.pages.layout import Html, ago, duration, join, page, repo_header, repo_path, text
from bot.sandbox.pages.markdown import render
from bot.sandbox.pages.pull import Seen, framed
from bot.sandbox.state import CheckRun, GitHub, Job, Repository, WorkflowRun

_STAMP = re.compile(r"^\d{4}-\d\d-\d\dT[\d:.]+Z ")
_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_MOST_LINES = 2_000


def checks(seen: Seen, *, files: int, logins: list[str], token: str) -> str:
    """Every check of the head commit, one after another."""
    runs = marks.checks_of(seen.repo, seen.pull.head_sha)
    parts = [_check(seen.github, seen.repo, run, logins, token) for run in runs]
    empty = Html('<p class="box row quiet">No checks have reported on this commit.</p>')
    return framed(seen, "checks", join(parts or [empty]), files=files)


def check_page(github: GitHub, repo: Repository, run: CheckRun, logins: list[str], token: str) -> str:
    """One check run."""
    pulls = [pull for pull in repo.pulls.values() if pull.head_sha == run.head_sha]
    links = " ".join(
        f'<a href="{text(repo_path(repo))}/pull/{pull.number}">#{pull.number} {text(pull.title)}</a>' for pull in pulls
    )
    body = f"{repo_header(repo)}<p>{links}</p>{_check(github, repo, run, logins, token)}"
    return page(f"{run.name} · {repo.full_name}", Html(body))


def run_page(github: GitHub, repo: Repository, run: WorkflowRun) -> str:
    """A workflow run: its jobs, attempt by attempt."""
    head = (
        f'{repo_header(repo)}<h1 class="title">{text(run.title)} <span class="quiet">{text(run.name)} #{run.run_number}'
        f'</span></h1><p class="quiet">{text(run.event)} · {text(run.head_branch or "")} · tested commit '
        f"<code>{run.checkout[:7]}</code></p>"
    )
    parts = [head, *(f'<p class="box row"><code>{text(problem)}</code></p>' for problem in run.problems)]
    for attempt in reversed(run.attempts):
        rows = [
            f'<li class="row">{marks.sign(job.status, job.conclusion)}<a class="strong grow" '
            f'href="{text(job_path(repo, run, job))}">{text(job.name)}</a>'
            f'<span class="quiet">{"carried over" if job.carried_over else duration(job.started_at, job.completed_at)}'
            "</span></li>"
            for job in attempt.jobs
        ]
        line = f"{marks.sign(attempt.status, attempt.conclusion)} Attempt {attempt.number}"
        none = '<li class="row quiet">No jobs.</li>'
        parts.append(f'<h2>{line} <span class="quiet">{ago(github, attempt.started_at)}</span></h2>')
        parts.append(f'<ul class="box">{"".join(rows) or none}</ul>')
    return page(f"{run.title} · {repo.full_name}", Html("".join(parts)))


def job_page(repo: Repository, run: WorkflowRun, job: Job) -> str:
    """A job: its steps and its log."""
    steps = [
        f'<li class="row">{marks.sign(step.status, step.conclusion)}<span class="grow">{text(step.name)}</span>'
        f'<span class="quiet">{duration(step.started_at, step.completed_at)}</span></li>'
        for step in job.steps
    ]
    head = (
        f'{repo_header(repo)}<p><a href="{text(repo_path(repo))}/actions/runs/{run.id}">{text(run.title)}</a></p>'
        f'<h1 class="title">{marks.sign(job.status, job.conclusion)} {text(job.name)}</h1>'
    )
    body = f'{head}<ul class="box">{"".join(steps)}</ul>{_log(job)}'
    return page(f"{job.name} · {repo.full_name}", Html(body))


def job_path(repo: Repository, run: WorkflowRun, job: Job) -> str:
    """The address of a job's page."""
    return f"{repo_path(repo)}/actions/runs/{run.id}/job/{job.id}"


def _check(github: GitHub, repo: Repository, run: CheckRun, logins: list[str], token: str) -> Html:
    state = marks.words(run.status, run.conclusion)
    took = duration(run.started_at, run.completed_at)
    title = f'<h3 class="title">{text(run.title)}</h3>' if run.title else ""
    prose = f'<div class="prose">{render(run.summary)}{render(run.text)}</div>' if run.summary or run.text else ""
    return Html(
        f'<section class="box check" id="check-{run.id}"><header class="row">{marks.sign(run.status, run.conclusion)}'
        f'<span class="strong grow">{text(run.name)}</span><span class="quiet">{text(run.app.name)} · {state}'
        f"{' in ' + took if took else ''} · {ago(github, run.completed_at or run.started_at)}</span></header>"
        f"{title}{prose}{_annotations(run)}{_log_link(repo, run)}{_buttons(repo, run, logins, token)}</section>"
    )


def _annotations(run: CheckRun) -> Html:
    return join([_annotation(note) for note in run.annotations])


def _annotation(note: dict[str, Any]) -> Html:
    where = f"{note['path']}#L{note['start_line']}"
    title = f'<span class="strong">{text(note["title"])}</span>' if note.get("title") else ""
    return Html(
        f'<div class="annotation {text(note["annotation_level"])}"><code>{text(where)}</code> {title}'
        f"<pre>{text(note['message'])}</pre></div>"
    )


def _log_link(repo: Repository, run: CheckRun) -> Html:
    workflow = repo.runs.get(repo.suites[run.suite].run_id or 0)
    if workflow is None or run.job_id is None:
        return Html("")
    address = f"{repo_path(repo)}/actions/runs/{workflow.id}/job/{run.job_id}"
    return Html(f'<p class="row"><a href="{text(address)}">View the log of this job</a></p>')


def _buttons(repo: Repository, run: CheckRun, logins: list[str], token: str) -> Html:
    if run.status != "completed" or not run.actions:
        return Html("")
    options = "".join(f"<option>{text(login)}</option>" for login in logins)
    buttons = "".join(
        f'<button name="button" value="{text(one["identifier"])}" title="{text(one["description"])}">'
        f"{text(one['label'])}</button> "
        for one in run.actions
    )
    return Html(
        f'<form class="row" method="post" action="{text(repo_path(repo))}/runs/{run.id}/press"><label>As '
        f'<select name="by">{options}</select></label>'
        f'<input type="hidden" name="token" value="{text(token)}">{buttons}</form>'
    )


def _log(job: Job) -> Html:
    """The log with its groups folded; the frame's times are left out, colours too."""
    if job.status != "completed" or job.log is None:
        return Html('<p class="box row quiet">There is no log.</p>')
    parts, depth = ['<div class="log">'], 0
    lines = job.log.removeprefix(BOM).decode("utf-8", "replace").splitlines()
    for line in lines[:_MOST_LINES]:
        plain = _ANSI.sub("", _STAMP.sub("", line))
        if plain.startswith("##[group]"):
            parts.append(f"<details><summary>{text(plain[9:])}</summary>")
            depth += 1
        elif plain.startswith("##[endgroup]"):
            parts.append("</details>" if depth else "")
            depth = max(0, depth - 1)
        else:
            parts.append(f'<div class="{_tone(plain)}">{text(plain)}</div>')
    parts.append("</details>" * depth + "</div>")
    if len(lines) > _MOST_LINES:
        parts.append(f'<p class="quiet">{len(lines) - _MOST_LINES} more lines are not shown.</p>')
    return Html("".join(parts))


def _tone(line: str) -> str:
    for name in ("error", "warning", "notice"):
        if line.startswith(f"##[{name}]"):
            return name
    return "command" if line.startswith("[command]") else "line"
