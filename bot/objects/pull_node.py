"""Pull requests as GitHub's GraphQL shows them: the fields that are asked for, and what they say as a fact. Pure."""

from __future__ import annotations

from typing import Any, Literal

from bot.objects import Json, seconds, understood
from bot.plan_block import plan_in
from resolver.facts import PullObserved
from resolver.ids import PullNumber, RepoId, Sha
from resolver.people import Person

PULL_FIELDS = """
  number title body isDraft state updatedAt headRefName headRefOid baseRefName isCrossRepository
  author { login __typename ... on User { databaseId } ... on Bot { databaseId } }
  headRepository { databaseId owner { login } }
  labels(first: 100) { nodes { name } }
"""
"""What `pull_of_node` reads of a `PullRequest`. GitHub: at most 100 labels, each may be the one that stops."""

GHOST = Person(id=10137, login="ghost")
"""GitHub shows a deleted user as null; its own name for that is `ghost`."""


def pull_of_node(node: Json, repo_id: RepoId) -> PullObserved:
    """Read a pull request of that repository.

    GitHub: `databaseId` is null where the number does not fit into 32 bits (GITHUB.md 2.3); whether the head lies in
    the repository itself is told apart from it.
    """
    with understood("pull request"):
        home: dict[str, Any] = node.get("headRepository") or {}
        number = home.get("databaseId")
        home_id = RepoId(int(number)) if number else None
        state: Literal["open", "closed"] = "open" if node["state"] == "OPEN" else "closed"
        return PullObserved(
            number=PullNumber(int(node["number"])),
            title=str(node["title"]),
            author=_author(node.get("author") or {}),
            head_sha=Sha(str(node["headRefOid"])),
            head_ref=str(node["headRefName"]),
            head_repo_id=home_id if node["isCrossRepository"] else repo_id,
            head_owner=(home.get("owner") or {}).get("login"),
            base_ref=str(node["baseRefName"]),
            state=state,
            merged=node["state"] == "MERGED",
            updated_at=seconds(node["updatedAt"]) or 0.0,
            draft=bool(node.get("isDraft")),
            labels=tuple(sorted(str(label["name"]) for label in node["labels"]["nodes"])),
            plan=plan_in(node.get("body")),
        )


def _author(author: Json) -> Person:
    login = str(author.get("login") or GHOST.login)
    bot = author.get("__typename") == "Bot"
    return Person(
        id=int(author.get("databaseId") or GHOST.id),
        login=f"{login}[bot]" if bot and not login.endswith("[bot]") else login,
        type="Bot" if bot else "User",
    )
