"""
Where a run's jobs find caches and where they leave them.

GitHub documents: a job finds caches of its own ref first, then those of its pull request's base, then the default
branch's; in each first by the whole key, then by the key as a beginning, then by each restore key as one, the newest
first. It leaves its own under its own ref only, and a key that is there is never written again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.sandbox.state import Cache, GitHub, Repository


@dataclass(frozen=True)
class Shelf:
    """The caches of a repository as the jobs of one run see them; `own` is the run's ref, `others` what it may read."""

    github: GitHub
    repo: Repository
    own: str
    others: tuple[str, ...] = ()

    def find(self, keys: Sequence[str], version: str) -> Cache | None:
        """Find a cache by the primary key and the restore keys, in their order; it counts as used now."""
        one = next(self._matching(keys, version), None)
        if one is not None:
            one.last_accessed_at = self.github.clock.now()
        return one

    def _matching(self, keys: Sequence[str], version: str) -> Iterator[Cache]:
        newest_first = sorted(self.repo.caches.values(), key=lambda one: (one.created_at, one.id), reverse=True)
        for ref in dict.fromkeys((self.own, *self.others)):
            mine = [one for one in newest_first if one.ref == ref and one.version == version]
            yield from (one for one in mine if keys and one.key == keys[0])
            for key in keys:
                yield from (one for one in mine if one.key.startswith(key))

    def save(self, key: str, version: str, data: bytes) -> bool:
        """Leave a cache under the run's own ref; False where that key is there already."""
        if any((one.ref, one.key, one.version) == (self.own, key, version) for one in self.repo.caches.values()):
            return False
        now = self.github.clock.now()
        one = Cache(self.github.new_id(), self.own, key, version, data, now, now)
        self.repo.caches[one.id] = one
        return True


def shelf_of(github: GitHub, repo: Repository, ref: str, base_ref: str) -> Shelf:
    """The caches of a run on `ref`; `base_ref` is its pull request's base branch, empty where there is none."""
    branches = (base_ref, repo.default_branch) if base_ref else (repo.default_branch,)
    return Shelf(github, repo, ref, tuple(f"refs/heads/{name}" for name in branches))
