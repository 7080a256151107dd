"""The head of a pull request's pages: title, branches, tabs, the column at the side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bot.sandbox.pages import marks
from bot.sandbox.pages.layout import Html, ago, avatar, join, label, name, page, repo_header, repo_path, text
from bot.sandbox.state import GitHub, Pull, Repository

Tab = Literal["conversation", "commits", "checks", "files"]


@dataclass(frozen=True)
class Seen:
    """Which pull request is looked at."""

    github: GitHub
    repo: Repository
    pull: Pull

    @property
    def path(self) -> str:
        """The address of its conversation."""
        return f"{repo_path(self.repo)}/pull/{self.pull.number}"


def framed(seen: Seen, tab: Tab, body: Html, *, files: int) -> str:
    """A page of the pull request with one tab open."""
    pull = seen.pull
    title = f"{pull.title} by {pull.author.login} · Pull request #{pull.number} · {seen.repo.full_name}"
    heading = f'<h1 class="title">{text(pull.title)} <span class="quiet">#{pull.number}</span></h1>'
    return page(title, Html(f"{repo_header(seen.repo)}{heading}{_line(seen)}{_tabs(seen, tab, files)}{body}"))


def side(seen: Seen) -> Html:
    """The column at the side: reviewers, labels, participants."""
    pull = seen.pull
    reviews = [
        Html(f"<li>{avatar(one.author)} {name(one.author)} <span class='quiet'>{text(_verdict(one.state))}</span></li>")
        for one in pull.reviews
    ]
    people = {pull.author.login: pull.author}
    for comment in seen.repo.comments.values():
        if comment.number == pull.number:
            people[comment.author.login] = comment.author
    return Html(
        f'<aside><section><h3>Reviewers</h3><ul class="plain">{join(reviews) or "No reviews"}</ul></section>'
        f"<section><h3>Labels</h3>{join([label(seen.repo, one) for one in pull.labels]) or 'None yet'}</section>"
        f"<section><h3>{len(people)} participant{'' if len(people) == 1 else 's'}</h3>"
        f"{join([avatar(one) for one in people.values()])}</section></aside>"
    )


def head_name(seen: Seen) -> str:
    """The head branch, with its owner where it is in a fork."""
    pull = seen.pull
    if pull.head_repo == seen.repo.id:
        return pull.head_ref
    fork = seen.github.repositories.get(pull.head_repo)
    return f"{fork.owner.login if fork else 'unknown'}:{pull.head_ref}"


def commit_count(seen: Seen) -> int:
    """How many commits the pull request brings."""
    return len(seen.repo.git.log(seen.pull.head_sha, seen.pull.base_sha))


def _line(seen: Seen) -> Html:
    pull = seen.pull
    into = f'<code class="branch">{text(pull.base_ref)}</code> from <code class="branch">{text(head_name(seen))}</code>'
    count = commit_count(seen)
    commits = f"{count} commit{'' if count == 1 else 's'}"
    if pull.merged_at is not None and pull.merged_by is not None:
        done = f"{name(pull.merged_by)} merged {commits} into {into} {ago(seen.github, pull.merged_at)}"
    else:
        done = f"{name(pull.author)} wants to merge {commits} into {into}"
    return Html(f'<p class="byline">{marks.state_badge(pull)} <span>{done}</span></p>')


def _tabs(seen: Seen, tab: Tab, files: int) -> Html:
    said = sum(comment.number == seen.pull.number for comment in seen.repo.comments.values())
    runs = marks.checks_of(seen.repo, seen.pull.head_sha)
    tabs: list[tuple[Tab, str, str, int]] = [
        ("conversation", "Conversation", seen.path, said),
        ("commits", "Commits", f"{seen.path}/commits", commit_count(seen)),
        ("checks", "Checks", f"{seen.path}/checks", len(runs)),
        ("files", "Files changed", f"{seen.path}/files", files),
    ]
    links = [
        f'<a href="{text(address)}"{" aria-current=page" if key == tab else ""}>{title}'
        f' <span class="count">{count}</span></a>'
        for key, title, address, count in tabs
    ]
    return Html(f'<nav class="tabs">{"".join(links)}</nav>')


def _verdict(state: str) -> str:
    return {"APPROVED": "approved", "CHANGES_REQUESTED": "requested changes"}.get(state, state.lower())
