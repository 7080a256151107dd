"""A held job stays in the step that is named; a job that timed out; an artifact from outside the workspace."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from bot.sandbox.ci.runner.function_job import Outcome
from tests.sandbox.test_ci_real_steps import play
from tests.sandbox.yard import make_yard

WORKFLOW = """\
name: ci
on: pull_request
jobs:
  unit:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: make unit
      - name: Report
        if: always()
        run: make report
"""


async def test_a_job_is_held_in_a_step(tmp_path: Path) -> None:
    """What comes before the step has passed, the step runs, the rest is queued."""
    yard = make_yard(tmp_path, WORKFLOW)
    yard.ci.job("unit", lambda _: Outcome())
    yard.ci.hold("unit", step="Test")
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    assert [(step.name, step.status, step.conclusion) for step in yard.jobs["unit"].steps] == [
        ("Set up job", "completed", "success"),
        ("Run actions/checkout@v4", "completed", "success"),
        ("Test", "in_progress", None),
        ("Report", "queued", None),
    ]
    assert yard.problems == []


async def test_the_step_of_a_job_that_timed_out_was_cancelled(tmp_path: Path) -> None:
    """GitHub: only a job is `timed_out`; its step was cancelled, as the schema of steps has it."""
    yard = make_yard(tmp_path, WORKFLOW)
    yard.ci.job("unit", lambda _: Outcome("timed_out", step="Test"))
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    job = yard.jobs["unit"]
    assert (job.conclusion, [step.conclusion for step in job.steps if step.name == "Test"]) == (
        "timed_out",
        ["cancelled"],
    )
    assert yard.problems == []


async def test_an_artifact_from_the_runners_temporary_folder(tmp_path: Path) -> None:
    """upload-artifact takes absolute paths too."""
    jobs = """
a:
  runs-on: ubuntu-latest
  steps:
    - id: one
      run: echo hello > "$RUNNER_TEMP/note.txt" && echo "at=$RUNNER_TEMP/note.txt" >> "$GITHUB_OUTPUT"
    - {uses: actions/upload-artifact@v4, with: {name: note, path: "${{ steps.one.outputs.at }}"}}
"""
    yard = await play(tmp_path, jobs)
    (artifact,) = yard.repo.artifacts.values()
    assert zipfile.ZipFile(io.BytesIO(artifact.data)).namelist() == ["note.txt"]
