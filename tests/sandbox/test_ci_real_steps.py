"""Real `run:` steps in a real checkout: environment, outputs, commands, limits, logs. Facts by number in GITHUB.md."""

from __future__ import annotations

import asyncio
import io
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.sandbox.ci.log import BOM, stamp
from bot.sandbox.ci.runner.command_files import read_pairs
from bot.sandbox.ci.runner.commands import Command, parse_command
from bot.sandbox.ci.runner.matchers import Progress, properties, read_matchers
from bot.sandbox.state import Job
from tests.sandbox.yard import Yard, make_yard, on_pull

Play = Callable[..., object]


async def play(root: Path, jobs: str, files: dict[str, str] | None = None) -> Yard:
    """Run the workflow with these jobs for real on a pull request that adds `n`."""
    yard = make_yard(root, on_pull(jobs), files)
    yard.people.open_pull("a", {"n": "1\n"})
    await yard.ci.advance()
    assert yard.problems == []
    return yard


def lines(job: Job) -> list[str]:
    """The log's lines without mark and time."""
    assert job.log is not None
    text = job.log.removeprefix(BOM).decode("utf-8", "surrogateescape")
    return [line.partition("Z ")[2] for line in text.split("\n")]


async def test_trap_17_the_log_is_in_githubs_frame(tmp_path: Path) -> None:
    """GITHUB.md trap 17: mark at the start, seven decimals, groups, raw bytes kept, the exit line last in the step."""
    jobs = r"""
a:
  runs-on: ubuntu-latest
  steps:
    - uses: actions/checkout@v4
    - run: |
        printf '\033[31mred\033[0m\r\n'
        printf 'bad \377 byte\n'
        exit 7
"""
    yard = await play(tmp_path, jobs)
    log = yard.jobs["a"].log or b""
    assert log.startswith(BOM)
    prefix = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ")
    assert all(prefix.match(line) for line in log.removeprefix(BOM).splitlines())
    assert b"bad \xff byte" in log
    assert b"\x1b[31mred\x1b[0m\r\n" in log
    said = lines(yard.jobs["a"])
    begun = said.index(r"##[group]Run printf '\033[31mred\033[0m\r\n'")
    assert said[begun + 1] == "\x1b[36;1m" + r"printf '\033[31mred\033[0m\r\n'" + "\x1b[0m"
    assert said[begun + 4 : begun + 6] == ["shell: /usr/bin/bash -e {0}", "##[endgroup]"]
    assert said[begun + 8] == "##[error]Process completed with exit code 7."
    merge = yard.run.checkout
    title = yard.repo.git.commit(merge).message
    assert f"HEAD is now at {merge[:7]} {title}" in said
    assert merge in said


async def test_a_failing_step_skips_the_rest(tmp_path: Path) -> None:
    """Later steps are skipped unless they ask for `always()` or `failure()`; a tolerated one is a success with an outcome."""
    jobs = """
a:
  runs-on: ubuntu-latest
  steps:
    - {id: soft, run: exit 1, continue-on-error: true}
    - {name: told, run: "echo ${{ steps.soft.outcome }}/${{ steps.soft.conclusion }}"}
    - {name: hard, run: exit 2}
    - {name: skipped, run: echo never}
    - {name: failed, if: failure(), run: "echo was ${{ job.status }}"}
    - {name: always, if: always(), run: echo last}
"""
    yard = await play(tmp_path, jobs)
    job = yard.jobs["a"]
    assert [(step.name, step.conclusion) for step in job.steps[1:-1]] == [
        ("Run exit 1", "success"),
        ("told", "success"),
        ("hard", "failure"),
        ("skipped", "skipped"),
        ("failed", "success"),
        ("always", "success"),
    ]
    assert {"failure/success", "was failure", "last"} <= set(lines(job))
    assert "never" not in lines(job)
    assert job.conclusion == "failure"


