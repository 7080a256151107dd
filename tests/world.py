"""The vocabulary of stories: the stage, a weather, and what a stranger would read.

Five weathers, one outcome: `calm`; `lost` (no webhook arrives, nothing tells of it: only the regular look helps);
`twice`; `late` (shuffled, some only with the next batch); `restart` (the process dies after every journal record).
"""

from __future__ import annotations

import re
import sqlite3
import textwrap
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.cli.scenarios.scenario import comments
from bot.cli.stage import PATIENCE, Stage, open_stage
from bot.commands import read_commands
from bot.sandbox.state import Comment, Pull, Repository
from resolver.commands import Answer
from resolver.decide import decide_pull, decide_repository
from resolver.fold import fold_or_park
from resolver.journal import from_json
from resolver.limits import LIMITS
from resolver.snapshot import from_bytes, to_bytes
from resolver.state import RepoState
from tests.concerned import ACTING, left_out
from tests.links import links

WEATHERS = ("calm", "lost", "twice", "late", "restart")

_HOOKS = {"calm": "calm", "lost": "vanished", "twice": "twice", "late": "late", "restart": "calm"}
_PATIENCE = {"lost": 1_500.0}


_BLOCK = re.compile(r"(?m)^  ```\n(  /failres .*\n)  ```$")
"""A reply as a question shows it, below an item of its list."""


class Killed(BaseException):
    """The process died right after a commit."""


