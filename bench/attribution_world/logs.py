"""Logs of jobs, as GitHub's runners frame them, for several test runners, linters and compilers. Text only."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random

_LOST = (
    "The hosted runner lost communication with the server. Anything in your workflow that terminates the runner "
    "process, starves it for CPU/Memory, or blocks its network access can cause this error."
)


@dataclass(frozen=True)
class Test:
    """One test of a repository: the file that holds it, its bare name, and the line of its assertion."""

    file: str
    name: str
    line: int


@dataclass(frozen=True)
class Broken:
    """A failure to be written into a log. `got` and `want` are what an assertion shows; `slow` is a timing failure."""

    kind: str
    test: Test | None
    path: str
    line: int
    got: str
    want: str
    slow: bool = False


@dataclass(frozen=True)
class Run:
    """What a log is written of: where it ran, on which commits, and what failed."""

    style: str
    started: float
    head: str
    base: str | None
    tests: tuple[Test, ...]
    broken: tuple[Broken, ...]
    trouble: str | None
    runner: str


def render(run: Run, random: Random) -> bytes:
    """Write the log of one job."""
    at = run.started
    out: list[str] = []
    for line in _lines(run, random):
        at += random.uniform(0.0005, 0.4)
        stamp = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
        out.append(f"{stamp}{random.randrange(10)}Z {line}")
    return ("\n".join(out) + "\n").encode()


def _lines(run: Run, random: Random) -> Iterator[str]:
    yield from ["Current runner version: '2.329.0'", "##[group]Runner Image", "Image: ubuntu-24.04", "##[endgroup]"]
    yield f"Prepare workflow directory on {run.runner}"
    yield from ["##[group]Run actions/checkout@v4", "with:", "  fetch-depth: 1", "##[endgroup]"]
    if run.base is None:
        yield f"HEAD is now at {run.head[:7]} Work on things"
    else:
        merged = f"{random.getrandbits(28):07x}"
        yield f"HEAD is now at {merged} Merge {run.head} into {run.base}"
    yield from ["##[group]Run ./ci/install", "./ci/install", "shell: /usr/bin/bash -e {0}", "##[endgroup]"]
    for n in range(random.randint(4, 12)):
        yield f"Collecting package{n}==1.{random.randrange(9)} ({random.randrange(20, 900)} kB)"
    if run.trouble is not None:
        yield from _trouble(run.trouble, random)
        return
    yield f"Installed in {random.uniform(2, 30):.1f}s to /tmp/env-{random.getrandbits(32):08x}"
    yield from _STYLES[run.style](run, random)


def _trouble(kind: str, random: Random) -> Iterator[str]:
    host = f"mirror{random.randrange(9)}.example.org"
    match kind:
        case "timeout":
            after = random.randrange(130000, 135000)
            yield f"curl: (28) Failed to connect to {host} port 443 after {after} ms: Couldn't connect to server"
            yield "##[error]Process completed with exit code 28."
        case "dns":
            yield f"curl: (6) Could not resolve host: {host}"
            yield "##[error]Process completed with exit code 6."
        case "lost":
            yield f"##[error]{_LOST}"
        case "reset":
            yield f"error: RPC failed; curl 56 Recv failure: Connection reset by peer while reading from {host}"
            yield "fatal: early EOF"
            yield "##[error]Process completed with exit code 128."
        case _:
            yield "ERROR: Could not find a version that satisfies the requirement tinylib<4 (from versions: 4.0, 4.1)"
            yield "ERROR: No matching distribution found for tinylib<4"
            yield "##[error]Process completed with exit code 1."


def _hung(run: Run) -> Broken | None:
    return next((each for each in run.broken if each.kind == "stall"), None)


def _ended_for_silence(item: str) -> Iterator[str]:
    told = {
        "failClass": "task-stalled",
        "scope": "task",
        "message": f"no progress for 300 s in {item}",
        "attribution": "gate-stalled",
        "item": item,
        "exitStatus": 124,
    }
    yield json.dumps(told)
    yield "##[error]Process completed with exit code 124."


def _pytest(run: Run, random: Random, how: str) -> Iterator[str]:
    failed = {each.test.name: each for each in run.broken if each.test is not None and each.kind == "test"}
    yield from [f"##[group]Run pytest{how}", f"pytest{how}", "shell: /usr/bin/bash -e {0}", "##[endgroup]"]
    hung = _hung(run)
    if hung is not None and hung.test is not None:
        yield f"{hung.test.file} .."
        yield from _ended_for_silence(f"{hung.test.file}::{hung.test.name}")
        return
    yield "============================= test session starts =============================="
    yield f"collected {len(run.tests)} items"
    yield ""
    yield from _pytest_progress(run, failed, how)
    yield ""
    if failed:
        yield "=================================== FAILURES ==================================="
    for each in failed.values():
        yield from _pytest_failure(each, random)
    taken = f"{random.uniform(1, 90):.2f}s"
    if failed:
        yield "=========================== short test summary info ============================"
        for each in failed.values():
            yield f"FAILED {each.path}::{each.test.name if each.test else ''} - {_assertion(each, random)}"
        counts = f"{len(failed)} failed, {len(run.tests) - len(failed)} passed"
        yield f"========================= {counts} in {taken} ========================="
        yield "##[error]Process completed with exit code 1."
    else:
        yield f"============================== {len(run.tests)} passed in {taken} =============================="


def _pytest_progress(run: Run, failed: dict[str, Broken], how: str) -> Iterator[str]:
    if how == " -q":
        yield "".join("F" if test.name in failed else "." for test in run.tests) + " [100%]"
        return
    done = 0
    for file in dict.fromkeys(test.file for test in run.tests):
        there = [test for test in run.tests if test.file == file]
        done += len(there)
        share = f"[{100 * done // len(run.tests):3d}%]"
        if how == " -v":
            for test in there:
                yield f"{file}::{test.name} {'FAILED' if test.name in failed else 'PASSED'} {share}"
        else:
            yield f"{file} {''.join('F' if test.name in failed else '.' for test in there):<40} {share}"


def _pytest_failure(each: Broken, random: Random) -> Iterator[str]:
    name = each.test.name if each.test else ""
    yield f"{f' {name} ':_^80}"
    yield ""
    yield f"    def {name}():"
    yield f">       {_source(each)}"
    yield f"E       {_assertion(each, random)}"
    yield ""
    yield f"{each.path}:{each.line}: {'TimeoutError' if each.slow else 'AssertionError'}"


def _source(each: Broken) -> str:
    return "wait_for(server)" if each.slow else f"assert load() == {each.want}"


def _assertion(each: Broken, random: Random) -> str:
    if each.slow:
        port, after = random.randrange(30000, 60000), random.randrange(5000, 5400)
        return f"TimeoutError: no answer from 127.0.0.1:{port} after {after} ms"
    return f"assert {each.got} == {each.want}"


def _jest(run: Run, random: Random) -> Iterator[str]:
    yield from ["##[group]Run npx jest", "npx jest", "shell: /usr/bin/bash -e {0}", "##[endgroup]"]
    hung = _hung(run)
    if hung is not None and hung.test is not None:
        yield from _ended_for_silence(f"{hung.test.file} \u203a {hung.test.name}")
        return
    failed = {each.test.name: each for each in run.broken if each.test is not None and each.kind == "test"}
    for file in dict.fromkeys(test.file for test in run.tests):
        bad = [each for each in failed.values() if each.path == file]
        yield f"{'FAIL' if bad else 'PASS'} {file} ({random.uniform(0.1, 9):.3f} s)"
        for each in bad:
            name = each.test.name if each.test else ""
            yield from [f"  ● suite \u203a {name}", ""]
            if each.slow:
                yield '    thrown: "Exceeded timeout of 5000 ms for a test."'
            else:
                yield from ["    expect(received).toBe(expected) // Object.is equality", ""]
                yield from [f"    Expected: {each.want}", f"    Received: {each.got}"]
            yield from ["", f"    > {each.line} |     expect(load()).toBe({each.want});", ""]
            yield from [f"      at Object.<anonymous> ({each.path}:{each.line}:21)", ""]
    yield f"Tests:       {len(failed)} failed, {len(run.tests) - len(failed)} passed, {len(run.tests)} total"
    yield f"Time:        {random.uniform(1, 60):.3f} s"
    if failed:
        yield "##[error]Process completed with exit code 1."


def _go(run: Run, random: Random, how: str) -> Iterator[str]:
    yield from [
        f"##[group]Run go test{how} ./...",
        f"go test{how} ./...",
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
    ]
    compiling = [each for each in run.broken if each.kind == "build"]
    if compiling:
        for each in compiling:
            yield f"./{each.path}:{each.line}:5: undefined: {each.got}"
        yield "##[error]Process completed with exit code 1."
        return
    hung = _hung(run)
    if hung is not None and hung.test is not None:
        yield from _ended_for_silence(hung.test.name)
        return
    failed = {each.test.name: each for each in run.broken if each.test is not None and each.kind == "test"}
    for file in dict.fromkeys(test.file for test in run.tests):
        there = [test for test in run.tests if test.file == file]
        package = f"example.org/m/{file.rpartition('/')[0]}"
        for test in there:
            bad = failed.get(test.name)
            if how or bad:
                yield f"=== RUN   {test.name}"
                if bad:
                    what = (
                        f"no answer after {random.randrange(5000, 5400)}ms"
                        if bad.slow
                        else f"got {bad.got}, want {bad.want}"
                    )
                    yield f"    {file.rpartition('/')[2]}:{bad.line}: {what}"
                yield f"--- {'FAIL' if bad else 'PASS'}: {test.name} ({random.uniform(0, 2):.2f}s)"
        ends = f"{package}\t{random.uniform(0.1, 20):.3f}s"
        yield f"FAIL\t{ends}" if any(test.name in failed for test in there) else f"ok  \t{ends}"
    if failed:
        yield from ["FAIL", "##[error]Process completed with exit code 1."]


def _cargo(run: Run, random: Random) -> Iterator[str]:
    yield from ["##[group]Run cargo test", "cargo test", "shell: /usr/bin/bash -e {0}", "##[endgroup]"]
    compiling = [each for each in run.broken if each.kind == "build"]
    if compiling:
        for each in compiling:
            yield from [
                f"error[E0425]: cannot find value `{each.got}` in this scope",
                f"  --> {each.path}:{each.line}:5",
                "   |",
            ]
        yield from [
            "error: could not compile `thing` (lib) due to 1 previous error",
            "##[error]Process completed with exit code 101.",
        ]
        return
    hung = _hung(run)
    if hung is not None and hung.test is not None:
        yield from _ended_for_silence(_module(hung.test))
        return
    failed = {each.test.name: each for each in run.broken if each.test is not None and each.kind == "test"}
    yield f"running {len(run.tests)} tests"
    for test in random.sample(run.tests, len(run.tests)):
        yield f"test {_module(test)} ... {'FAILED' if test.name in failed else 'ok'}"
    if failed:
        yield from ["", "failures:", ""]
        for each in failed.values():
            if each.test is None:
                continue
            yield f"---- {_module(each.test)} stdout ----"
            thread = random.randrange(2000, 9000)
            yield f"thread '{_module(each.test)}' ({thread}) panicked at {each.path}:{each.line}:5:"
            if each.slow:
                yield f"no answer after {random.randrange(5000, 5400)} ms"
            else:
                yield from ["assertion `left == right` failed", f"  left: {each.got}", f" right: {each.want}"]
            yield ""
        yield from ["", "failures:", *(f"    {_module(each.test)}" for each in failed.values() if each.test), ""]
    word = "FAILED" if failed else "ok"
    counts = f"{len(run.tests) - len(failed)} passed; {len(failed)} failed; 0 ignored; 0 measured; 0 filtered out"
    yield f"test result: {word}. {counts}; finished in {random.uniform(0.1, 9):.2f}s"
    if failed:
        yield "##[error]Process completed with exit code 101."


def _module(test: Test) -> str:
    return f"{test.file.removesuffix('.rs').removeprefix('src/').replace('/', '::')}::{test.name}"


def _linter(run: Run, random: Random) -> Iterator[str]:
    yield from [
        "##[group]Run ruff check --output-format=concise .",
        "ruff check",
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
    ]
    for each in run.broken:
        yield f"{each.path}:{each.line}:{random.randrange(1, 9)}: F821 Undefined name `{each.got}`"
    if run.broken:
        yield from [f"Found {len(run.broken)} errors.", "##[error]Process completed with exit code 1."]
    else:
        yield "All checks passed!"


def _types(run: Run, random: Random) -> Iterator[str]:
    yield from ["##[group]Run npx tsc --noEmit", "npx tsc --noEmit", "shell: /usr/bin/bash -e {0}", "##[endgroup]"]
    for each in run.broken:
        yield f"{each.path}({each.line},{random.randrange(1, 9)}): error TS2304: Cannot find name '{each.got}'."
    if run.broken:
        yield "##[error]Process completed with exit code 2."


_STYLES = {
    "pytest": lambda run, random: _pytest(run, random, ""),
    "pytest-v": lambda run, random: _pytest(run, random, " -v"),
    "pytest-q": lambda run, random: _pytest(run, random, " -q"),
    "jest": _jest,
    "go": lambda run, random: _go(run, random, ""),
    "go-v": lambda run, random: _go(run, random, " -v"),
    "cargo": _cargo,
    "ruff": _linter,
    "tsc": _types,
}