async def test_outputs_environment_and_path_reach_later_steps_and_jobs(tmp_path: Path) -> None:
    """GITHUB_OUTPUT, GITHUB_ENV and GITHUB_PATH work; a job's outputs reach the jobs that need it."""
    jobs = r"""
a:
  runs-on: ubuntu-latest
  env: {FROM_JOB: "${{ github.event.pull_request.title }}"}
  outputs: {v: "${{ steps.one.outputs.v }}"}
  steps:
    - id: one
      run: |
        echo "v=42" >> "$GITHUB_OUTPUT"
        printf 'TEXT<<EOF\ntwo\nlines\nEOF\n' >> "$GITHUB_ENV"
        mkdir bin && printf '#!/bin/sh\necho found me\n' > bin/tool && chmod +x bin/tool
        echo "$PWD/bin" >> "$GITHUB_PATH"
    - run: |
        tool
        echo "$TEXT / $FROM_JOB / ${{ env.TEXT }}"
      shell: bash
    - run: |
        import os
        print("python", os.environ["CI"], os.environ["GITHUB_EVENT_NAME"])
      shell: python
b:
  needs: a
  runs-on: ubuntu-latest
  steps: [{run: "echo got ${{ needs.a.outputs.v }}"}]
"""
    yard = await play(tmp_path, jobs)
    assert yard.ends() == {"a": "success", "b": "success"}
    said = lines(yard.jobs["a"])
    assert {"found me", "lines / A / two", "python true pull_request"} <= set(said)
    assert "got 42" in lines(yard.jobs["b"])


async def test_the_checkout_is_the_tested_commit_and_shallow(tmp_path: Path) -> None:
    """The workspace holds the merge commit alone; `fetch-depth: 0` brings history; nothing of this machine shows."""
    jobs = """
a:
  runs-on: ubuntu-latest
  defaults: {run: {working-directory: sub}}
  steps:
    - uses: actions/checkout@v4
    - run: git rev-list --count HEAD; git rev-parse HEAD; pwd; cat ../n
b:
  runs-on: ubuntu-latest
  steps:
    - {uses: actions/checkout@v4, with: {fetch-depth: 0, persist-credentials: false}}
    - run: git rev-list --count HEAD; git config --get-regexp extraheader || echo no token
"""
    yard = await play(tmp_path, jobs, {"sub/x": "1"})
    said = lines(yard.jobs["a"])
    at = said.index("1")
    assert said[at : at + 4] == ["1", yard.run.checkout, "/home/runner/work/demo/demo/sub", "1"]
    assert str(tmp_path) not in "\n".join(said)
    assert {"3", "no token"} <= set(lines(yard.jobs["b"]))


COMMANDING = """
a:
  runs-on: ubuntu-latest
  steps:
    - uses: actions/checkout@v4
    - run: |
        echo "::error file=app.py,line=3,endLine=3,col=5,title=Bad%2C really::x is wrong%0Asecond line"
        echo "::warning file=$GITHUB_WORKSPACE/app.py,line=4::meh"
        for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo "::error::number $i"; done
        echo "::add-mask::hunter2"
        echo "the word is hunter2 and ${{ github.token }}"
        echo "::stop-commands::pause"
        echo "::error::not a command"
        echo "::pause::"
        echo "::group::Details"
        echo "::endgroup::"
        echo "::debug::quiet"
"""


async def test_commands_annotate_and_mask(tmp_path: Path) -> None:
    """`::error` and `::warning` annotate (ten of each at most), `::add-mask` hides, `::stop-commands` stops."""
    yard = await play(tmp_path, COMMANDING)
    notes = yard.repo.check_runs[yard.jobs["a"].id].annotations
    assert notes[0] == {
        "path": "app.py",
        "start_line": 3,
        "end_line": 3,
        "start_column": 5,
        "end_column": 5,
        "annotation_level": "failure",
        "title": "Bad, really",
        "message": "x is wrong\nsecond line",
        "raw_details": None,
    }
    assert (notes[1]["path"], notes[1]["annotation_level"]) == ("app.py", "warning")
    assert [note["message"] for note in notes if note["annotation_level"] == "failure"][1:] == [
        f"number {number}" for number in range(1, 10)
    ]
    said = lines(yard.jobs["a"])
    assert "the word is *** and ***" in said
    assert "::error::not a command" in said
    assert {"##[group]Details", "##[endgroup]", "##[error]number 12"} <= set(said)
    assert not any("quiet" in line for line in said if "echo" not in line)


