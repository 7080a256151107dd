"""The last look before an effect: head, kill switches and the right to act are read anew (specification, invariant 8).

`look` answers with None where the effect may happen, else with the outcome to hand back: what was seen, and why not.
`look_to_act` and `look_at_base` are for more than words: they read mode and management anew and give what was seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.github import PermissionMissing, QueryFailed
from bot.objects import Json
from bot.objects.pull_node import PULL_FIELDS, pull_of_node
from bot.work.observe.base import config_file
from bot.work.outcome import Outcome
from bot.work.place import Place
from resolver.config import CONFIG_PATH, ActionKind, ConfigProblems, RepoConfig, parse_config_bytes
from resolver.decide.rights import explained_only, managed
from resolver.facts import PullObserved
from resolver.ids import PullNumber, Sha
from resolver.state import STOP_LABEL, Pull, RepoState

MOVED = "the head moved"
BROKEN = "the base's configuration is broken"
DISABLED = "the configuration says `enabled: false`"

LOOK = f"""
query($owner: String!, $name: String!, $number: Int!, $path: String!) {{
  repository(owner: $owner, name: $name) {{
    pullRequest(number: $number) {{
      id {PULL_FIELDS} autoMergeRequest {{ enabledAt }}
      baseRef {{ target {{ oid ... on Commit {{
        file(path: $path) {{ mode object {{ ... on Blob {{ isTruncated text }} }} }}
      }} }} }}
    }}
  }}
}}
"""
"""Everything that the last look needs, in one call."""

NEEDED = ("contents=read", "pull_requests=read")
"""What the last look needs; GraphQL does not say which of them is missing."""

PLAIN_FILES = (0o100644, 0o100755)
"""Git's modes of files whose content is their own, as GraphQL gives them; a link's is the path that it points at."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A pull request and its base's configuration as they are now; `node` is its id in GraphQL, and `armed` says that
    auto-merge would land it.
    """

    pull: PullObserved
    node: str
    armed: bool
    config: RepoConfig


async def look(
    place: Place, number: PullNumber, head: Sha, *, broken_config_too: bool = False, closed_too: bool = False
) -> Outcome | None:
    """Say why nothing may be written on a pull request now; `broken_config_too` lets a broken configuration be told,
    `closed_too` a comment on what has landed be brought up to date.
    """
    seen = await _look(place, number, head, closed_too=closed_too)
    if isinstance(seen, Outcome):
        return None if broken_config_too and seen.refused == BROKEN else seen
    return None


async def look_to_act(
    place: Place, number: PullNumber, head: Sha, kind: ActionKind, *, asked: bool = False
) -> Seen | Outcome:
    """Give what stands there now, or why that kind of action may not happen on it.

    `asked`: a person who may has asked for it, so that the task need not be managed and the mode `propose` is enough.
    """
    seen = await _look(place, number, head)
    if isinstance(seen, Outcome):
        return seen
    state, pull = RepoState(repo=place.repo), Pull(seen=seen.pull)
    if explained_only(state, pull):
        return Outcome((seen.pull,), refused="forks and Dependabot are explained only")
    mode = seen.config.mode.of(kind)
    if mode != "act" and not (asked and mode == "propose"):
        return _later(place, _mode(seen.config, kind), seen.pull)
    if not asked and not managed(state, pull, seen.config):
        return _later(place, "this pull request is not managed", seen.pull)
    return seen


async def look_at_base(place: Place, ref: str, kind: ActionKind) -> RepoConfig | Outcome:
    """Give a base branch's configuration as it is now, or why that kind of action may not happen beside it."""
    config = await config_file(place, ref) or RepoConfig()
    if isinstance(config, ConfigProblems):
        return _later(place, BROKEN)
    if not config.enabled:
        return _later(place, DISABLED)
    return config if config.mode.of(kind) == "act" else _later(place, _mode(config, kind))


def _later(place: Place, reason: str, *seen: PullObserved) -> Outcome:
    """Refuse for now: a person can change the reason at any time, and then the same action is right again."""
    return Outcome(seen, refused=reason, retry_at=place.clock.now() + place.pace.stop_rest)


def soon_again(place: Place, refused: Outcome) -> Outcome:
    """Give a refusal of what is told of a question: it outlives our own rebase, and a person's push ends it anyway, so
    that a head that moved is no last word.
    """
    again_at = place.clock.now() + place.pace.stop_rest
    return replace(refused, retry_at=again_at) if refused.refused == MOVED else refused


def _mode(config: RepoConfig, kind: ActionKind) -> str:
    return f"the configuration says `mode.{kind}: {config.mode.of(kind)}`"


async def _look(place: Place, number: PullNumber, head: Sha, *, closed_too: bool = False) -> Seen | Outcome:
    node = await _asked(place, number)
    if node is None:
        return Outcome(refused="the pull request is gone")
    pull = pull_of_node(node, place.repo.repo_id)
    if pull.state != "open" and not closed_too:
        return Outcome((pull,), refused="the pull request is closed")
    if pull.head_sha != head:
        return Outcome((pull,), refused=MOVED)
    if STOP_LABEL in pull.labels:
        return _later(place, f"the label {STOP_LABEL} is set", pull)
    config = await _config(place, node) or RepoConfig()
    if isinstance(config, ConfigProblems):
        return _later(place, BROKEN, pull)
    if not config.enabled:
        return _later(place, DISABLED, pull)
    return Seen(pull, str(node["id"]), node["autoMergeRequest"] is not None, config)


async def _asked(place: Place, number: PullNumber) -> Json | None:
    """Ask for the pull request and its base's configuration in one call; None where it is gone."""
    owner, _, name = place.repo.full_name.partition("/")
    try:
        data = await place.installation.graphql(LOOK, owner=owner, name=name, number=number, path=CONFIG_PATH)
    except QueryFailed as failed:
        if "NOT_FOUND" in failed.types:
            return None
        if "FORBIDDEN" in failed.types:
            raise PermissionMissing("/graphql", NEEDED) from failed
        raise
    node: Json | None = (data.get("repository") or {}).get("pullRequest")
    return node


async def _config(place: Place, node: Json) -> RepoConfig | ConfigProblems | None:
    """Read the configuration from what was told; a file that GraphQL does not show whole is asked for by its path."""
    base = (node.get("baseRef") or {}).get("target") or {}
    entry = base.get("file")
    if entry is None:
        return None
    blob = entry.get("object") or {}
    if entry["mode"] not in PLAIN_FILES or blob.get("isTruncated") or not isinstance(blob.get("text"), str):
        return await config_file(place, str(base["oid"]))
    return parse_config_bytes(blob["text"].encode())
