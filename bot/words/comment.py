"""The one sticky comment of a pull request: cause first, evidence next, then what happens now. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from bot.words import config_file
from bot.words.asking import pointed_at
from bot.words.beside import beside
from bot.words.commits import commit, short
from bot.words.evidence import evidence, page_of, whole_evidence
from bot.words.failure import cause, headline, label, more, proven, red, said, where
from bot.words.held import held
from bot.words.inert import code, escape_html, fence, fold_in
from bot.words.lists import listed, rows
from bot.words.model import proposed
from bot.words.plan import plan_told
from bot.words.queue import queued, remedy, trouble_title
from bot.words.rebase import rebased
from bot.words.remedies import remedy_for
from bot.words.repair import mended_by, repair
from bot.words.stall import stalls, unfinished, what_next
from bot.words.told import answer_line
from bot.words.verdict import following, hindered, open_question, outage, sentence
from resolver.ids import TextHash
from resolver.report import FailedCheck, Report

LIMIT = 65_536
"""GitHub refuses a longer comment, when it is created and when it is edited."""

ROWS = 15
EXCERPTS = 3
CLASSES = PRINTS = 3
EXCERPT_LINES = 40
ADDRESS = 200


def marker(number: int) -> str:
    """Give the hidden mark by which failres finds its own comment again, together with its own App id."""
    return f"<!-- failres:sticky:{number} -->"


def render(report: Report, repo_url: str, excerpts: Mapping[TextHash, str], *, unfolded: bool = False) -> str:
    """Write the comment, at most 65,536 characters; what must give way are details, never the verdict lines.

    `unfolded`: somebody asked for the evidence, so that all of it is shown.
    """
    head = [marker(report.number), *_first(report)]
    table = _table(report, repo_url) if report.failed else []
    after = [*_config(report), *_now(report, repo_url, unfolded=unfolded), *_answers(report, repo_url)]
    details = _excerpts(report, excerpts)
    foot = _foot(report)
    while True:
        text = "\n\n".join(part for part in (*head, *table, *after, *details, foot) if part)
        if len(text) <= LIMIT:
            return text
        if details:
            details.pop()
        elif table:
            table.pop()
        else:
            return text[:LIMIT]


def _first(report: Report) -> list[str]:
    head = commit(report.head_sha)
    match report.state:
        case "green" if not report.was_red:
            return [f"**{config_file.in_order(report)}**"]
        case "green":
            passed = listed([code(name) for name in report.passed], 5)
            told = f": {passed} passed" if passed else ""
            flakes = [v for v in report.cause.verdicts if v.klass == "flake"]
            mended = [before for each in report.repairs if (before := mended_by(each)) is not None]
            return [
                f"**Green again** at {head}{told}.",
                *(f"{sentence(report, each)}." for each in flakes),
                *mended,
                *rebased(report),
            ]
        case "config":
            return [f"**{config_file.title(report)}**"]
        case "queue":
            return [f"**{trouble_title(report)}**"]
        case "quiet":
            return [f"**Nothing is known to fail** at {head}."]
        case "red":
            return [f"**{headline(report)}**", *([red(report)] if proven(report) else [])]


def _table(report: Report, repo_url: str) -> list[str]:
    if len(report.failed) == 1:
        check = report.failed[0]
        return [*_items(report, check, repo_url), _single(report, check, repo_url)]
    told = [_row(report, check, repo_url) for check in report.failed]
    head = ("| check | what failed | where |", "| --- | --- | --- |")
    return ["\n".join([*head, *rows(told, ROWS, last="| {} | | |".format)])]


def _items(report: Report, check: FailedCheck, repo_url: str) -> list[str]:
    """Several failures of the one check, each with its place where any is known."""
    if len(check.failures) + check.capped < 2:
        return []
    told = [(said(check, each, in_table=True), where(report, each, repo_url)) for each in check.failures]
    if not any(at for _, at in told):
        return ["\n".join(rows([f"- {what}" for what, _ in told], ROWS, last="- {}".format, beyond=check.capped))]
    table = rows([f"| {what} | {at} |" for what, at in told], ROWS, last="| {} | |".format, beyond=check.capped)
    return ["\n".join(["| what failed | where |", "| --- | --- |", *table])]


def _single(report: Report, check: FailedCheck, repo_url: str) -> str:
    at = where(report, check.failures[0], repo_url) if len(check.failures) == 1 else ""
    shown = f"{'Details' if check.third_party else 'Log'} of {code(label(check))}"
    page = page_of(check, repo_url)
    told = [f"At {at}"] if at else []
    told += [f"[{shown}]({page})"] if page else []
    told += (
        [f"Its CI shows details at {code(check.url, ADDRESS)}"] if check.third_party and check.url and not page else []
    )
    return " · ".join(told)


def _row(report: Report, check: FailedCheck, repo_url: str) -> str:
    name = code(label(check), in_table=True)
    page = page_of(check, repo_url)
    linked = f"[{name}]({page})" if page else name
    at = where(report, check.failures[0], repo_url) if check.failures else ""
    return f"| {linked} | {cause(check, in_table=True)}{more(check)} | {at} |"


def _config(report: Report) -> list[str]:
    told = config_file.brought(report)
    if report.plan_problems and report.state == "red" and not report.managed:
        told.append(plan_told(report.plan_problems))
    return told


def _now(report: Report, repo_url: str, *, unfolded: bool) -> list[str]:
    if report.state == "queue" and report.queue is not None:
        return [f"**What a person must do:** {remedy(report.queue, report.base_ref)}"]
    if report.state != "red":
        return [held(report.held, repo_url)] if report.held is not None and report.held.always else []
    told: list[str] = []
    flaky = sorted({item for check in report.failed for item in check.flaky})
    if flaky:
        names = listed([code(item, 100) for item in flaky], 5)
        told.append(f"Failed and then passed within the same job, so not the cause: {names}.")
    if report.derived:
        names = listed([code(name, 60) for name in report.derived], 8)
        told.append(f"Red, cancelled or not run only because of it: {names}.")
    told.extend((*queued(report), *beside(report), *stalls(report), *unfinished(report)))
    told.extend(rebased(report))
    if report.held is not None:
        told.append(held(report.held, repo_url))
    told.extend(done for each in report.repairs if (done := repair(each)) is not None)
    told.append(f"**What happens now:** {next_step(report)}")
    told.extend(_helps(report))
    if unfolded:
        told.append(whole_evidence(report, repo_url))
    elif report.cause.lead is not None:
        told.append(fold_in("Evidence", evidence(report.cause.lead, repo_url)))
    return told


def _answers(report: Report, repo_url: str) -> list[str]:
    """What is said to commands here, since no further comment may be made today."""
    return [answer_line(line, report.number, repo_url) for line in report.answers]


def next_step(report: Report) -> str:
    """Say what follows, and that failres does nothing where it may only explain."""
    lead = report.cause.lead
    known = open_question(report) if lead is None else what_next(report, lead) or following(lead)
    if report.asked is not None:
        known = f"{pointed_at(report.asked)}{known}"
    if report.cause.proposed:
        known += f" {proposed(report.cause.proposed)}"
    if report.cause.hindrance:
        known += f" That was not done: {hindered(report.cause.hindrance)}."
    if report.cause.outage:
        known = f"{outage(report.cause.outage)} {known}"
    if report.from_fork:
        return f"{known} failres explains pull requests from forks and does nothing else on them."
    if report.by_dependabot:
        return f"{known} failres explains Dependabot's pull requests and does nothing else on them."
    if not report.managed:
        return f"{known} failres only explains here; the configuration does not let it act on this pull request."
    return known


def _excerpts(report: Report, excerpts: Mapping[TextHash, str]) -> list[str]:
    told: list[str] = []
    for check in report.failed:
        reference = check.failures[0].excerpt_ref if check.failures else None
        text = excerpts.get(reference) if reference else None
        if text and len(told) < EXCERPTS:
            lines = text.splitlines()
            shown = "\n".join(lines[:EXCERPT_LINES])
            cut = f"\n… {len(lines) - EXCERPT_LINES} more lines" if len(lines) > EXCERPT_LINES else ""
            told.append(fold_in(f"Log of {escape_html(label(check))}", fence(shown + cut)))
    return told


def _helps(report: Report) -> list[str]:
    """What helps, where it is not proven whose failure it is and all that failed is of one class."""
    classes = _classes(report)
    helps = remedy_for(classes[0]) if len(classes) == 1 and not proven(report) else None
    return [helps] if helps is not None else []


def _classes(report: Report) -> list[str]:
    return sorted({failure.fail_class for check in report.failed for failure in check.failures})


def _foot(report: Report) -> str:
    classes = _classes(report)
    prints = tuple(dict.fromkeys(check.failures[0].fingerprint for check in report.failed if check.failures))
    parts = [f"commit {short(report.head_sha)}"]
    parts += [f"class {listed(classes, CLASSES)}"] if classes else []
    parts += [f"fingerprint {listed(prints, PRINTS)}"] if prints else []
    return f"<sub>failres · {' · '.join(parts)}</sub>"
