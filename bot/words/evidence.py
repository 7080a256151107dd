"""The executions that verdicts stand on, as a table whose rows lead to their runs. Pure.

Links lead to this repository's own pages at GitHub, made of ids: an address that another CI gave leads wherever that
CI likes, and one of an issue would leave a trace in its conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, assert_never

from bot.words.commits import commit
from bot.words.inert import code, reason
from bot.words.lists import rows
from bot.words.verdict import open_question, sentence
from resolver.attribution.outcome import Evidence, Role, Verdict
from resolver.executions import Side
from resolver.ids import Fingerprint
from resolver.report import FailedCheck, Report

ROLES: Final[Mapping[Role, str]] = MappingProxyType(
    {
        "red": "this failure",
        "green": "passed",
        "other": "another failure",
        "empty": "passed, but this was not seen to run",
        "stale": "passed, too long ago to count",
        "lost": "what the job runs on failed",
        "mute": "failed, nothing more is known",
    }
)
SIDES: Final[Mapping[Side, str]] = MappingProxyType(
    {"task": "this branch", "base": "the base", "probe": "the base (started by failres)", "group": "a merge group"}
)
ROWS: Final = 12
PRINTS: Final = 3
_COLUMNS: Final = ("ran on", "showed", "run", "commit", "tested base", "age at verdict", "strength")


def evidence(verdict: Verdict, repo_url: str, most: int = ROWS) -> str:
    """Give the executions that a verdict stands on, one a row; `repo_url` is the repository's page."""
    head = [_line(_COLUMNS), _line(("---",) * len(_COLUMNS))]
    told = [_line(_cells(verdict, each, repo_url)) for each in verdict.evidence]
    return "\n".join([*head, *rows(told, most, last=lambda more: _line((more, *[""] * (len(_COLUMNS) - 1))))])


def whole_evidence(report: Report, repo_url: str) -> str:
    """Give the evidence of every verdict, open, and what is still missing where there is none."""
    parts = [f"**{sentence(report, each)}**\n\n{evidence(each, repo_url)}" for each in report.cause.verdicts]
    doubts = [f"- {reason(each, 300)}" for each in report.cause.doubts]
    parts += [f"**{open_question(report)}**\n\n" + "\n".join(doubts)] if doubts or not parts else []
    return "\n\n".join(parts)


def prints(verdict: Verdict, each: Evidence) -> tuple[Fingerprint, ...]:
    """Give the fingerprints that an execution showed: the one that is spoken of, else all of its failures."""
    return (verdict.fingerprint,) if each.role == "red" and verdict.fingerprint else each.fingerprints


def ran(verdict: Verdict, each: Evidence) -> str:
    """Name an execution in plain text."""
    match each.told_by:
        case "check-run":
            return f"check run {each.run}"
        case "status":
            return "commit status"
        case "job" if verdict.check.third_party:
            return "another CI"
        case "job":
            return f"run {each.run}, attempt {each.attempt}"
        case _:
            assert_never(each.told_by)


def age(seconds: float | None) -> str:
    """Give an age as people say it."""
    if seconds is None:
        return "unknown"
    for unit, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= unit:
            return f"{int(seconds // unit)} {name}"
    return f"{int(seconds)} s"


def page_of(check: FailedCheck, repo_url: str) -> str:
    """Give the address of a failed check's own page at GitHub; empty where it has none, as a status has."""
    if not check.third_party:
        return check.url
    return f"{repo_url}/runs/{check.check_run_id}" if check.check_run_id else ""


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(verdict: Verdict, each: Evidence, repo_url: str) -> tuple[str, ...]:
    page, name = _page(verdict, each, repo_url), ran(verdict, each)
    return (
        SIDES[each.side],
        " ".join((ROLES[each.role], *(code(one) for one in prints(verdict, each)[:PRINTS]))),
        f"[{name}]({page})" if page else name,
        commit(each.commit),
        _base(each),
        age(each.age),
        each.strength,
    )


def _base(each: Evidence) -> str:
    if each.side in ("base", "probe"):
        return "itself"
    return commit(each.tested_base) if each.tested_base else "unknown"


def _page(verdict: Verdict, each: Evidence, repo_url: str) -> str:
    """The page of an execution. A status has none of its own: its commit's page shows it, with its CI's own link."""
    match each.told_by:
        case "check-run":
            return f"{repo_url}/runs/{each.run}"
        case "status":
            return f"{repo_url}/commit/{each.commit}"
        case "job" if verdict.check.third_party or not each.run:
            return ""
        case "job":
            job = f"job/{each.job_id}" if each.job_id else f"attempts/{each.attempt}"
            return f"{repo_url}/actions/runs/{each.run}/{job}"
        case _:
            assert_never(each.told_by)
