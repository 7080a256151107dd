"""The project's own promises: its commands exist, its manifest and lock are clean, and its code keeps the house rules."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
CODE = ("bot", "resolver", "repairs")
LINES_OF_A_FILE = 400
LINES_OF_A_FUNCTION = 60


@cache
def tracked(*patterns: str) -> tuple[Path, ...]:
    """The files of the checkout that git knows and that exist; every file outside a checkout."""
    listed = subprocess.run(["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
        return tuple(ROOT / name for name in names if (ROOT / name).is_file())
    pytest.skip("not a git checkout")


def modules(*folders: str) -> list[Path]:
    """The Python files of some folders."""
    return [path for path in tracked(*folders) if path.suffix == ".py"]


def name_of(path: Path) -> str:
    """A file's name in the checkout, for messages."""
    return str(path.relative_to(ROOT))


@cache
def parsed(path: Path) -> ast.Module:
    """A Python file's syntax tree."""
    return ast.parse(path.read_text())


def functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function of a file, nested ones too."""
    return [node for node in ast.walk(parsed(path)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_the_readme_names_commands_that_exist():
    """Each `make` command of the documents is a target, and each target of the house is there."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set()
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text()
        named |= set(re.findall(r"(?:`|^    )make ([a-z]+)", text, re.MULTILINE))
    assert {"demo", "test"} <= named
    assert named <= targets
    assert {"setup", "demo", "test", "lint", "bench", "soak"} <= targets


def test_the_readme_names_files_that_exist():
    """What a newcomer is sent to read is there."""
    text = (ROOT / "README.md").read_text()
    named = re.findall(r"`((?:bot|resolver|repairs|tests|workflows|bench)/[\w./]*|[\w-]+\.(?:yml|md))`", text)
    named = [name for name in named if name != "failres.yml"]
    assert len(named) > 5
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_ci_runs_what_the_readme_says():
    """The workflow runs `.ci/run`, which runs `make test`, so that green means the same everywhere."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
    runs = [step["run"] for step in workflow["jobs"]["test"]["steps"] if "run" in step]
    assert runs == ["bash .ci/run"]
    assert (ROOT / ".ci/run").read_text().rstrip().endswith("make test")
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_workflows_are_pinned_and_may_only_read():
    """A used action is a commit, not a name that can move; a job has the rights that it lists and no write."""
    for path in tracked(".github/workflows"):
        workflow = yaml.safe_load(path.read_text())
        assert workflow["permissions"] == {}, path
        for job in workflow["jobs"].values():
            assert set(job["permissions"].values()) <= {"read"}, path
        uses = re.findall(r"uses: (\S+)(.*)", path.read_text())
        assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) and "# v" in note for name, note in uses), uses


SPINE_EVENTS = [
    "workflow_job",
    "workflow_run",
    "check_run",
    "status",
    "pull_request",
    "merge_group",
    "push",
    "issue_comment",
    "repository",
]
SPINE_PERMISSIONS = {
    "actions": "write",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "merge_queues": "write",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "read",
}


def test_the_manifest_asks_for_what_is_used():
    """More events or rights than these need code that uses them, and this test to say so."""
    manifest = yaml.safe_load((ROOT / "app.yml").read_text())
    assert manifest["default_events"] == SPINE_EVENTS
    assert manifest["default_permissions"] == SPINE_PERMISSIONS
    assert manifest["public"] is False
    keys = {"name", "description", "public", "url", "hook_attributes", "default_events", "default_permissions"}
    assert set(manifest) == keys


def test_the_manifest_says_why():
    """Each event and permission has a comment that names what needs it."""
    lines = (ROOT / "app.yml").read_text().splitlines()
    for name in (*SPINE_EVENTS, *SPINE_PERMISSIONS):
        (line,) = [line for line in lines if re.match(rf"  (- )?{name}\b[: ]", line)]
        assert re.search(r"# \.?\w+.{10,}", line), line


def test_the_lock_has_hashes_and_no_addresses():
    """Every package is pinned to hashes, and the lock says nothing of where it was made."""
    text = (ROOT / "requirements.lock").read_text()
    entries = re.findall(
        r"^([a-z0-9][\w.-]*)==[^\n]*\\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE
    )
    starts = re.findall(r"^[^\s#][^\n]*", text, re.MULTILINE)
    assert len(entries) == len(starts) > 40
    assert not re.search(r"--(?:extra-)?index-url|--find-links|://|^-", text, re.MULTILINE)


def test_the_lock_holds_every_dependency():
    """What `pyproject.toml` asks for, with extras and the development group, is locked."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    asked += [each for extra in project["project"]["optional-dependencies"].values() for each in extra]
    asked += project["build-system"]["requires"]
    text = (ROOT / "requirements.lock").read_text()
    locked = {_normal(name) for name in re.findall(r"^([a-zA-Z0-9][\w.-]*)==", text, re.MULTILINE)}
    names = {_normal(re.split(r"[\[<>=!;~ ]", each)[0]) for each in asked}
    assert names - locked == set(), "run `make lock`"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


