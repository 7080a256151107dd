"""The lists: repositories, and a repository's pull requests and runs."""

from __future__ import annotations

from bot.sandbox.pages import marks
from bot.sandbox.pages.layout import Html, ago, join, label, page, repo_header, repo_path, text
from bot.sandbox.state import GitHub, Pull, Repository


def repositories(github: GitHub) -> str:
    """Every repository."""
    rows = [
        Html(
            f'<li class="row"><a class="strong" href="{text(repo_path(repo))}">{text(repo.full_name)}</a>'
            f'<span class="quiet">{_open(repo)} open pull requests</span></li>'
        )
        for repo in github.repositories.values()
    ]
    empty = Html('<li class="row quiet">There is no repository yet.</li>')
    return page("Repositories", Html(f'<h1>Repositories</h1><ul class="box">{join(rows or [empty])}</ul>'))


def pulls(github: GitHub, repo: Repository) -> str:
    """A repository's pull requests, open ones first, and its latest runs."""
    ordered = sorted(repo.pulls.values(), key=lambda pull: (pull.state != "open", -pull.number))
    rows = [_pull_row(github, repo, pull) for pull in ordered]
    empty = Html('<li class="row quiet">There is no pull request yet.</li>')
    body = f'{repo_header(repo)}<h2>Pull requests</h2><ul class="box">{join(rows or [empty])}</ul>{_runs(github, repo)}'
    return page(f"Pull requests · {repo.full_name}", Html(body))


def _pull_row(github: GitHub, repo: Repository, pull: Pull) -> Html:
    runs, statuses = marks.checks_of(repo, pull.head_sha), marks.statuses_of(repo, pull.head_sha)
    kind, sentence = marks.summary(runs, statuses)
    dot = f'<span class="dot {kind}" title="{text(sentence)}"></span>' if runs or statuses else ""
    said = sum(comment.number == pull.number for comment in repo.comments.values())
    count = f'<span class="quiet">{said} comment{"" if said == 1 else "s"}</span>' if said else ""
    labels = join([label(repo, name) for name in pull.labels])
    return Html(
        f'<li class="row">{marks.state_badge(pull)}<div class="grow">'
        f'<a class="strong" href="{text(repo_path(repo))}/pull/{pull.number}">{text(pull.title)}</a> {dot} {labels}'
        f'<div class="quiet">#{pull.number} opened {ago(github, pull.created_at)} by {text(pull.author.login)}</div>'
        "</div>"
        f"{count}</li>"
    )


def _open(repo: Repository) -> int:
    return sum(pull.state == "open" for pull in repo.pulls.values())


def _runs(github: GitHub, repo: Repository) -> Html:
    rows = [
        Html(
            f'<li class="row">{marks.sign(run.latest.status, run.latest.conclusion)}<div class="grow">'
            f'<a class="strong" href="{text(repo_path(repo))}/actions/runs/{run.id}">{text(run.title)}</a>'
            f'<div class="quiet">{text(run.name)} #{run.run_number} · {text(run.event)} · {text(run.head_branch or "")}'
            f" · attempt {run.latest.number} · {ago(github, run.latest.updated_at)}</div></div></li>"
        )
        for run in sorted(repo.runs.values(), key=lambda run: -run.id)[:20]
    ]
    return Html(f'<h2>Workflow runs</h2><ul class="box">{join(rows)}</ul>' if rows else "")
