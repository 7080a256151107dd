"""A pull request's conversation: text, comments, reviews and commits in time, the merge box, a box to comment in."""

from __future__ import annotations

from bot.sandbox.objects.accounts import association
from bot.sandbox.pages import marks
from bot.sandbox.pages.layout import Html, ago, avatar, join, name, repo_path, text
from bot.sandbox.pages.markdown import render
from bot.sandbox.pages.pull import Seen, framed, side
from bot.sandbox.state import Account, CheckRun, Comment, Reaction, Review

_REACTIONS = {
    "+1": "👍", "-1": "👎", "laugh": "😄", "confused": "😕", "heart": "❤️", "hooray": "🎉", "rocket": "🚀", "eyes": "👀",
}  # fmt: skip


def conversation(seen: Seen, *, files: int, people: list[Account], token: str) -> str:
    """The page. `people` may be chosen as the author of a comment; `token` guards the form."""
    entries = [*_comments(seen), *_reviews(seen), *_commits(seen), *_ends(seen)]
    entries.sort(key=lambda entry: entry[0])
    pull = seen.pull
    opening = _box(
        seen, pull.author, pull.created_at, Html(render(pull.body) or '<p class="quiet">No description provided.</p>')
    )
    opening_reactions = _reactions(pull.reactions)
    timeline = join([opening, opening_reactions, *(html for _, html in entries)])
    body = f'<div class="columns"><div class="grow">{timeline}{_merge_box(seen)}{_form(seen, people, token)}</div>'
    return framed(seen, "conversation", Html(f"{body}{side(seen)}</div>"), files=files)


def _comments(seen: Seen) -> list[tuple[float, Html]]:
    return [
        (comment.created_at, _comment(seen, comment))
        for comment in seen.repo.comments.values()
        if comment.number == seen.pull.number
    ]


def _comment(seen: Seen, comment: Comment) -> Html:
    edited = comment.updated_at > comment.created_at
    body = Html(f"{render(comment.body)}{_reactions(comment.reactions)}")
    shown = _box(seen, comment.author, comment.created_at, body, edited=edited, anchor=f"issuecomment-{comment.id}")
    if comment.minimized is None:
        return shown
    reason = comment.minimized.lower().replace("_", " ")
    return Html(
        f'<details class="minimised"><summary>{avatar(comment.author)} {name(comment.author)}: this comment was '
        f"marked as {text(reason)}.</summary>{shown}</details>"
    )


def _box(
    seen: Seen, author: Account, at: float, body: Html, *, edited: bool = False, anchor: str = "description"
) -> Html:
    role = association(seen.repo, author)
    badge = f'<span class="pill">{text(role.title())}</span>' if role not in {"NONE", "CONTRIBUTOR"} else ""
    note = ' <span class="quiet">· edited</span>' if edited else ""
    return Html(
        f'<article class="comment" id="{text(anchor)}">{avatar(author)}<div class="bubble"><header>{name(author)} '
        f'<span class="quiet">commented {ago(seen.github, at)}</span>{note}<span class="right">{badge}</span></header>'
        f'<div class="prose">{body}</div></div></article>'
    )


def _reactions(given: list[Reaction]) -> Html:
    kinds = dict.fromkeys(one.content for one in given)
    shown = []
    for kind in kinds:
        people = [one.user.login for one in given if one.content == kind]
        tip = text(", ".join(people))
        shown.append(f'<span class="reaction" title="{tip}">{_REACTIONS.get(kind, kind)} {len(people)}</span>')
    return Html(f'<p class="reactions">{" ".join(shown)}</p>' if shown else "")


def _reviews(seen: Seen) -> list[tuple[float, Html]]:
    return [(review.submitted_at, _review(seen, review)) for review in seen.pull.reviews]


def _review(seen: Seen, review: Review) -> Html:
    did = {"APPROVED": "approved these changes", "CHANGES_REQUESTED": "requested changes"}.get(review.state, "reviewed")
    kind = {"APPROVED": "good", "CHANGES_REQUESTED": "bad"}.get(review.state, "dull")
    said = f'<div class="prose bubble said">{render(review.body)}</div>' if review.body else ""
    line = f"{avatar(review.author)} {name(review.author)} {did} {ago(seen.github, review.submitted_at)}"
    return Html(f'<div class="event"><span class="dot {kind}"></span>{line}</div>{said}')


