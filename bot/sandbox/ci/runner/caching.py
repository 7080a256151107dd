"""
The steps that use caches: under which key they look, what they restore, and what they say of it in the log.

`actions/cache` names its keys itself; `setup-python` and `setup-node` make one of the lock file where `cache:` asks for
it. The words are the actions' own. A cache is saved after the job, only where the job has succeeded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.sandbox.ci.caches import Shelf

Read = Callable[[str], bytes | None]
"""Gives a file of the checkout, None where there is none."""


@dataclass(frozen=True)
class Wanted:
    """What a step looks for: the primary key, then the restore keys. `tool` is empty for `actions/cache` itself."""

    keys: tuple[str, ...]
    paths: tuple[str, ...]
    tool: str = ""
    saves: bool = True

    @property
    def version(self) -> str:
        """What else must fit: a cache of other paths is another one."""
        return hashlib.sha256("|".join((*self.paths, "zstd-without-long", "1.0")).encode()).hexdigest()


@dataclass(frozen=True)
class Use:
    """One use of a cache in a job: what was looked for, and the key and content of what was found."""

    wanted: Wanted
    found: tuple[str, bytes] | None

    @property
    def key(self) -> str | None:
        """The key that was restored."""
        return self.found[0] if self.found else None


def wanted(uses: str, inputs: Mapping[str, str], read: Read) -> Wanted | None:
    """What a step with `uses` looks for; None where it uses no cache."""
    action = uses.partition("@")[0].lower()
    if action in {"actions/cache", "actions/cache/restore"}:
        keys = (inputs.get("key", ""), *_lines(inputs.get("restore-keys", "")))
        return Wanted(keys, _lines(inputs.get("path", "")), saves=action == "actions/cache")
    tool = inputs.get("cache", "")
    if action == "actions/setup-python" and tool == "pip":
        lock = _digest(read, inputs.get("cache-dependency-path") or "requirements.txt")
        version = inputs.get("python-version") or "3"
        return Wanted((f"setup-python-Linux-x64-24.04-Ubuntu-python-{version}-pip-{lock}",), ("~/.cache/pip",), tool)
    if action == "actions/setup-node" and tool == "npm":
        lock = _digest(read, inputs.get("cache-dependency-path") or "package-lock.json")
        return Wanted((f"node-cache-Linux-x64-npm-{lock}",), ("~/.npm",), tool)
    return None


def look(want: Wanted, shelf: Shelf | None) -> Use:
    """Look for it."""
    one = shelf.find(want.keys, want.version) if shelf is not None else None
    return Use(want, None if one is None else (one.key, one.data))


def restored(use: Use) -> tuple[str, ...]:
    """What the step says when it begins."""
    if use.found is None:
        missed = f"{use.wanted.tool} cache is not found"
        return (missed if use.wanted.tool else f"Cache not found for input keys: {', '.join(use.wanted.keys)}",)
    key, data = use.found
    whole = key == use.wanted.keys[0]
    return (
        f"Cache hit for{'' if whole else ' restore-key'}: {key}",
        f"Cache Size: ~{round(len(data) / 1_048_576)} MB ({len(data)} B)",
        "Cache restored successfully",
        f"Cache restored from key: {key}",
    )


def leave(use: Use, shelf: Shelf | None, data: Callable[[], bytes]) -> tuple[str, ...]:
    """Save it after the job where that is due; gives what the step says at its end."""
    key = use.wanted.keys[0]
    if not use.wanted.saves or shelf is None:
        return ()
    if use.key == key:
        return (f"Cache hit occurred on the primary key {key}, not saving cache.",)
    if not shelf.save(key, use.wanted.version, data()):
        return (f"Failed to save: Unable to reserve cache with key {key}, another job may be creating this cache.",)
    return (f"Cache saved with {'the ' if use.wanted.tool else ''}key: {key}",)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _digest(read: Read, path: str) -> str:
    return hashlib.sha256(read(path) or b"").hexdigest()