async def test_problem_matchers_annotate_until_removed(tmp_path: Path) -> None:
    """A matcher added by a step annotates matching lines of later steps and marks them in the log."""
    matcher = (
        '{"problemMatcher": [{"owner": "lint", "severity": "warning", "pattern":'
        ' [{"regexp": "^(.+):(\\\\d+):(\\\\d+): (.*)$", "file": 1, "line": 2, "column": 3, "message": 4}]}]}'
    )
    jobs = """
a:
  runs-on: ubuntu-latest
  steps:
    - uses: actions/checkout@v4
    - run: echo "::add-matcher::lint.json"
    - run: |
        echo "app.py:3:7: unused x"
        echo "::remove-matcher owner=lint::"
        echo "app.py:4:1: unseen"
"""
    yard = await play(tmp_path, jobs, {"lint.json": matcher})
    (note,) = yard.repo.check_runs[yard.jobs["a"].id].annotations
    assert (note["path"], note["start_line"], note["start_column"], note["message"]) == ("app.py", 3, 7, "unused x")
    assert note["annotation_level"] == "warning"
    assert {"##[warning]app.py:3:7: unused x", "app.py:4:1: unseen"} <= set(lines(yard.jobs["a"]))


async def test_time_limits_end_the_whole_process_group(tmp_path: Path) -> None:
    """A step over its limit fails the job; a job over its limit is cancelled; children do not survive."""
    jobs = """
step:
  runs-on: ubuntu-latest
  steps:
    - run: |
        sleep 30 &
        echo $! > child
        sleep 30
      timeout-minutes: 0.003
    - if: always()
      run: |
        status="/proc/$(cat child)/status"
        if [ -e "$status" ] && ! grep -q zombie "$status"; then echo "child lives"; else echo "child is gone"; fi
whole:
  runs-on: ubuntu-latest
  timeout-minutes: 0.005
  steps: [{run: sleep 30}, {run: echo never}, {if: always(), run: echo still}]
"""
    yard = await play(tmp_path, jobs)
    assert yard.ends() == {"step": "failure", "whole": "cancelled"}
    assert any("has timed out after 0.003 minutes" in line for line in lines(yard.jobs["step"]))
    assert "child is gone" in lines(yard.jobs["step"])
    assert any("exceeded the maximum execution time of 0.005m0s" in line for line in lines(yard.jobs["whole"]))
    assert "still" in lines(yard.jobs["whole"])


def wait_for(root: Path, pattern: str) -> None:
    """Wait until a step has made a file."""
    while not list(root.glob(pattern)):
        time.sleep(0.005)


async def test_a_running_job_is_cancelled_at_once(tmp_path: Path) -> None:
    """A cancellation reaches the step that runs: its processes end, `always()` still runs, the job is cancelled."""
    jobs = "a: {runs-on: x, steps: [{run: 'touch begun; sleep 30'}, {run: echo no}, {if: always(), run: echo last}]}"
    yard = make_yard(tmp_path, on_pull(jobs))
    yard.people.open_pull("a", {"n": "1\n"})
    running = asyncio.create_task(yard.ci.advance())
    async with asyncio.timeout(10):
        await asyncio.to_thread(wait_for, tmp_path, "jobs/*/*/demo/demo/begun")
        await yard.ci.cancel(yard.act(), yard.run, force=False)
        await running
    assert (yard.ends(), yard.run.latest.conclusion) == ({"a": "cancelled"}, "cancelled")
    said = lines(yard.jobs["a"])
    assert {"##[error]The operation was canceled.", "last"} <= set(said)
    assert "no" not in said


async def test_the_token_of_a_forks_run_only_reads(tmp_path: Path) -> None:
    """A job's own token is known as a workflow's; for a pull request from a fork it cannot write."""
    yard = make_yard(tmp_path, on_pull("a: {runs-on: x, steps: [{run: 'true'}]}"))
    yard.people.open_pull("own", {"n": "1\n"})
    yard.people.open_pull("theirs", {"n": "1\n"}, by="outsider", fork=True)
    await yard.ci.advance()
    own, theirs = yard.github.tokens.values()
    assert own.of_workflow
    assert own.actor.by_workflow_token
    assert own.permissions["contents"] == "write"
    assert set(theirs.permissions.values()) == {"read"}