def _commits(seen: Seen) -> list[tuple[float, Html]]:
    found = []
    for commit in seen.repo.git.log(seen.pull.head_sha, seen.pull.base_sha):
        runs, statuses = marks.checks_of(seen.repo, commit.sha), marks.statuses_of(seen.repo, commit.sha)
        kind, sentence = marks.summary(runs, statuses)
        dot = f'<span class="dot {kind}" title="{text(sentence)}"></span>' if runs or statuses else ""
        title = text(commit.message.partition("\n")[0])
        address = f"{repo_path(seen.repo)}/commit/{commit.sha}"
        html = Html(
            f'<div class="event"><span class="knot"></span><span class="grow">{title}</span>{dot}'
            f'<a class="sha" href="{text(address)}">{commit.sha[:7]}</a></div>'
        )
        found.append((max(float(commit.committer.when), seen.pull.created_at), html))
    return found


def _ends(seen: Seen) -> list[tuple[float, Html]]:
    pull = seen.pull
    if pull.merged_at is not None and pull.merged_by is not None:
        by = f"{avatar(pull.merged_by)} {name(pull.merged_by)} merged this {ago(seen.github, pull.merged_at)}"
        return [(pull.merged_at, Html(f'<div class="event"><span class="dot merged"></span>{by}</div>'))]
    if pull.closed_at is not None:
        line = f"closed this {ago(seen.github, pull.closed_at)}"
        return [(pull.closed_at, Html(f'<div class="event"><span class="dot bad"></span>{line}</div>'))]
    return []


def _merge_box(seen: Seen) -> Html:
    """How the checks stand and whether the branch can be merged."""
    if seen.pull.state == "closed":
        return Html("")
    runs, statuses = marks.checks_of(seen.repo, seen.pull.head_sha), marks.statuses_of(seen.repo, seen.pull.head_sha)
    kind, sentence = marks.summary(runs, statuses)
    rows = [_check_row(seen, run) for run in runs]
    rows += [
        Html(
            f'<li class="row">{marks.sign(one.state, None)}<span class="strong">{text(one.context)}</span>'
            f'<span class="quiet grow">{text(one.description or "")}</span></li>'
        )
        for one in statuses
    ]
    merge = {
        None: ("wait", "Checking for the ability to merge…"),
        True: ("good", "This branch has no conflicts with the base branch"),
        False: ("bad", "This branch has conflicts that must be resolved"),
    }[seen.pull.mergeable]
    if seen.pull.draft:
        merge = ("dull", "This pull request is still a work in progress")
    listed = f'<ul class="checks">{join(rows)}</ul>' if rows else ""
    return Html(
        f'<section class="box merge"><header class="row"><span class="dot {kind}"></span><div><div class="strong">'
        f'{sentence}</div><div class="quiet">{text(marks.counted(runs, statuses))}</div></div></header>{listed}'
        f'<footer class="row"><span class="dot {merge[0]}"></span><span class="strong">{merge[1]}</span></footer>'
        "</section>"
    )


def _check_row(seen: Seen, run: CheckRun) -> Html:
    state = text(run.title or marks.words(run.status, run.conclusion).capitalize())
    workflow = seen.repo.runs.get(seen.repo.suites[run.suite].run_id or 0)
    full = f"{workflow.name} / {run.name} ({workflow.event})" if workflow else run.name
    address = f"{repo_path(seen.repo)}/runs/{run.id}"
    return Html(
        f'<li class="row">{marks.sign(run.status, run.conclusion)}<span class="strong">{text(full)}</span>'
        f'<span class="quiet grow">{state}</span><a href="{text(address)}">Details</a></li>'
    )


def _form(seen: Seen, people: list[Account], token: str) -> Html:
    options = "".join(f'<option value="{text(one.login)}">{text(one.login)}</option>' for one in people)
    return Html(
        f'<form class="comment" method="post" action="{text(seen.path)}/comment"><span class="avatar person">+</span>'
        f'<div class="bubble"><header><label>Comment as <select name="by">{options}</select></label></header>'
        f'<div class="prose"><textarea name="body" rows="4" required aria-label="Comment" '
        f'placeholder="Leave a comment"></textarea>'
        f'<input type="hidden" name="token" value="{text(token)}"><button>Comment</button></div></div></form>'
    )
