"""Which files a task may change: declared, configured, or what it changed when it was first seen; frozen, and then only
narrowed (specification, section 1, "scope").
"""

from __future__ import annotations

from typing import Literal

from resolver.config import RepoConfig
from resolver.config.values import matches
from resolver.facts import PullFilesRead
from resolver.plan import Plan
from resolver.records import Record

Source = Literal["block", "config", "files"]
"""The `failres` block of the description, the configuration's rule for the branch, or the files of the first sight."""


class TaskScope(Record):
    """
    `files` are exact paths, of the source `files` alone. `patterns` are groups: of each group one pattern must match.
    The first group stands for the source `block` or `config`, the further ones are later blocks, which only narrow.

    `answered` are files that people have added for the moment, by answers. `awaits_config`: the configuration was not
    known at first sight; a rule of it for the branch comes before the files.
    """

    source: Source
    files: tuple[str, ...] = ()
    patterns: tuple[tuple[str, ...], ...] = ()
    awaits_config: bool = False
    answered: tuple[str, ...] = ()

    def holds(self, path: str) -> bool:
        """Say whether the task may change a path; whether that is protected is another question."""
        if path in self.answered:
            return True
        exact = self.source != "files" or path in self.files
        return exact and all(any(matches(each, path) for each in group) for group in self.patterns)

    def with_answered(self, files: tuple[str, ...]) -> TaskScope:
        """Give the scope with the files that answers add to it now."""
        return self.model_copy(update={"answered": files})

    def narrowed(self, group: tuple[str, ...]) -> TaskScope:
        """Give the scope after one more block; one that says what an earlier one said changes nothing."""
        known = group in self.patterns
        return self if known else self.model_copy(update={"patterns": (*self.patterns, group)})


def scope_after(
    known: TaskScope | None,
    plan: Plan | None,
    files: PullFilesRead | None,
    branch: str,
    config: RepoConfig | None,
) -> TaskScope | None:
    """
    Give a task's scope after something of it was seen; None while nothing tells it. `config` is None while it is not
    known. A block that cannot be used neither freezes nor narrows anything.
    """
    if plan is not None and plan.problems:
        return known
    if known is None and plan is not None:
        return TaskScope(source="block", patterns=(plan.scope,))
    if known is None or known.awaits_config:
        known = _undeclared(known, files, branch, config)
    return known if known is None or plan is None else known.narrowed(plan.scope)


def _undeclared(
    known: TaskScope | None, files: PullFilesRead | None, branch: str, config: RepoConfig | None
) -> TaskScope | None:
    later = known.patterns if known is not None else ()
    rule = next((each for each in config.scope if matches(each.branches, branch)), None) if config else None
    if rule is not None:
        return TaskScope(source="config", patterns=(rule.paths, *later))
    if known is not None:
        return known.model_copy(update={"awaits_config": config is None})
    if files is None or not files.files:
        return None
    return TaskScope(source="files", files=files.files, awaits_config=config is None)
