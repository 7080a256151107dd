"""What a scenario looks at: the verdicts in the journal, and what stands in failres's comments."""

from __future__ import annotations

from bot.cli.scenarios.scenario import comments
from bot.cli.stage import Stage
from bot.sandbox.state import Pull, Repository
from resolver.fold import fold_or_park
from resolver.ids import PullNumber
from resolver.journal import from_json
from resolver.state import RepoState


async def folded(stage: Stage, repo: Repository) -> RepoState:
    """Give what the journal knows of a repository."""
    state = RepoState()
    async for row in stage.failres.store.records(f"repo:{repo.id}"):
        state = fold_or_park(state, from_json(row.kind, row.data))
    return state


async def classes(stage: Stage, pull: Pull) -> dict[str, str]:
    """Give the classes that stand on a pull request's head, by failing item (else by job)."""
    state = await folded(stage, repository(stage, pull))
    known = state.pulls.get(PullNumber(pull.number))
    return {each.item or each.check.job: each.klass for each in known.verdicts.values()} if known else {}


def told(stage: Stage, pull: Pull) -> str:
    """Give all that failres's comments on a pull request say."""
    return "\n\n".join(comment.body for comment in comments(stage, repository(stage, pull), pull))


def repository(stage: Stage, pull: Pull) -> Repository:
    """Give the repository of a pull request."""
    return next(r for r in stage.sandbox.github.repositories.values() if r.pulls.get(pull.number) is pull)