FORBIDDEN = {
    "a path of a machine": r"(?<![\w.~-])/(?:work|root)/\w",
    "a package index": r"(?:pypi\.org|pythonhosted\.org|registry\.npmjs|--(?:extra-)?index-url)",
}
DATA = {".lock", ".gz", ".zip", ".log", ".json", ".jsonl", ".png", ".txt"}
"""Logs and GitHub's own data may hold any path: they were made elsewhere."""
OWN = {"tests/test_project.py", "requirements.lock"}
"""This file names what it forbids; the lock has a test of its own."""


def test_nothing_of_a_machine_is_in_the_files():
    """No path of the machine where something was written, and no address of a package index."""
    found = []
    for path in tracked():
        if name_of(path) in OWN or path.suffix in DATA or path.parts[-2] == "data":
            continue
        text = path.read_text(errors="replace")
        for what, pattern in FORBIDDEN.items():
            found += [f"{name_of(path)}: {what}: {hit[0]}" for hit in re.finditer(pattern, text)]
    assert found == []


def test_no_file_is_too_long():
    """One idea a file: 400 lines hold more than one."""
    long = {name_of(path): path.read_text().count("\n") for path in modules(*CODE)}
    assert {name: lines for name, lines in long.items() if lines > LINES_OF_A_FILE} == {}


def test_no_function_is_too_long():
    """A function fits on a screen."""
    long = [
        f"{name_of(path)}:{each.lineno} {each.name} has {each.end_lineno - each.lineno + 1} lines"
        for path in modules(*CODE)
        for each in functions(path)
        if each.end_lineno is not None and each.end_lineno - each.lineno + 1 > LINES_OF_A_FUNCTION
    ]
    assert long == []


def test_every_module_says_what_it_promises():
    """A docstring stands at the head of each module of the product and of the benchmarks."""
    assert [name_of(path) for path in modules(*CODE, "bench") if not ast.get_docstring(parsed(path))] == []


def test_every_test_says_what_must_hold():
    """A test without a sentence cannot be judged."""
    silent = [
        f"{name_of(path)}:{each.lineno} {each.name}"
        for path in modules("tests")
        for each in functions(path)
        if each.name.startswith("test_") and not ast.get_docstring(each)
    ]
    assert silent == []


@pytest.mark.parametrize("folder", ["resolver", "repairs"])
def test_the_core_asks_no_clock_and_draws_no_lots(folder: str):
    """What import-linter cannot see: `datetime.now` and its kin, `open`, `print` and `input` are not called in the pure packages."""
    attributes = {"now", "utcnow", "today", "fromtimestamp"}
    called = {"open", "print", "input", "exec", "eval"}
    found = []
    for path in modules(folder):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Attribute) and node.attr in attributes and _is_clock(node.value):
                found.append(f"{name_of(path)}:{node.lineno} {node.attr}")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in called:
                found.append(f"{name_of(path)}:{node.lineno} {node.func.id}")
    assert found == []


def _is_clock(node: ast.expr) -> bool:
    return (isinstance(node, ast.Name) and node.id in {"datetime", "date", "dt"}) or (
        isinstance(node, ast.Attribute) and node.attr in {"datetime", "date"}
    )


def test_no_two_test_files_share_a_name():
    """Pytest collects files by their names alone where folders are no packages."""
    names = [path.name for path in modules("tests") if path.name.startswith("test_")]
    assert sorted(names) == sorted(set(names))