class World(Stage):
    """A stage with weather; `settle` brings failres back whenever it was killed."""

    weather: str = "calm"
    deaths: int = 0
    read: set[tuple[int, str, bool]]
    _recorded: int = 0

    async def begin(self, weather: str) -> None:
        """Start failres in that weather."""
        self.weather, self.read = weather, set()
        if weather == "restart" and zlib.crc32(self.root.name.encode()) % 2:  # half of the plays start from snapshots
            self.limits = LIMITS.model_copy(update={"snapshot_every": 1, "snapshot_rest": 0.0})
        self.calm = weather == "calm"
        self.sandbox.hooks.weather = _HOOKS[weather]
        await self.start()

    async def start(self) -> None:
        """Start failres, mortal where the weather says so."""
        await super().start()
        if self.weather == "restart":
            self.failres.store.after_commit = self._after_commit

    async def settle(self, patience: float | None = None) -> None:
        """Let everything happen, as patient as the weather needs."""
        await super().settle(_PATIENCE.get(self.weather, PATIENCE) if patience is None else patience)

    async def step(self) -> bool:
        """One step; a death in it counts as something that happened."""
        try:
            return await super().step()
        except BaseExceptionGroup as group:
            if group.subgroup(Killed) is None:
                raise
        except Killed:
            pass
        await self.die_and_return()
        return True

    async def die_and_return(self) -> None:
        """Lose everything but the state directory."""
        self.deaths += 1
        self.failres.store.after_commit = None
        await self.stop()
        await self.start()

    def _after_commit(self, _: str) -> None:
        with sqlite3.connect(f"file:{self.root}/state/failres.db?mode=ro", uri=True) as connection:
            (last,) = connection.execute("select max(seq) from journal").fetchone()
        connection.close()
        if last and last > self._recorded:
            self._recorded = last
            raise Killed

    def said(self, pull: Pull) -> str:
        """Everything that failres says on a pull request now, as a stranger would read it: check run, then comments."""
        parts = [self._check(pull)] if self._check(pull) else []
        for comment in comments(self, self.where(pull), pull):
            self.read.add((comment.id, comment.body, comment.minimized is not None))
            hidden = "(hidden as resolved)\n" if comment.minimized else ""
            parts.append(hidden + comment.body)
        return self.named("\n\n".join(parts))

    def _check(self, pull: Pull) -> str:
        repo = self.where(pull)
        mine = [c for c in repo.check_runs.values() if c.app is self.sandbox.app and c.head_sha == pull.head_sha]
        lines: list[str] = []
        for run in mine:
            lines.append(f"✔ failres: {run.conclusion}: {run.title}")
            lines += [f"  {m['path']}:{m['start_line']} {m['title']}: {m['message']}" for m in run.annotations]
        return "\n".join(lines)

    def where(self, pull: Pull) -> Repository:
        """The repository of a pull request."""
        return next(r for r in self.sandbox.github.repositories.values() if r.pulls.get(pull.number) is pull)

    def named(self, text: str) -> str:
        """Replace what differs between runs: commits by branch and order, ids and addresses by what they are."""
        text = text.replace(self.sandbox.web_url, "https://github.test")
        for name, shas in self._branches().items():
            for number, sha in enumerate(shas, 1):
                text = re.sub(f"{sha[:7]}[0-9a-f]*", f"‹{name}:{number}›", text)
        text = re.sub(r"/(runs|job|jobs)/\d+", r"/\1/‹id›", text)
        # A row of the evidence: the run's id, and how long ago it was; both are the weather's.
        text = re.sub(r"\b(check run|run) \d+", r"\1 ‹id›", text)
        return re.sub(r"(\]\(\S+\) \| `[^|\n]+` \| [^|\n]+) \| [^|\n]+ \|", r"\1 | ‹age› |", text)

    def _branches(self) -> dict[str, list[str]]:
        heads: dict[str, list[str]] = {}
        for repo in self.sandbox.github.repositories.values():
            for run in repo.runs.values():
                branch = re.sub(r"gh-readonly-queue/.+/pr-(\d+)-\w+", r"group of #\1", run.head_branch or "detached")
                known = heads.setdefault(branch, [])
                if run.head_sha not in known:
                    known.append(run.head_sha)
            for pull in repo.pulls.values():
                known = heads.setdefault(pull.head_ref, [])
                if pull.head_sha not in known:
                    known.append(pull.head_sha)
        return heads

    async def finish(self) -> None:
        """What must hold at the end of every story."""
        assert self.sandbox.violations == []
        assert self.sandbox.faults.never_met() == [], "a fault must strike what the story is about"
        assert self._unread() == [], "every comment of failres must be read by the story"
        self._replies_can_be_copied()
        self._links_stay_at_home()
        counts = await self.failres.store.counts()
        assert (counts["orders"], counts["deliveries_open"]) == (0, 0), "something was left over"
        await self._fold_equals_memory()

    def _replies_can_be_copied(self) -> None:
        """Each block that a comment offers reads, word for word, as an answer to a question that was asked there."""
        for repo in self.sandbox.github.repositories.values():
            mine = [each for each in repo.comments.values() if each.via_app is self.sandbox.app]
            for block in (block for each in mine for block in _BLOCK.findall(each.body)):
                (answer,) = read_commands(textwrap.dedent(block))
                assert isinstance(answer, Answer), block
                assert answer.decision is not None

    def _links_stay_at_home(self) -> None:
        """Whatever failres says leads to pages of that repository alone, never to where somebody's text points."""
        for repo in self.sandbox.github.repositories.values():
            said = [each.body for each in repo.comments.values() if each.via_app is self.sandbox.app]
            said += [each.summary or "" for each in repo.check_runs.values() if each.app is self.sandbox.app]
            home = f"{self.sandbox.web_url}/{repo.full_name}/"
            strays = [address for text in said for address in links(text) if not address.startswith(home)]
            assert strays == [], "only links to the repository's own pages are alive"

    def _unread(self) -> list[Comment]:
        repos = self.sandbox.github.repositories.values()
        mine = [c for repo in repos for c in repo.comments.values() if c.via_app is self.sandbox.app]
        return [c for c in mine if (c.id, c.body, c.minimized is not None) not in self.read]

    async def _fold_equals_memory(self) -> None:
        store = self.failres.store
        for key, known in self.failres.service._loop._known.items():
            state = RepoState()
            async for row in store.records(key):
                fact, before = from_json(row.kind, row.data), state
                state = fold_or_park(before, fact)
                if self.weather == "calm":
                    forgotten = left_out(before, state, fact, row.at)
                    assert not forgotten, (
                        f"after {row.kind} (record {row.seq}) more is due, and nobody looks: {forgotten}"
                    )
            assert state == known.state, "the live state is not the fold of the journal"
            assert not any(pull.stuck for pull in state.pulls.values())
            self._comes_back_from_a_snapshot(state)

    def _comes_back_from_a_snapshot(self, state: RepoState) -> None:
        """What is kept of the fold is the fold: equal in every part, in the same order, and decided on alike."""
        kept = to_bytes(state, LIMITS.snapshot_bytes)
        assert isinstance(kept, bytes), kept
        again, now = from_bytes(kept, LIMITS.snapshot_bytes), self.clock.now()
        assert isinstance(again, RepoState), again
        assert again == state
        assert to_bytes(again, LIMITS.snapshot_bytes) == kept
        assert again.ledger.places == state.ledger.places
        assert decide_repository(again, now, ACTING) == decide_repository(state, now, ACTING)
        for number in state.pulls:
            assert decide_pull(again, number, now, ACTING) == decide_pull(state, number, now, ACTING)


@asynccontextmanager
async def open_world(root: Path, weather: str) -> AsyncIterator[World]:
    """A world in a weather, with its end checked."""
    async with open_stage(root, kind=World) as world:
        assert isinstance(world, World)
        await world.begin(weather)
        yield world
        await world.finish()
