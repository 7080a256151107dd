"""actions/checkout for real: fetches from the bare repository, so that history is as shallow as on GitHub."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from pathlib import Path

from bot.sandbox.ci.runner import frame
from bot.sandbox.ci.runner.output import StepOutput
from bot.sandbox.ci.runner.task import Task
from bot.sandbox.git.process import environment


async def check_out(task: Task, inputs: Mapping[str, str], output: StepOutput) -> str | None:
    """
    Check the tested commit out (or the one that `ref` names). Gives what went wrong, as a sentence.

    GitHub: depth 1 unless `fetch-depth` says otherwise (0: everything); the job's token stays in the checkout's
    configuration unless `persist-credentials` is false.
    """
    if inputs.get("repository") not in (None, "", task.repository):
        return f"Checking out another repository ({inputs['repository']}) is not supported by this sandbox"
    target = task.workspace / (inputs.get("path") or ".")
    target.mkdir(parents=True, exist_ok=True)
    depth = inputs.get("fetch-depth") or "1"
    wanted = inputs.get("ref") or task.checkout
    commands = [("init", "--quiet", "."), ("remote", "add", "origin", task.git_dir.as_uri())]
    if (target / ".git").exists():
        commands = []
    if depth == "0":
        commands.append(
            ("fetch", "--quiet", "origin", "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*")
        )
        commands.append(("fetch", "--quiet", "origin", wanted))
    else:
        commands.append(("fetch", "--quiet", "--no-tags", f"--depth={depth}", "origin", wanted))
    commands.append(("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD"))
    for command in commands:
        status, said = await _git(target, *command)
        if status != 0:
            return f"The process '/usr/bin/git' failed with exit code {status}: {output.hide(said)}"
    _, head = await _git(target, "log", "-1", "--format=%H %s")
    sha, _, title = head.partition(" ")
    frame.checked_out(output.log, task, sha, title, output.now())
    await _origin(task, target, keep=inputs.get("persist-credentials") != "false")
    return None


async def _origin(task: Task, target: Path, *, keep: bool) -> None:
    """Point `origin` at the sandbox's own address, with the job's token if it may stay."""
    server = str(task.contexts["github"]["server_url"])
    await _git(target, "remote", "set-url", "origin", f"{server}/{task.repository}")
    if keep:
        secret = base64.b64encode(f"x-access-token:{task.token}".encode()).decode()
        await _git(target, "config", f"http.{server}/.extraheader", f"AUTHORIZATION: basic {secret}")


async def _git(directory: Path, *arguments: str) -> tuple[int, str]:
    process = await asyncio.create_subprocess_exec(
        "git",
        *arguments,
        cwd=directory,
        env=environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    out, _ = await process.communicate()
    return process.returncode or 0, out.decode(errors="replace").strip()
