"""`fork`: a stranger's pull request from a fork is explained, and nothing else is done with it."""

from __future__ import annotations

from bot.cli.scenarios import shop
from bot.cli.scenarios.scenario import Scenario, comments, expect
from bot.cli.stage import Stage

WRITES = frozenset({"checks/create", "checks/update", "issues/create-comment", "issues/update-comment", "graphql"})
"""All that failres may ask GitHub to change on a fork's pull request."""


async def play(stage: Stage) -> None:
    """Open a red pull request from a fork."""
    repo = stage.repo("shop", shop.FILES, {"ci.yml": shop.WORKFLOW})
    await stage.settle()
    pull = stage.people.open_pull("faster-total", {"shop/cart.py": shop.WRONG_CART}, by="outsider", fork=True)
    await stage.settle()
    said = comments(stage, repo, pull)
    expect(len(said) == 1, "the fork's pull request has one comment")
    expect("pull requests from forks" in said[0].body, "the comment says that forks are explained only")
    expect("test_a_discount_is_in_percent" in said[0].body, "the comment names the failing test")
    expect(pull.head_sha == repo_head(stage, pull.head_repo, pull.head_ref), "nothing was pushed to the fork")
    expect(stage.sandbox.violations == [], "every request was one that GitHub knows and the App may make")


def repo_head(stage: Stage, repo: int, branch: str) -> str | None:
    """Give the commit of a branch."""
    return stage.sandbox.github.repositories[repo].git.refs.read(f"refs/heads/{branch}")


FORK = Scenario("fork", "A fork's red pull request is explained, and nothing else.", play)
