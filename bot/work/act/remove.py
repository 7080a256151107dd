"""
Removes what failres has left behind on GitHub: a branch, a cache or an artifact, if it still is what was seen.

A name proves nothing: a person may call a branch like one of ours, also in a fork. What is removed stands at, or was
made by a run on, an empty commit of failres's own, in which nobody's work can be; of a cache, whose commit GitHub does
not tell, the branch stands at one or is gone.
"""

from __future__ import annotations

from typing import assert_never

from bot.github import NotFound, Refused
from bot.work.act.unprobe import GONE
from bot.work.place import Place
from repairs.environment import is_own
from resolver.facts.repairs import Thing
from resolver.ids import Sha
from resolver.probes import probe_base

OWN_WORDS = "failres: "
"""How the messages of failres's own commits begin."""


async def remove(place: Place, thing: Thing) -> bool:
    """Remove one thing if it is what was reported; True where it is gone."""
    match thing.kind:
        case "cache":
            path = place.path("/actions/caches/{id}", id=thing.id)
        case "artifact":
            path = place.path("/actions/artifacts/{id}", id=thing.id)
        case "ref":
            path = place.path("/git/refs/heads/{+name}", name=thing.name)
            at = await _branch(place, thing.name)
            if at is None:
                return True
            if at != thing.version:
                return False
        case _:
            assert_never(thing.kind)
    if not await is_ours(place, thing):
        return False
    try:
        await place.installation.delete(path)
    except NotFound:
        return True
    except Refused as refused:
        if refused.status != GONE:
            raise
    return True


async def is_ours(place: Place, thing: Thing) -> bool:
    """Say whether a thing on a branch with a name like ours is failres's own; what is on others was judged before."""
    if not is_own(thing.branch):
        return True
    match thing.kind:
        case "ref" | "artifact":
            return await _own_commit(place, thing.branch, Sha(thing.version))
        case "cache":
            at = await _branch(place, thing.branch)
            return at is None or await _own_commit(place, thing.branch, at)
        case _:
            assert_never(thing.kind)


async def _branch(place: Place, name: str) -> Sha | None:
    try:
        ref = await place.installation.get(place.path("/git/ref/heads/{+name}", name=name))
    except NotFound:
        return None
    return Sha(str(ref["object"]["sha"]))


async def _own_commit(place: Place, branch: str, sha: Sha) -> bool:
    """Say whether a commit is an empty child as failres makes it; a probe's, of the base that its name tells."""
    try:
        commit = await place.installation.get(place.path("/git/commits/{sha}", sha=sha))
    except NotFound:
        return False
    parents = [str(each["sha"]) for each in commit["parents"]]
    if not str(commit["message"]).startswith(OWN_WORDS) or len(parents) != 1:
        return False
    if not parents[0].startswith(probe_base(branch)):
        return False
    parent = await place.installation.get(place.path("/git/commits/{sha}", sha=parents[0]))
    return bool(commit["tree"]["sha"] == parent["tree"]["sha"])
