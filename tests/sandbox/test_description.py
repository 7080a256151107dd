"""The trimmed description is GitHub's, and what checks by it catches what it must."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import graphql
import pytest

from bot.sandbox.api.tables import ROUTES
from bot.sandbox.description import load
from bot.sandbox.router import Router
from tests.sandbox.trim_description import HERE, OPERATIONS, compress, package, trim
from tests.sandbox.trim_graphql import trim as trim_graphql

NODE_MODULES = os.environ.get("FAILRES_NODE_MODULES", "node_modules")


def installed(name: str) -> tuple[Path, str]:
    """An npm package that somebody has installed, else a skipped test."""
    if not (Path(NODE_MODULES) / name / "package.json").exists():
        pytest.skip(f"npm package {name} is not in {NODE_MODULES} (FAILRES_NODE_MODULES names another place)")
    return package(Path(NODE_MODULES), name)


def test_the_rest_description_is_regenerated() -> None:
    """Trimming the published package of the named version gives the committed document."""
    directory, version = installed("@octokit/openapi")
    if f"@octokit/openapi {version}" != load().source:
        pytest.skip(f"the package is version {version}, the copy is from {load().source}")
    document = json.loads((directory / "generated" / "api.github.com.json").read_text())
    committed = (HERE / "github.json.gz").read_bytes()
    assert gzip.decompress(compress(trim(document, version))) == gzip.decompress(committed)
    assert (HERE / "LICENSE").read_text() == (directory / "LICENSE").read_text()


def test_the_graphql_schema_is_regenerated() -> None:
    """Trimming the published schema gives the committed one."""
    directory, version = installed("@octokit/graphql-schema")
    head, _, body = (HERE / "schema.graphql").read_text().partition("\n\n")
    if version not in head:
        pytest.skip(f"the package is version {version}, the copy says: {head}")
    assert trim_graphql((directory / "schema.graphql").read_text()) == body


def test_the_copy_is_small_and_whole() -> None:
    """All 110 operations are there, each route answers one of them, and every reference leads somewhere."""
    description = load()
    assert sorted(description.operations) == sorted(OPERATIONS)
    assert set(ROUTES) <= set(description.operations)
    assert len((HERE / "github.json.gz").read_bytes()) < 100_000
    text = gzip.decompress((HERE / "github.json.gz").read_bytes()).decode()
    assert {one.split('"')[0] for one in text.split('"urn:github#/components/schemas/')[1:]} <= set(description.schemas)


def test_the_graphql_schema_is_valid() -> None:
    """The trimmed schema builds with all of graphql-core's checks."""
    schema = graphql.build_schema((HERE / "schema.graphql").read_text())
    assert graphql.validate_schema(schema) == []


@pytest.mark.parametrize(
    ("method", "path", "operation", "parameters"),
    [
        ("GET", "/repos/o/r/git/ref/heads/feature/x", "git/get-ref", {"ref": "heads/feature/x"}),
        ("GET", "/repos/o/r/contents/a/b%20c/d.py", "repos/get-content", {"path": "a/b c/d.py"}),
        ("GET", "/repos/o/r/contents", "repos/get-content", {"path": ""}),
        (
            "GET",
            "/repos/o/r/compare/main...feat/x",
            "repos/compare-commits-with-basehead",
            {"basehead": "main...feat/x"},
        ),
        ("GET", "/repos/o/r/rules/branches/feat/x", "repos/get-branch-rules", {"branch": "feat/x"}),
        ("GET", "/repos/o/r/branches/feat/x", "repos/get-branch", {"branch": "feat/x"}),
        ("GET", "/repos/o/r/branches/feat/x/protection", "repos/get-branch-protection", {"branch": "feat/x"}),
        ("GET", "/repos/o/r/commits/feat/x", "repos/get-commit", {"ref": "feat/x"}),
        ("GET", "/repos/o/r/commits/feat/x/check-runs", "checks/list-for-ref", {"ref": "feat/x"}),
        (
            "GET",
            "/repos/o/r/commits/abc/pulls",
            "repos/list-pull-requests-associated-with-commit",
            {"commit_sha": "abc"},
        ),
        ("GET", "/repos/o/r/issues/comments/7", "issues/get-comment", {"comment_id": "7"}),
        ("GET", "/repos/o/r/actions/workflows/ci.yml/runs", "actions/list-workflow-runs", {"workflow_id": "ci.yml"}),
        ("DELETE", "/repos/o/r/issues/1/labels/a%2Fb", "issues/remove-label", {"name": "a/b"}),
        ("GET", "/repos/o/r/stargazers", None, {}),
        ("PUT", "/repos/o/r/pulls", None, {}),
    ],
)
def test_the_router_finds_multi_segment_paths(
    method: str, path: str, operation: str | None, parameters: dict[str, str]
) -> None:
    """GitHub's multi-segment parameters take slashes, and the most literal template wins (GITHUB.md 6.1)."""
    match = Router(load().operations.values()).match(method, path)
    assert (match.operation.id if match else None) == operation
    assert match is None or match.parameters.items() >= parameters.items()


def test_a_job_in_progress_fits() -> None:
    """`conclusion: null` is legal though GitHub's enum does not list it (GITHUB.md 6.1)."""
    step = {"name": "s", "status": "in_progress", "conclusion": None, "number": 1}
    job = dict.fromkeys(["html_url", "conclusion", "completed_at", "head_branch", "workflow_name"])
    job |= dict.fromkeys(["runner_id", "runner_name", "runner_group_id", "runner_group_name"])
    job |= {"id": 1, "run_id": 1, "run_url": "", "node_id": "", "head_sha": "", "url": "", "status": "in_progress"}
    job |= {"created_at": "2026-01-01T00:00:00Z", "started_at": "2026-01-01T00:00:00Z", "name": "n"}
    job |= {"check_run_url": "", "labels": [], "steps": [step]}
    assert load().schema_problems("job", job) == []
    assert load().schema_problems("job", {**job, "conclusion": "maybe"}) != []
    assert load().schema_problems("job", {**job, "started_at": "yesterday"}) != []


@pytest.mark.parametrize(
    ("body", "unknown"),
    [
        ({"name": "n", "head_sha": "s"}, []),
        ({"name": "n", "head_sha": "s", "sumary": 1}, ["sumary"]),
        ({"name": "n", "head_sha": "s", "output": {"title": "t", "summary": "s", "texts": ""}}, ["output.texts"]),
        (
            {
                "name": "n",
                "head_sha": "s",
                "output": {
                    "title": "t",
                    "summary": "s",
                    "annotations": [
                        {
                            "path": "p",
                            "start_line": 1,
                            "end_line": 1,
                            "annotation_level": "notice",
                            "message": "m",
                            "line": 1,
                        }
                    ],
                },
            },
            ["output.annotations[0].line"],
        ),
    ],
)
def test_unknown_fields_are_named_with_their_path(body: dict[str, Any], unknown: list[str]) -> None:
    """Every property of a request must stand in some branch of the schema, at any depth."""
    description = load()
    problems = description.request_problems(description.operations["checks/create"], body)
    assert problems == [f"request of checks/create: unknown field {path}" for path in unknown]
