"""What a pull request changes: its commits, and its files as a diff with the annotations of checks on their lines."""

from __future__ import annotations

import re
from typing import Any

from bot.sandbox.git import Commit
from bot.sandbox.git.diff import FileDiff
from bot.sandbox.pages import marks
from bot.sandbox.pages.layout import Html, ago, join, page, repo_header, repo_path, text
from bot.sandbox.pages.pull import Seen, framed
from bot.sandbox.state import GitHub, Repository

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def commits(seen: Seen, *, files: int) -> str:
    """The commits, newest first."""
    rows = [
        Html(
            f'<li class="row"><div class="grow"><span class="strong">{text(one.message.partition(chr(10))[0])}</span>'
            f'<div class="quiet">{text(one.author.name)} committed {ago(seen.github, one.committer.when)}</div></div>'
            f'<a class="sha" href="{text(repo_path(seen.repo))}/commit/{one.sha}">{one.sha[:7]}</a></li>'
        )
        for one in seen.repo.git.log(seen.pull.head_sha, seen.pull.base_sha)
    ]
    return framed(seen, "commits", Html(f'<ul class="box">{join(rows)}</ul>'), files=files)


def files_changed(seen: Seen, changed: list[FileDiff]) -> str:
    """The diff against the merge base."""
    notes = [(run.name, note) for run in marks.checks_of(seen.repo, seen.pull.head_sha) for note in run.annotations]
    return framed(seen, "files", _diff(changed, notes), files=len(changed))


def one_commit(github: GitHub, repo: Repository, commit: Commit, changed: list[FileDiff]) -> str:
    """One commit with its diff."""
    title, _, rest = commit.message.partition("\n")
    head = (
        f'{repo_header(repo)}<h1 class="title">{text(title)}</h1><p class="quiet">{text(commit.author.name)} committed '
        f"{ago(github, commit.committer.when)} · <code>{commit.sha}</code></p>"
    )
    body = f"<pre>{text(rest.strip())}</pre>" if rest.strip() else ""
    return page(f"{title} · {repo.full_name}", Html(f"{head}{body}{_diff(changed, [])}"))


def _diff(changed: list[FileDiff], notes: list[tuple[str, dict[str, Any]]]) -> Html:
    added, deleted = sum(one.additions for one in changed), sum(one.deletions for one in changed)
    total = (
        f'<p class="quiet">{len(changed)} changed file{"" if len(changed) == 1 else "s"} with '
        f'<span class="plus">{added} addition{"" if added == 1 else "s"}</span> and '
        f'<span class="minus">{deleted} deletion{"" if deleted == 1 else "s"}</span></p>'
    )
    return Html(total + join([_file(one, notes) for one in changed]))


def _file(one: FileDiff, notes: list[tuple[str, dict[str, Any]]]) -> Html:
    own = [(check, note) for check, note in notes if note["path"] == one.path]
    moved = f"{text(one.previous)} → " if one.previous else ""
    head = (
        f'<header class="row"><code class="grow">{moved}{text(one.path)}</code>'
        f'<span class="plus">+{one.additions}</span><span class="minus">-{one.deletions}</span></header>'
    )
    if one.patch is None:
        return Html(f'<section class="box">{head}<p class="row quiet">Nothing to show.</p></section>')
    return Html(f'<section class="box">{head}<table class="diff">{join(_lines(one.patch, own))}</table></section>')


def _lines(patch: str, notes: list[tuple[str, dict[str, Any]]]) -> list[Html]:
    rows: list[Html] = []
    old = new = 0
    for line in patch.split("\n"):
        hunk = _HUNK.match(line)
        if hunk:
            old, new = int(hunk[1]), int(hunk[2])
            rows.append(Html(f'<tr class="hunk"><td colspan="2"></td><td>{text(line)}</td></tr>'))
        elif line.startswith("-"):
            rows.append(_row("removed", str(old), "", line))
            old += 1
        elif line.startswith("\\"):
            rows.append(_row("same quiet", "", "", line))
        else:
            rows.append(
                _row("added" if line.startswith("+") else "same", "" if line[:1] == "+" else str(old), str(new), line)
            )
            rows += [annotation_row(check, note) for check, note in notes if note["end_line"] == new]
            old += 0 if line.startswith("+") else 1
            new += 1
    return rows


def _row(kind: str, old: str, new: str, line: str) -> Html:
    return Html(
        f'<tr class="{kind}"><td class="number">{old}</td><td class="number">{new}</td><td>{text(line)}</td></tr>'
    )


def annotation_row(check: str, note: dict[str, Any]) -> Html:
    """An annotation beneath its line."""
    title = note.get("title") or note["annotation_level"].capitalize()
    return Html(
        f'<tr class="note"><td colspan="2"></td><td><div class="annotation {text(note["annotation_level"])}">'
        f'<span class="strong">{text(title)}</span> <span class="quiet">from {text(check)}</span>'
        f"<pre>{text(note['message'])}</pre></div></td></tr>"
    )
