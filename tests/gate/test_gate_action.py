"""The composite action, the command `failres gate`, and what the wrapper's folder must stay: small, and free of dependencies."""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from gate_run import PYTHON, ROOT, words

from bot.cli import gate as command
from resolver.config import parse_config

FOLDER = ROOT / "workflows" / "gate"
MODULES = sorted(FOLDER.rglob("*.py"))


def action() -> dict[str, Any]:
    """The action's file."""
    loaded = yaml.safe_load((FOLDER / "action.yml").read_text())
    assert isinstance(loaded, dict)
    return loaded


def steps() -> list[dict[str, Any]]:
    """Its steps."""
    found = action()["runs"]["steps"]
    assert isinstance(found, list)
    return found


def run_step(tmp_path: Path, commands: str, **inputs: str) -> tuple[subprocess.CompletedProcess[bytes], dict[str, str]]:
    """Run the action's first step as a runner does: its script in bash, inputs as environment variables, outputs in a file."""
    step, given = steps()[0], {"run": commands, **inputs}
    environment = dict(os.environ)
    for name, value in step["env"].items():
        key = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
        assert key is not None
        default = action()["inputs"][key[1]].get("default", "")
        environment[name] = given.get(key[1], "test" if default.startswith("$") else default)
    outputs = tmp_path / "outputs"
    environment.update(RUNNER_TEMP=str(tmp_path), GITHUB_OUTPUT=str(outputs), GITHUB_ACTION_PATH=str(FOLDER))
    line = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    done = subprocess.run(line, env=environment, capture_output=True, check=False, timeout=20)
    told = outputs.read_text() if outputs.exists() else ""
    return done, dict(each.split("=", 1) for each in told.splitlines())


def test_the_action_runs_a_check(tmp_path: Path):
    """Output, status, records and the names of its outputs; the commands run as a step's `run` in bash would."""
    commands = "echo \"first\"\nfalse | true\necho 'never seen'\n"
    done, outputs = run_step(tmp_path, commands, check="unit (3.11, linux)")
    assert (done.returncode, done.stdout) == (1, b"first\n")
    assert b'"failClass": "gate-red-code"' in done.stderr.splitlines()[-1]
    assert Path(outputs["progress"]).read_text().count('"check": "unit (3.11, linux)"') == 3
    assert Path(outputs["output"]).read_bytes() == b"first\n"
    assert re.fullmatch(r"failres-gate-unit--3\.11--linux--\w{8}", outputs["artifact"])


@pytest.mark.parametrize(
    ("shell", "commands", "stdout"),
    [
        ("sh", "echo $0 | tail -c 10", b"/check.sh\n"),
        ("python", "print('hi', 3)", b"hi 3\n"),
        ("env X=1 bash {0}", "echo $X ${FAILRES_INPUT_RUN-unseen}", b"1 unseen\n"),
    ],
)
def test_the_action_knows_shells(tmp_path: Path, shell: str, commands: str, stdout: bytes):
    """The shells of a step's `shell`, or a command with the script's place; the check does not see the action's inputs."""
    done, _ = run_step(tmp_path, commands, shell=shell)
    assert (done.returncode, done.stdout) == (0, stdout)


def test_the_action_hands_its_inputs_on_as_data(tmp_path: Path):
    """Names and patterns with quotes, blanks and commands in them stay what they are; an unknown shell is refused."""
    evil = "$(touch evil) `touch evil` ' \" ; --stall-after=1s"
    done, outputs = run_step(
        tmp_path,
        "echo link a; sleep 0.1",
        check=evil,
        pattern="^link (?P<item>.)\n\n^never $(x)",
        **{"stall-after": "5s"},
    )
    assert done.returncode == 0
    assert not Path("evil").exists()
    records = Path(outputs["progress"]).read_text()
    assert '"item": "a"' in records
    assert "touch evil" in records
    done, outputs = run_step(tmp_path, "echo", shell="fish")
    assert (done.returncode, outputs.get("progress")) != (0, None)
    assert b"unknown shell 'fish'" in done.stderr


