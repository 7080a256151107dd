"""Reads of configuration: a base branch's, which is acted on, and a pull request's, which never is."""

from __future__ import annotations

import base64
from typing import Any

from bot.github import NotFound, PermissionMissing, QueryFailed
from bot.objects import pull_observed
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.actions import ReadConfig, ReadPullConfig
from resolver.config import CONFIG_PATH, ConfigProblem, ConfigProblems, RepoConfig, parse_config_bytes
from resolver.config.misnamed import MISNAMED
from resolver.facts import ConfigRead, PullConfigRead
from resolver.ids import Sha


async def read_config(place: Place, action: ReadConfig) -> Outcome:
    """Read `.github/failres.yml` as it stands on a base branch; none there means that all defaults hold."""
    sha = action.sha or await head_of(place, action.ref)
    return Outcome((await config_at(place, action.ref, sha),))


async def head_of(place: Place, ref: str) -> Sha:
    """Give the newest commit of a branch."""
    branch = await place.installation.get(place.path("/branches/{+ref}", ref=ref))
    return Sha(str(branch["commit"]["sha"]))


async def config_at(place: Place, ref: str, sha: Sha) -> ConfigRead:
    """Read and check the configuration at a commit of a base branch."""
    found = await config_file(place, sha)
    match found:
        case None:
            return ConfigRead(ref=ref, sha=sha, found=False, misnamed=await _misnamed(place, ref))
        case RepoConfig():
            return ConfigRead(ref=ref, sha=sha, found=True, settings=found)
        case ConfigProblems():
            return ConfigRead(ref=ref, sha=sha, found=True, problems=found.problems)


async def _misnamed(place: Place, ref: str) -> tuple[str, ...]:
    """Give the files of a branch that are meant to be the configuration, in one call; asked where there is none."""
    owner, _, name = place.repo.full_name.partition("/")
    try:
        data = await place.installation.graphql(_LOOK_ALIKES, owner=owner, name=name, ref=f"refs/heads/{ref}")
    except QueryFailed as failed:
        if "FORBIDDEN" in failed.types:
            raise PermissionMissing("/graphql", ("contents=read",)) from failed
        raise
    branch = (data.get("repository") or {}).get("ref") or {}
    there = branch.get("target") or {}
    return tuple(path for number, path in enumerate(MISNAMED) if there.get(f"f{number}"))


_EACH = " ".join(f'f{number}: file(path: "{path}") {{ mode }}' for number, path in enumerate(MISNAMED))
_LOOK_ALIKES = f"""
query($owner: String!, $name: String!, $ref: String!) {{
  repository(owner: $owner, name: $name) {{
    ref(qualifiedName: $ref) {{ target {{ ... on Commit {{ {_EACH} }} }} }}
  }}
}}
"""


async def read_pull_config(place: Place, action: ReadPullConfig) -> Outcome:
    """Check the configuration file that a pull request brings.

    It is read in this repository, which also holds the heads of forks.
    """
    pull = pull_observed(await place.installation.get(place.path("/pulls/{n}", n=action.number)))
    if pull.head_sha != action.head_sha:
        return Outcome((pull,), refused="the head moved while its configuration was read")
    found = await config_file(place, action.head_sha)
    problems = found.problems if isinstance(found, ConfigProblems) else ()
    return Outcome(
        (PullConfigRead(number=action.number, head_sha=action.head_sha, found=found is not None, problems=problems),)
    )


async def config_file(place: Place, ref: str) -> RepoConfig | ConfigProblems | None:
    """Read and check the configuration at a branch or commit; None where there is none."""
    try:
        item: Any = await place.installation.get(place.path("/contents/{+path}", path=CONFIG_PATH), ref=ref)
    except NotFound:
        return None
    if not isinstance(item, dict) or item.get("type") != "file" or item.get("encoding") != "base64":
        kind = item.get("type", "folder") if isinstance(item, dict) else "folder"
        message = f"this must be a file of at most 64 KiB, GitHub shows a {kind} instead"
        return ConfigProblems(problems=(ConfigProblem(line=1, column=1, path="", message=message),))
    return parse_config_bytes(base64.b64decode(item["content"]))
