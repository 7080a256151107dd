"""The result of a scenario as one JSON object: what stands on GitHub, what it cost, and the whole journal."""

from __future__ import annotations

from typing import Any

from bot.cli.scenarios.scenario import comments
from bot.cli.stage import Stage
from bot.sandbox.state import Pull, Repository
from bot.store import JournalRow
from resolver.facts import JobTriaged
from resolver.journal import from_json

STOPPED = "failres:quarantined"


async def outcome(stage: Stage, scenario: str, *, ok: bool, seconds: float, people: int) -> dict[str, Any]:
    """Give the result; `class` of a verdict is the class of the failure, `humanActions` counts what people did."""
    rows = await stage.journal()
    by_route = dict(sorted(stage.sandbox.api.ledger.by_route.items()))
    repos = list(stage.sandbox.github.repositories.values())
    return {
        "scenario": scenario,
        "ok": ok,
        "seconds": round(seconds, 3),
        "pulls": [_pull(stage, repo, pull, rows) for repo in repos for pull in repo.pulls.values()],
        "reruns": sum(len(run.attempts) - 1 for repo in repos for run in repo.runs.values()),
        "probes": sum(1 for row in rows if row.kind == "probe.finished"),
        "repairs": [],
        "decisions": [],
        "humanActions": people,
        "requests": {"total": sum(by_route.values()), "byRoute": by_route},
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


def _verdicts(pull: Pull, rows: list[JournalRow]) -> list[dict[str, str]]:
    told = (from_json(row.kind, row.data) for row in rows if row.kind == "job.triaged")
    failures = [
        failure
        for fact in told
        if isinstance(fact, JobTriaged)
        for failure in fact.failures
        if failure.run_id == f"pr-{pull.number}"
    ]
    unique = {(f.check, f.fail_class, f.kind, f.fingerprint): None for f in failures}
    return [{"check": c, "class": k, "kind": kind, "fingerprint": print_} for c, k, kind, print_ in unique]