ACTION = """\
name: Greet
inputs:
  who: {default: nobody}
  job: {default: "${{ github.job }}"}
  loud: {required: true}
outputs:
  said: {value: "${{ steps.say.outputs.text }}"}
runs:
  using: composite
  steps:
    - id: say
      shell: bash
      run: |
        echo "text=hello ${{ inputs.who }} ${{ inputs.loud }} in ${{ inputs.job }}" >> "$GITHUB_OUTPUT"
        echo "LASTS=$FROM_STEP" >> "$GITHUB_ENV"
        test -f "$GITHUB_ACTION_PATH/action.yml"
    - {shell: bash, if: "inputs.loud == 'no'", run: exit 9}
"""


async def test_a_composite_action_of_the_repository_runs(tmp_path: Path) -> None:
    """Inputs with defaults (expressions too), outputs of steps, lasting environment; a failing step fails the using one."""
    jobs = """
a:
  runs-on: ubuntu-latest
  steps:
    - uses: actions/checkout@v4
    - {id: greet, uses: ./tools/greet, with: {loud: "yes"}, env: {FROM_STEP: seen}}
    - run: echo "${{ steps.greet.outputs.said }} / $LASTS"
    - {name: quiet, uses: ./tools/greet, with: {who: you, loud: "no"}}
b:
  runs-on: ubuntu-latest
  steps: [{uses: ./tools/greet}]
"""
    yard = await play(tmp_path, jobs, {"tools/greet/action.yml": ACTION})
    assert "hello nobody yes in a / seen" in lines(yard.jobs["a"])
    assert [(step.name, step.conclusion) for step in yard.jobs["a"].steps][4] == ("quiet", "failure")
    assert "##[error]Process completed with exit code 9." in lines(yard.jobs["a"])
    assert any("Did you forget to run actions/checkout?" in line for line in lines(yard.jobs["b"]))


async def test_another_kind_of_action_says_so(tmp_path: Path) -> None:
    """A JavaScript action of the repository is refused with file, line and key."""
    action = "name: x\nruns:\n  using: node20\n  main: x.js\n"
    jobs = "a: {runs-on: x, steps: [{uses: actions/checkout@v4}, {uses: ./js}]}"
    yard = await play(tmp_path, jobs, {"js/action.yml": action})
    text = "##[error]./js/action.yml:3: runs.using: only `composite` actions are supported by this sandbox"
    assert text in lines(yard.jobs["a"])


async def test_steps_show_while_a_real_job_runs(tmp_path: Path) -> None:
    """During a step the API's list has the finished ones, the running one and the queued ones; each number once."""
    jobs = "a: {runs-on: x, steps: [{run: 'true'}, {run: 'touch begun; sleep 30'}, {run: echo no}]}"
    yard = make_yard(tmp_path, on_pull(jobs))
    yard.people.open_pull("a", {"n": "1\n"})
    running = asyncio.create_task(yard.ci.advance())
    await asyncio.to_thread(wait_for, tmp_path, "jobs/*/*/demo/demo/begun")
    seen = [(step.number, step.status, step.conclusion) for step in yard.jobs["a"].steps]
    await yard.ci.cancel(yard.act(), yard.run, force=True)
    await running
    assert seen == [
        (1, "completed", "success"),
        (2, "completed", "success"),
        (3, "in_progress", None),
        (4, "queued", None),
    ]
    assert [step.number for step in yard.jobs["a"].steps] == [1, 2, 3, 4, 5]


