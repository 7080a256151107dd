"""What happens on the embedded GitHub, told line by line as a person would: pushes, checks, comments."""

from __future__ import annotations

import sys
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape

from bot.sandbox.state import CheckRun, Comment, Happening, Job, Pull


class Conversation:
    """Listens and prints; on a terminal with colour, elsewhere as plain lines. Counts what people did."""

    def __init__(self, to: TextIO | None = None, *, quiet: bool = False) -> None:
        stream = to or sys.stdout
        self._console = Console(file=stream, highlight=False, soft_wrap=True, quiet=quiet)
        self.people = 0

    def heard(self, happening: Happening) -> None:
        """Tell one thing that happened, if people would want to know it."""
        if happening.actor.type == "User" and happening.event in _BY_PEOPLE:
            self.people += 1
        teller = _TELLERS.get((happening.event, happening.action or ""))
        told = teller(happening.subject) if teller else None
        if told is None:
            return
        who = f"[bold]{escape(happening.actor.login)}[/]"
        first, *rest = told.split("\n")
        self._console.print(f"{who} {first}")
        for line in rest:
            self._console.print(f"[dim]    │[/] {line}")

    def say(self, text: str) -> None:
        """Print a line of our own."""
        self._console.print(text)


_BY_PEOPLE = frozenset({"push", "pull_request", "issue_comment", "pull_request_review"})


def _opened(subject: dict[str, Any]) -> str:
    pull: Pull = subject["pull"]
    return f"opened pull request #{pull.number}: {escape(pull.title)}  [dim]{pull.head_ref} at {pull.head_sha[:7]}[/]"


def _pushed(subject: dict[str, Any]) -> str:
    pull: Pull = subject["pull"]
    return f"pushed to pull request #{pull.number}  [dim]now at {pull.head_sha[:7]}[/]"


def _merged(subject: dict[str, Any]) -> str:
    pull: Pull = subject["pull"]
    return f"{'merged' if pull.merged_at else 'closed'} pull request #{pull.number}"


def _job(subject: dict[str, Any]) -> str | None:
    job: Job = subject["job"]
    colour = {"success": "green", "failure": "red"}.get(job.conclusion or "", "yellow")
    return f"ran {escape(job.name)} on {job.head_sha[:7]}: [{colour}]{job.conclusion}[/]"


def _check(subject: dict[str, Any]) -> str | None:
    run: CheckRun = subject["check_run"]
    if run.job_id is not None:
        return None
    marks = "".join(
        f"\n{escape(mark['path'])}:{mark['start_line']}  {escape(str(mark['message']).splitlines()[0])}"
        for mark in run.annotations
    )
    return f"set the check [bold]{escape(run.name)}[/] to {run.conclusion}: {escape(run.title or '')}{marks}"


def _commented(subject: dict[str, Any]) -> str:
    comment: Comment = subject["comment"]
    return f"commented on #{comment.number}\n{escape(_readable(comment.body))}"


def _edited(subject: dict[str, Any]) -> str:
    comment: Comment = subject["comment"]
    return f"edited the comment on #{comment.number}\n{escape(_readable(comment.body))}"


def _readable(body: str) -> str:
    """Drop the hidden marker and blank lines at the ends."""
    lines = [line for line in body.splitlines() if not line.startswith("<!--")]
    return "\n".join(lines).strip()


_TELLERS = {
    ("pull_request", "opened"): _opened,
    ("pull_request", "synchronize"): _pushed,
    ("pull_request", "closed"): _merged,
    ("workflow_job", "completed"): _job,
    ("check_run", "completed"): _check,
    ("issue_comment", "created"): _commented,
    ("issue_comment", "edited"): _edited,
}