def test_the_action_is_pinned_and_reads_no_input_as_code():
    """Other actions by commit; expressions stand only where they are values."""
    for step in steps():
        assert "${{" not in step.get("run", "")
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step.get("uses", f"a@{'0' * 40}"))
    assert {"check", "run", "stall-after", "working-directory", "shell"} <= set(action()["inputs"])
    assert steps()[0]["working-directory"] == "${{ inputs.working-directory }}"
    assert steps()[1]["if"].startswith("always()")


def test_the_wrapper_needs_python_alone():
    """Its modules import the standard library and each other, in Python 3.8's syntax."""
    for path in MODULES:
        tree = ast.parse(path.read_text(), feature_version=(3, 8))
        imported = [node.names[0].name for node in ast.walk(tree) if isinstance(node, ast.Import)]
        imported += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        roots = {name.partition(".")[0] for name in imported}
        assert roots <= {*sys.stdlib_module_names, "failres_gate", "failres_gate_pytest"}, path


def test_the_wrapper_stays_small():
    """No file over 400 lines, no function over 60, and each module says what it promises."""
    for path in MODULES:
        text = path.read_text()
        tree = ast.parse(text)
        assert text.count("\n") <= 400, path
        assert ast.get_docstring(tree), path
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                assert (node.end_lineno or 0) - node.lineno < 60, f"{path}: {node.name}"


def options_of(text: str) -> set[str]:
    """The long options in a usage text."""
    return set(re.findall(r"--[a-z][a-z-]+", text)) - {"--help"}


FAILRES = "import sys, argparse; from bot.cli import gate; p = argparse.ArgumentParser(); gate.add_parser(p.add_subparsers()); a = p.parse_args(sys.argv[1:]); sys.exit(a.run(a))"


def failres(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run `failres …` with this one command."""
    return subprocess.run(
        [PYTHON, "-c", FAILRES, *arguments],
        capture_output=True,
        check=False,
        timeout=20,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_failres_gate_is_the_wrapper(tmp_path: Path):
    """The command has the wrapper's options, becomes it, and hands the command's words on untouched."""
    wrapper = subprocess.run([PYTHON, str(FOLDER / "gate.py"), "--help"], capture_output=True, check=True)
    assert options_of(failres("gate", "--help", cwd=tmp_path).stdout.decode()) == options_of(wrapper.stdout.decode())
    code = "import sys; print(sys.argv[1:]); sys.exit(5)"
    seen = failres(
        "gate", "--check", "-x y", "--progress", "p.jsonl", "--", *words(code), "--", "--check", "a b", cwd=tmp_path
    )
    assert (seen.returncode, seen.stdout) == (5, b"['--', '--check', 'a b']\n")
    assert '"check": "-x y"' in (tmp_path / "p.jsonl").read_text()


CONFIG = """
gate:
  progress:
    - check: "build*"
      item: '^\\[\\d+/\\d+\\] \\S+'
      progress: '^linked'
    - check: "test"
      progress: '^\\pL+$'
"""


def test_failres_gate_reads_the_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """Patterns come from the repository's file for checks that match; what cannot be used is told and left out."""
    (tmp_path / ".github").mkdir()
    (tmp_path / "src").mkdir()
    file = tmp_path / ".github" / "failres.yml"
    file.write_text(CONFIG)
    config = command.configuration(tmp_path / "src")
    assert command.patterns_of(config, "build-all") == [r"(?P<item>^\[\d+/\d+\] \S+)", "^linked"]
    assert command.patterns_of(config, None) == []
    assert command.patterns_of(config, "lint") == []
    assert capsys.readouterr().err == ""
    assert command.patterns_of(config, "test") == []
    assert "cannot be used here" in capsys.readouterr().err
    file.write_text("gate: [")
    assert command.configuration(tmp_path) is None
    assert "has problems" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "text", "grace"),
    [
        ((), "stall: {grace: 30s}", ["--grace=30s"]),
        (("--grace", "5s"), "stall: {grace: 30s}", ["--grace=5s"]),
        ((), "{}", ["--grace=10s"]),
        ((), None, []),
    ],
)
def test_how_long_the_wrapper_waits_is_the_configs_unless_it_is_said(given, text, grace):
    """`stall.grace` is between TERM and KILL; without a file the wrapper's own default holds, which is the same."""
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["gate", *given, "--", "make"])
    config = parse_config(text) if text is not None else None
    assert command.arguments(args, config) == [*grace, "--", "make"]