async def test_artifacts_are_uploaded_and_downloaded(tmp_path: Path) -> None:
    """upload-artifact keeps a zip with names relative to what they share; a later job downloads it."""
    jobs = """
a:
  runs-on: ubuntu-latest
  steps:
    - run: mkdir -p out/deep && echo one > out/one.txt && echo two > out/deep/two.txt
    - {uses: actions/upload-artifact@v4, with: {name: result, path: out/}}
    - {uses: actions/upload-artifact@v4, with: {name: none, path: nothing/}}
b:
  needs: a
  runs-on: ubuntu-latest
  steps:
    - {uses: actions/download-artifact@v4, with: {name: result, path: got}}
    - run: cat got/deep/two.txt
"""
    yard = await play(tmp_path, jobs)
    assert yard.ends() == {"a": "success", "b": "success"}
    assert "two" in lines(yard.jobs["b"])
    (artifact,) = yard.repo.artifacts.values()
    assert artifact.name == "result"
    assert zipfile.ZipFile(io.BytesIO(artifact.data)).namelist() == ["deep/two.txt", "one.txt"]
    assert any("No files were found" in note["message"] for note in yard.repo.check_runs[yard.jobs["a"].id].annotations)


async def test_another_python_is_refused_not_pretended(tmp_path: Path) -> None:
    """setup-python has one interpreter; asking for another fails and says so."""
    jobs = "a: {runs-on: x, steps: [{uses: actions/setup-python@v5, with: {python-version: '2.7'}}]}"
    yard = await play(tmp_path, jobs)
    assert yard.ends() == {"a": "failure"}
    assert any("'2.7' was not found; this sandbox has Python" in line for line in lines(yard.jobs["a"]))


async def test_a_step_sees_nothing_of_this_machines_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is set where the sandbox runs does not reach a step."""
    monkeypatch.setenv("FAILRES_SECRET", "planted")
    yard = await play(tmp_path, "a: {runs-on: x, steps: [{run: env}]}")
    assert "planted" not in "\n".join(lines(yard.jobs["a"]))
    assert "RUNNER_OS=Linux" in lines(yard.jobs["a"])


COMMANDS = [
    ("::error::x", Command("error", "x")),
    ("  ::warning file=a b.py,line=1::m: n", Command("warning", "m: n", {"file": "a b.py", "line": "1"})),
    ("::error title=a%3Ab%2Cc::100%25%0A", Command("error", "100%\n", {"title": "a:b,c"})),
    ("text ::error::x", None),
    ("::error", None),
    ("std::vector::push", None),
]


@pytest.mark.parametrize(("line", "expected"), COMMANDS)
def test_commands_are_read(line: str, expected: Command | None) -> None:
    """A command begins its line; its escapes are undone."""
    assert parse_command(line) == expected


def test_a_matcher_over_two_lines_loops() -> None:
    """A first line gives the file, each following one a problem, until one does not match."""
    text = (
        '{"problemMatcher": [{"owner": "o", "pattern": [{"regexp": "^(\\\\S+\\\\.js)$", "file": 1},'
        ' {"regexp": "^  (\\\\d+):(\\\\d+) (error|warning) (.*)$", "line": 1, "column": 2, "severity": 3, "message": 4,'
        ' "loop": true}]}]}'
    )
    progress = Progress(read_matchers(text)[0])
    found = [progress.feed(line) for line in ("a.js", "  1:2 error bad", "  3:4 warning meh", "done", "  5:6 error no")]
    assert [one and (properties(one)["file"], one["line"], one["severity"]) for one in found] == [
        None,
        ("a.js", "1", "error"),
        ("a.js", "3", "warning"),
        None,
        None,
    ]


def test_command_files_are_read() -> None:
    """Plain pairs, blocks, and a malformed line."""
    assert read_pairs("a=1\nb<<E\nx=y\n\nE\nc=d=e<<f\n") == {"a": "1", "b": "x=y\n", "c": "d=e<<f"}
    with pytest.raises(ValueError, match="Invalid format 'oops'"):
        read_pairs("oops\n")
    with pytest.raises(ValueError, match="Matching delimiter not found"):
        read_pairs("a<<E\nb\n")


def test_stamps_have_seven_decimals() -> None:
    """A time in a log is UTC with ticks of 100 ns."""
    assert stamp(1_790_000_000.5625) == "2026-09-21T14:13:20.5625000Z"
