"""A handoff bundle: one Markdown file for the person who takes over, the answer they can give first. Pure.

Text from logs and people stands in code spans and fences, each piece masked before it is put into one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bot.words.asking import happened, options
from bot.words.commits import commit, short
from bot.words.evidence import evidence, page_of
from bot.words.failure import cause, ending, label, where
from bot.words.inert import code, fence, reason, shorten, visible
from bot.words.lists import rows
from bot.words.plan import block_to_mend, may_change
from bot.words.records import Line, journal_slice
from bot.words.times import utc
from bot.words.verdict import sentence
from resolver.attribution.outcome import Verdict
from resolver.facts.decisions import DecisionRequested
from resolver.failure import Failure
from resolver.handoff import Attempt, Handoff
from resolver.ids import Fingerprint, TextHash
from resolver.report import FailedCheck
from resolver.secrets import mask
from resolver.taxonomy import TAXONOMY

LIMIT: Final = 400_000
"""Characters of a bundle. GitHub shows a Markdown file rendered up to 512 KiB."""

CONFIG: Final = 20_000
UNPROVEN: Final = "no execution proves whose failure it is"
FAILURES: Final = 20


def commit_message(paths: Sequence[str]) -> str:
    """Say what a commit brings; the mark keeps CI from starting on it."""
    told = paths[0] if len(paths) == 1 else f"{len(paths)} handoff bundles"
    return f"failres: {told} [skip ci]"


def render(bundle: Handoff, repo_url: str, excerpts: Mapping[TextHash, str], journal: Iterable[Line]) -> str:
    """Write the bundle. What must give way to its length is the journal, then the excerpts."""
    parts = [*_head(bundle, repo_url), *_failing(bundle, repo_url), *_tried(bundle), *_evidence(bundle, repo_url)]
    logs, after = _logs(bundle, excerpts), [*_config(bundle, repo_url), *journal_slice(bundle, journal)]
    while True:
        text = "\n\n".join((*parts, *logs, *after)) + "\n"
        if len(text) <= LIMIT:
            return text
        if after:
            after.pop()
        elif logs:
            logs.pop()
        else:
            return text[:LIMIT]


def _head(bundle: Handoff, repo_url: str) -> list[str]:
    pull = f"{repo_url}/pull/{bundle.report.number}"
    asked = bundle.decision
    if asked is None:
        return [f"# Handoff: {QUARANTINED}", _quarantined(bundle), _rows(bundle, repo_url), _push_only(bundle, pull)]
    mend = block_to_mend() if asked.kind == "plan" else ""
    push = "Or push: that ends the question, and the new commit is looked at afresh. "
    if asked.kind == "run-paused":
        push = "A push changes nothing about it. "
    how = mend or (
        f"Write one of these lines as a new comment on [the pull request]({pull}); it takes write access. "
        f"{push}Until then nothing automatic follows there."
    )
    parts = [f"# Handoff: {asked.question}", happened(asked)]
    if bundle.quarantine is not None and asked.quarantined != "sync":
        parts.append(_quarantined(bundle))
    return [*parts, _rows(bundle, repo_url), "## What you can do", how, options(asked)]


QUARANTINED: Final = "nothing automatic is done on this task any more"


def _quarantined(bundle: Handoff) -> str:
    """Say since when and why a task is quarantined."""
    why = bundle.quarantine
    if why is None:
        return ""
    row = TAXONOMY.get(why.fail_class)
    title = row.title if row is not None else "It failed"
    said = f" It says {_inert(why.message, 300)}." if why.message and why.cause != "sync" else ""
    return f"Quarantined since {utc(why.at)} UTC: {reason(mask(why.reason), 300)}. {title} (`{why.fail_class}`).{said}"


def _push_only(bundle: Handoff, pull: str) -> str:
    """Say what ends a quarantine about which nothing is asked."""
    final = bundle.quarantine is not None and bundle.quarantine.final
    base = "" if final else " A base that moves lifts it as well, as often as the ledger allows."
    return (
        "## What you can do\n\n"
        f"Nothing is asked. Push to [the pull request]({pull})'s branch: that lifts the quarantine, and the new commit "
        f"is looked at afresh.{base}"
    )


def _rows(bundle: Handoff, repo_url: str) -> str:
    asked, report = bundle.decision, bundle.report
    pull = f"{repo_url}/pull/{report.number}"
    rows = [
        f"- pull request: [#{report.number}]({pull}) {_inert(bundle.title)} by {_inert(bundle.author)}",
        f"- commit: [{short(report.head_sha)}]({repo_url}/commit/{report.head_sha}) on {_inert(bundle.head_ref)}",
        f"- base: {_inert(bundle.base_ref)}{_base(bundle, repo_url)}",
    ]
    if asked is not None:
        rows += [
            f"- asked: {utc(asked.asked_at)} UTC{_until(asked)}",
            f"- question: `{asked.decision_id}`, class `{asked.fail_class}`{_print(asked.fingerprint)}",
        ]
    elif bundle.quarantine is not None:
        rows.append(f"- class: `{bundle.quarantine.fail_class}`{_print(bundle.quarantine.fingerprint)}")
    if bundle.earlier:
        rows.append(f"- asked before on this pull request: {', '.join(f'`{each}`' for each in bundle.earlier)}")
    return "\n".join(rows)


def _base(bundle: Handoff, repo_url: str) -> str:
    if bundle.base_sha is None:
        return ""
    return f" at [{short(bundle.base_sha)}]({repo_url}/commit/{bundle.base_sha})"


def _until(asked: DecisionRequested) -> str:
    if asked.kind == "plan":
        return ", open until the description is edited"
    return ", open until it is answered or somebody pushes"


def _print(found: Fingerprint | None) -> str:
    return f", fingerprint `{found}`" if found is not None else ""


def _failing(bundle: Handoff, repo_url: str) -> list[str]:
    parts = ["## What is red", *(_check(bundle, check, repo_url) for check in bundle.report.failed)]
    if not bundle.report.failed:
        parts.append("Nothing is known to be red at this moment.")
    if bundle.scope is not None:
        parts.append(may_change(bundle.scope))
    return parts


def _check(bundle: Handoff, check: FailedCheck, repo_url: str) -> str:
    page = page_of(check, repo_url)
    name = f"[{code(label(check))}]({page})" if page else code(label(check))
    attempt = f", attempt {check.attempt}" if check.attempt > 1 else ""
    if not check.failures:
        return f"- {name}{attempt} {ending(check)}: {cause(check)}"
    told = [_failure(bundle, each, repo_url) for each in check.failures]
    shown = rows(told, FAILURES, last="  - {}".format, beyond=check.capped)
    return "\n".join([f"- {name}{attempt} {ending(check)}:", *shown])


def _failure(bundle: Handoff, failure: Failure, repo_url: str) -> str:
    row = TAXONOMY.get(failure.fail_class)
    item = code(failure.item) if failure.item else (row.title if row is not None else code(failure.fail_class))
    at = where(bundle.report, failure, repo_url)
    return f"  - {item}: {_inert(failure.message, 400)}{f' at {at}' if at else ''}"


def _tried(bundle: Handoff) -> list[str]:
    told = [f"- {utc(each.at)} UTC: {_attempt(each)}" for each in bundle.tried]
    return [
        "## What was tried, and why it stopped",
        "\n".join(told) if told else "Nothing was tried.",
        f"It stopped because {_reason(bundle)}.",
    ]


def _reason(bundle: Handoff) -> str:
    quarantined = bundle.quarantine.reason if bundle.quarantine is not None else ""
    why = bundle.decision.why if bundle.decision is not None else quarantined
    told = [each for each in why.split("; ") if each]
    words = [UNPROVEN if each == "no class is proven" else reason(mask(each), 400) for each in told]
    return "; ".join(words) or "the resolver's table hands this to people"


_ENDS: Final = {"helped": "it helped", "failed": "it did not help", "refused": "refused", "unknown": "no end is known"}


def _attempt(each: Attempt) -> str:
    reason = f" ({_inert(each.reason, 300)})" if each.reason else ""
    ended = _ENDS[each.result]
    match each.kind:
        case "rerun":
            return f"the failed jobs of {_inert(each.what)} were run again ({each.why}): {ended}{reason}"
        case "probe":
            shown = "the base's result is below" if each.result == "helped" else ended
            return f"{_inert(each.what)} was executed on the clean base {commit(each.why)}: {shown}{reason}"
        case "sync":
            onto = f" onto {commit(each.what)}" if each.what else ""
            done = "done" if each.result == "helped" else ended
            return f"the branch was to be rebased{onto}: {done}{reason}"
        case "resolution":
            return f"the resolver's table for {_inert(each.what)} says `{each.why}`: {ended}{reason}"
        case "proposal":
            return f"a model was asked about {_inert(each.what)}, and `{each.why}` came of it: {ended}{reason}"


def _evidence(bundle: Handoff, repo_url: str) -> list[str]:
    verdicts = list(bundle.report.cause.verdicts)
    asked = bundle.decision.because if bundle.decision is not None else None
    if asked is not None and all(each.item != asked.item or each.check != asked.check for each in verdicts):
        verdicts.insert(0, asked)
    parts = [part for each in verdicts for part in _verdict(bundle, each, repo_url)]
    doubts = [f"- {_inert(each, 300)}" for each in bundle.report.cause.doubts]
    parts += ["What is still missing:\n\n" + "\n".join(doubts)] if doubts else []
    return ["## Evidence", *(parts or ["No execution proves anything yet."])]


def _verdict(bundle: Handoff, verdict: Verdict, repo_url: str) -> Iterable[str]:
    yield f"**{sentence(bundle.report, verdict)}** (`{verdict.klass}`, {verdict.strength})"
    yield evidence(verdict, repo_url, len(verdict.evidence))


def _logs(bundle: Handoff, excerpts: Mapping[TextHash, str]) -> list[str]:
    parts: list[str] = []
    for check in bundle.report.failed:
        reference = check.failures[0].excerpt_ref if check.failures else None
        text = excerpts.get(reference) if reference else None
        if text:
            parts += [f"### {code(label(check))}", fence(mask(text))]
        elif reference:
            parts += [f"### {code(label(check))}", "The excerpt is no longer kept; GitHub may still have the log."]
    return ["## From the logs", *parts] if parts else []


def _config(bundle: Handoff, repo_url: str) -> list[str]:
    if bundle.config is None:
        return ["## Configuration", "The base has no `.github/failres.yml`: every default holds."]
    at = bundle.config_at or bundle.base_ref
    link = f"[`.github/failres.yml`]({repo_url}/blob/{at}/.github/failres.yml)"
    told = json.dumps(bundle.config.model_dump(mode="json", by_alias=True, exclude_defaults=True), indent=2)
    shown = fence(mask(shorten(told, CONFIG)), "json")
    return ["## Configuration", f"What {link} on the base sets; for all else the defaults hold.\n\n{shown}"]


def _inert(text: str, limit: int = 160) -> str:
    return code(visible(mask(text)), limit)
