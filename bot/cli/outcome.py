"""The result of a scenario as one JSON object: what stands on GitHub, what it cost, and the whole journal."""

from __future__ import annotations

from typing import Any

from bot.cli.scenarios.scenario import comments
from bot.cli.stage import Stage
from bot.sandbox.state import Pull, Repository
from bot.store import JournalRow
from resolver.facts import GateAttributed, JobTriaged
from resolver.facts.decisions import DecisionAnswered, DecisionRequested
from resolver.journal import from_json

STOPPED = "failres:quarantined"


async def outcome(stage: Stage, scenario: str, *, ok: bool, seconds: float, people: int) -> dict[str, Any]:
    """Give the result. A verdict's `class` is the failure's and `attribution` whose it is, None where nothing stands;
    `humanActions` counts what people did, `requests.sinceReady` what was asked of GitHub since the scene was set.
    """
    rows = await stage.journal()
    by_route = dict(sorted(stage.sandbox.api.ledger.by_route.items()))
    repos = list(stage.sandbox.github.repositories.values())
    return {
        "scenario": scenario,
        "ok": ok,
        "seconds": round(seconds, 3),
        "pulls": [_pull(stage, repo, pull, rows) for repo in repos for pull in repo.pulls.values()],
        "reruns": sum(len(run.attempts) - 1 for repo in repos for run in repo.runs.values()),
        "probes": sum(1 for row in rows if row.kind == "probe.dispatched"),
        "repairs": [row.data for row in rows if row.kind.startswith("repair.")],
        "decisions": _decisions(rows),
        "humanActions": people,
        "requests": {"total": stage.requests, "sinceReady": stage.requests - stage.ready_at, "byRoute": by_route},
        "journal": [{"seq": row.seq, "at": row.at, "kind": row.kind, "data": row.data} for row in rows],
    }


def _pull(stage: Stage, repo: Repository, pull: Pull, rows: list[JournalRow]) -> dict[str, Any]:
    return {
        "number": pull.number,
        "title": pull.title,
        "state": pull.state,
        "merged": pull.merged_at is not None,
        "quarantined": STOPPED in pull.labels,
        "labels": list(pull.labels),
        "verdicts": _verdicts(pull, rows),
        "comments": [
            {"body": comment.body, "hidden": comment.minimized is not None} for comment in comments(stage, repo, pull)
        ],
    }


def _verdicts(pull: Pull, rows: list[JournalRow]) -> list[dict[str, str | None]]:
    facts = [from_json(row.kind, row.data) for row in rows if row.kind in ("job.triaged", "gate.attributed")]
    failures = [
        failure
        for fact in facts
        if isinstance(fact, JobTriaged)
        for failure in fact.failures
        if failure.run_id == f"pr-{pull.number}"
    ]
    standing = {
        fact.verdict().fingerprint: fact.verdict().klass
        for fact in facts
        if isinstance(fact, GateAttributed) and fact.number == pull.number
    }
    unique = {(f.check, f.fail_class, f.kind, f.fingerprint): None for f in failures}
    return [
        {"check": check, "class": klass, "kind": kind, "fingerprint": known, "attribution": standing.get(known)}
        for check, klass, kind, known in unique
    ]


def _decisions(rows: list[JournalRow]) -> list[dict[str, Any]]:
    """The questions that were asked, each with the option that answered it."""
    facts = [from_json(row.kind, row.data) for row in rows if row.kind.startswith("decision.")]
    answers = {fact.decision_id: fact.option for fact in facts if isinstance(fact, DecisionAnswered)}
    return [
        {
            "id": fact.decision_id,
            "pull": fact.number,
            "kind": fact.kind,
            "failClass": fact.fail_class,
            "options": list(fact.options),
            "answer": answers.get(fact.decision_id),
        }
        for fact in facts
        if isinstance(fact, DecisionRequested)
    ]
