"""The signs of checks and pull requests: what a state looks like, and which check runs a commit shows."""

from __future__ import annotations

from bot.sandbox.changes.checks import latest, runs_of
from bot.sandbox.pages.layout import Html, text
from bot.sandbox.state import CheckRun, Pull, Repository, Status

_SIGNS = {
    "success": ("good", "✓", "succeeded"),
    "failure": ("bad", "✕", "failed"),
    "timed_out": ("bad", "✕", "timed out"),
    "startup_failure": ("bad", "✕", "could not start"),
    "error": ("bad", "✕", "failed"),
    "action_required": ("wait", "!", "needs action"),
    "cancelled": ("dull", "⊘", "cancelled"),
    "skipped": ("dull", "⊘", "skipped"),
    "stale": ("dull", "⊘", "stale"),
    "neutral": ("dull", "■", "neutral"),
    "in_progress": ("wait", "●", "in progress"),
    "queued": ("wait", "○", "queued"),
    "pending": ("wait", "○", "pending"),
    "waiting": ("wait", "○", "waiting"),
}


def sign(status: str, conclusion: str | None) -> Html:
    """The mark of a check, a job or a step."""
    kind, mark, words = _SIGNS.get(conclusion or status, ("dull", "?", conclusion or status))
    return Html(f'<span class="mark {kind}" title="{text(words)}">{mark}</span>')


def words(status: str, conclusion: str | None) -> str:
    """A state in words."""
    return _SIGNS.get(conclusion or status, ("", "", conclusion or status))[2]


def checks_of(repo: Repository, sha: str) -> list[CheckRun]:
    """The newest check run of each name in each suite of a commit: failures first, then by name."""
    found = [run for suite in repo.suites.values() if suite.head_sha == sha for run in latest(runs_of(repo, suite))]
    order = {"bad": 0, "wait": 1, "good": 2, "dull": 3}
    return sorted(found, key=lambda run: (order[_kind(run.status, run.conclusion)], run.name))


def statuses_of(repo: Repository, sha: str) -> list[Status]:
    """The newest commit status of each context."""
    newest = {status.context: status for status in repo.statuses if status.sha == sha}
    return sorted(newest.values(), key=lambda status: status.context)


def summary(runs: list[CheckRun], statuses: list[Status]) -> tuple[str, str]:
    """How the checks of a commit stand: a kind of mark and a sentence."""
    kinds = [_kind(run.status, run.conclusion) for run in runs] + [_kind(one.state, None) for one in statuses]
    if not kinds:
        return "dull", "No checks have reported on this commit"
    counts = {kind: kinds.count(kind) for kind in ("bad", "wait", "good", "dull")}
    if counts["bad"]:
        return "bad", "Some checks were not successful"
    if counts["wait"]:
        return "wait", "Some checks have not completed yet"
    return "good", "All checks have passed"


def counted(runs: list[CheckRun], statuses: list[Status]) -> str:
    """`1 failing, 2 successful, 1 neutral checks`."""
    names = {"bad": "failing", "wait": "waiting", "good": "successful", "dull": "neutral or skipped"}
    kinds = [_kind(run.status, run.conclusion) for run in runs] + [_kind(one.state, None) for one in statuses]
    parts = [f"{kinds.count(kind)} {word}" for kind, word in names.items() if kind in kinds]
    return f"{', '.join(parts)} check{'' if len(kinds) == 1 else 's'}" if parts else ""


def state_badge(pull: Pull) -> Html:
    """Open, Draft, Closed or Merged."""
    if pull.merged_at is not None:
        return Html('<span class="state merged">Merged</span>')
    if pull.state == "closed":
        return Html('<span class="state closed">Closed</span>')
    return Html('<span class="state draft">Draft</span>' if pull.draft else '<span class="state open">Open</span>')


def _kind(status: str, conclusion: str | None) -> str:
    return _SIGNS.get(conclusion or status, ("dull", "", ""))[0]
