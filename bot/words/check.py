"""The check run **failres**: always completed, always neutral; cause in the title, evidence in the summary. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, assert_never

from bot.words import config_file
from bot.words.beside import beside
from bot.words.comment import next_step
from bot.words.evidence import evidence
from bot.words.failure import SHOWN_FAILURES, cause, ending, headline, label, place, where
from bot.words.held import held
from bot.words.inert import code, one_line, shorten, visible
from bot.words.lists import listed, rows
from bot.words.queue import queued, remedy, trouble_title
from bot.words.rebase import rebased
from bot.words.stall import stalls, unfinished
from bot.words.times import utc_minute
from bot.words.verdict import sentence
from resolver.attribution.outcome import Verdict
from resolver.config import CONFIG_PATH, ConfigProblem
from resolver.decide.ceilings import over
from resolver.facts.commands import Button
from resolver.failure import Failure
from resolver.report import FailedCheck, Report
from resolver.state.spent import Ceiling
from resolver.taxonomy import TAXONOMY

NAME = "failres"
TITLE = 250
SUMMARY = 65_535
ANNOTATION = 2_000
VERDICTS = 10
NAMES = 20


def external_id(report: Report) -> str:
    """Give the identity by which failres finds its own check run again."""
    return f"failres:{report.number}:{report.head_sha}"


def buttons(offered: Sequence[Button]) -> list[dict[str, str]]:
    """Give the buttons as GitHub takes them: at most three, labels and identifiers of at most 20 characters."""
    return [{"label": label, "description": what, "identifier": name} for name, (label, what) in _shown(offered)]


def _shown(offered: Sequence[Button]) -> list[tuple[Button, tuple[str, str]]]:
    return [(name, shown) for name, shown in BUTTONS.items() if name in offered]


BUTTONS: Mapping[Button, tuple[str, str]] = MappingProxyType(
    {
        "rerun": ("Rerun", "Run the failed check once more"),
        "sync": ("Sync branch", "Rebase the branch onto its base"),
        "explain": ("Explain", "Show all evidence in the comment"),
    }
)
"""Label and description (GitHub: at most 40 characters) of each button."""


def title(report: Report) -> str:
    """Give the cause in plain text, for the list of checks."""
    match report.state:
        case "red":
            return shorten(_plain(headline(report)), TITLE)
        case "config":
            count = len(report.config_problems)
            if not count:
                return shorten(_plain(config_file.title(report)).rstrip("."), TITLE)
            return f"{CONFIG_PATH} has {count} problem{'s' if count > 1 else ''}"
        case "queue":
            return shorten(_plain(trouble_title(report)), TITLE)
        case "green":
            return "Green again" if report.was_red else "The configuration is in order"
        case "quiet":
            return "Nothing is known to fail"


def summary(report: Report, repo_url: str) -> str:
    """Write the evidence: one row for each failing item, then problems of configuration, then what happens next."""
    parts: list[str] = []
    if report.failed:
        parts.append(_table(report, repo_url))
    if report.derived:
        parts.append("Red, cancelled or not run only because of these: " + _names(report.derived))
    parts.extend(config_file.brought(report))
    parts.extend(config_file.on_base(report))
    if report.state == "green":
        passed = "Everything that had failed on this pull request has passed on this commit."
        parts.append(passed if report.was_red else config_file.in_order(report))
    parts.extend((*stalls(report), *unfinished(report), *queued(report), *rebased(report)))
    if report.held is not None and report.state == "red":
        parts.append(held(report.held, repo_url))
    if report.state == "queue" and report.queue is not None:
        parts.append(f"**What a person must do:** {remedy(report.queue, report.base_ref)}")
    if report.state == "red":
        parts.extend(beside(report))
        parts.append(f"**What happens now:** {next_step(report)}")
    if report.ceiling is not None:
        parts.append(held_today(report.ceiling))
    parts.extend(_verdict(report, verdict, repo_url) for verdict in report.cause.verdicts[:VERDICTS])
    return "\n\n".join(parts)[:SUMMARY]


def held_today(ceiling: Ceiling) -> str:
    """Say which daily ceiling holds failres back, and until when."""
    until = utc_minute(ceiling.until)
    match ceiling.of:
        case "writes":
            told = f"{over(ceiling)}, but for a fifth that is kept for reports and answers: nothing else is done"
        case "runner-minutes":
            told = f"{over(ceiling)}: nothing runs again on this repository"
        case _:
            assert_never(ceiling.of)
    return f"**Held back:** {told} before {until}."


def _verdict(report: Report, verdict: Verdict, repo_url: str) -> str:
    # Without an item, several failures of one job have the same sentence.
    which = f", {code(verdict.fingerprint)}" if verdict.item is None and verdict.fingerprint else ""
    return f"**{sentence(report, verdict)}** (`{verdict.klass}`{which})\n\n{evidence(verdict, repo_url)}"


def _names(jobs: tuple[str, ...]) -> str:
    return listed([code(name, 60) for name in jobs], NAMES)


def _table(report: Report, repo_url: str) -> str:
    table = ["| check | what failed | class | where | fingerprint |", "| --- | --- | --- | --- | --- |"]
    for check in report.failed:
        if not check.failures:
            table.append(
                f"| {code(label(check), in_table=True)} {ending(check)} | {cause(check, in_table=True)} | | | |"
            )
        told = [_row(report, check, failure, repo_url) for failure in check.failures]
        table.extend(rows(told, SHOWN_FAILURES, last=partial(_more, check), beyond=check.capped))
    return "\n".join(table)


def _more(check: FailedCheck, more: str) -> str:
    return f"| {code(label(check), in_table=True)} | {more} | | | |"


def _row(report: Report, check: FailedCheck, failure: Failure, repo_url: str) -> str:
    item = f"{code(failure.item, 120, in_table=True)}: " if failure.item else ""
    said = f"{item}{code(failure.message, 200, in_table=True)}"
    at = where(report, failure, repo_url)
    name = code(label(check), in_table=True)
    return f"| {name} | {said} | `{failure.fail_class}` | {at} | `{failure.fingerprint}` |"


def marks(report: Report) -> list[dict[str, Any]]:
    """Give GitHub's annotations: failing lines of files that exist at the head, and the configuration's problems."""
    failing = (_mark(check, failure) for check in report.failed for failure in check.failures)
    return [
        *(mark for mark in failing if mark is not None),
        *(_config_mark(problem) for problem in report.config_problems),
        *(_misnamed_mark(path) for path in report.misnamed),
    ]


def _config_mark(problem: ConfigProblem) -> dict[str, Any]:
    return {
        "path": CONFIG_PATH,
        "start_line": problem.line,
        "end_line": problem.line,
        "annotation_level": "failure",
        "title": one_line(problem.path or CONFIG_PATH, 255),
        "message": one_line(problem.message, ANNOTATION),
    }


def _misnamed_mark(path: str) -> dict[str, Any]:
    return {
        "path": path,
        "start_line": 1,
        "end_line": 1,
        "annotation_level": "warning",
        "title": f"failres does not read {path}",
        "message": f"failres reads {CONFIG_PATH} alone. Give the file that name, or remove it.",
    }


def _mark(check: FailedCheck, failure: Failure) -> dict[str, Any] | None:
    at = place(failure)
    if at is None or not at.line or failure.source == "annotations":
        return None  # what is an annotation already is not annotated again
    known = TAXONOMY.get(failure.fail_class)
    mark: dict[str, Any] = {
        "path": at.path,
        "start_line": at.line,
        "end_line": at.line,
        "annotation_level": "failure",
        "title": one_line(failure.item or (known.title if known else failure.fail_class), 255),
        "message": shorten(visible(at.message or failure.message), ANNOTATION) or label(check),
    }
    if at.col:
        mark |= {"start_column": at.col, "end_column": at.col}
    return mark


def _plain(markdown: str) -> str:
    return one_line(markdown.replace("`", ""), TITLE)
