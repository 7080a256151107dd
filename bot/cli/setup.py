"""`failres setup workflows`: write failres's workflow files into a checkout, for a person to review, commit and push.

failres itself never has the right to write workflow files (`workflows: write`), so that this is done with the person's
own credentials. Nothing that is there with other content is replaced unless `--force` says so; the workflow of repairs,
which has whatever jobs its repository gave it, not even then.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bot.cli.subparsers import Subparsers
from resolver.probes import PROBE_WORKFLOW
from resolver.repair_job import REPAIR_WORKFLOW
from resolver.workflow.file import WorkflowFile, read_workflow

TEMPLATES = Path(__file__).parents[2] / "workflows"
TEMPLATE = TEMPLATES / "failres-probe.yml"
REPAIR_TEMPLATE = TEMPLATES / "failres-repair.yml"
CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2"


def add_parser(subparsers: Subparsers) -> None:
    """Declare the command; the parsed arguments' `run` is this module's."""
    parser = subparsers.add_parser("setup", help="prepare a repository for failres")
    commands = parser.add_subparsers(dest="setup_command", required=True)
    workflows = commands.add_parser("workflows", help="write failres's workflow files into a checkout")
    workflows.add_argument("--into", metavar="DIR", default=".", help="the checkout; the current folder if not given")
    workflows.add_argument(
        "--check",
        metavar=("CHECK", "COMMAND"),
        nargs=2,
        action="append",
        default=[],
        help="a check that may be probed, as '.github/workflows/ci.yml: unit', and its command (may be repeated)",
    )
    workflows.add_argument("--force", action="store_true", help="replace a failres-probe.yml that has other content")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Carry the command out. Exit status: 0 written or there already, 1 other content is there, 2 it cannot be done."""
    root = Path(args.into)
    try:
        text = probe_workflow(TEMPLATE.read_text(encoding="utf-8"), [tuple(pair) for pair in args.check])
        if not (root / ".git").exists():
            return _fail(f"{root} is no checkout of a repository: it has no .git")
        if not (root / PROBE_WORKFLOW).parent.resolve().is_relative_to(root.resolve()):
            return _fail(f"{(root / PROBE_WORKFLOW).parent} leads out of the checkout, and nothing was written")
        _write_repair(root / REPAIR_WORKFLOW)
        return _write(root / PROBE_WORKFLOW, text, force=args.force, checks=len(args.check))
    except ValueError as problem:
        return _fail(str(problem))
    except OSError as fault:
        return _fail(f"{fault.filename}: {fault.strerror}")


def probe_workflow(template: str, checks: Sequence[tuple[str, ...]]) -> str:
    """Give the text of `failres-probe.yml` with a job for each (check, command). Raises ValueError for a bad check."""
    text = template
    for number, (check, command) in enumerate(checks, 1):
        path, colon, name = check.partition(": ")
        if not (colon and path.startswith(".github/workflows/") and name.strip() == name != ""):
            raise ValueError(f"the check {check!r} must be a workflow's path, a colon, a blank and the name of its job")
        if any(not each.isprintable() for each in check) or "${{" in check + command or not command.strip():
            raise ValueError(f"the check {check!r} needs a command, and neither may hold control characters or ${{{{")
        text += _job(f"check-{number}", check, name, command)
    readable = isinstance(read_workflow(PROBE_WORKFLOW, text), WorkflowFile)
    if not readable:
        raise ValueError("the checks do not make a workflow that can be read")
    return text


def _job(key: str, check: str, name: str, command: str) -> str:
    condition = "inputs.check == '{}'".format(check.replace("'", "''"))
    lines = "".join(f"          {line}\n" for line in command.strip().splitlines())
    return f"""
  {key}:
    name: {_quoted(name)}
    if: {_quoted(condition)}
    runs-on: ubuntu-latest
    timeout-minutes: 60
    steps:
      - uses: {CHECKOUT}
        with:
          persist-credentials: false
      - run: |
{lines}"""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _write(path: Path, text: str, *, force: bool, checks: int) -> int:
    there = path.read_text(encoding="utf-8", errors="replace") if path.exists() else None
    if there is not None and there != text and not force:
        return _fail(f"{path} is there with other content and was left as it is; --force replaces it", status=1)
    if there == text:
        print(f"{path}: is there already")
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"{path}: {'replaced' if there is not None else 'written'}")
    if not checks:
        print("Next: give each check that may be probed a job in it; the comments at its top say how.")
    else:
        print(
            "Next: compare its jobs with the checks they stand for: the same runner, versions, services and commands."
        )
    print("Then commit both files to the default branch with your own credentials, and set `mode.probe: act`.")
    return 0


def _write_repair(path: Path) -> None:
    """Install the workflow of repairs where there is none: it changes nothing before somebody gives it a job."""
    if path.exists():
        print(f"{path}: is there, and was left as it is")
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(REPAIR_TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8")
    print(f"{path}: written; it changes nothing until a job is added, as the comments in it say")


def _fail(message: str, *, status: int = 2) -> int:
    print(message, file=sys.stderr)
    return status
