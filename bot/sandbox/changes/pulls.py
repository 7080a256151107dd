"""Pull requests: opened, edited, closed, tested for conflicts, brought up to date, merged."""

from __future__ import annotations

from typing import Any, Literal

from bot.sandbox.changes.pushes import forget_test_merge, mark_merged, move_ref
from bot.sandbox.changes.refusals import Refused, invalid
from bot.sandbox.changes.rules import lacking, rules_of
from bot.sandbox.state import Act, GitHub, Pull, Repository

Method = Literal["merge", "squash", "rebase"]
MAX_BODY = 65_536


def open_pull(
    act: Act,
    *,
    title: str,
    head: str,
    base: str,
    body: str | None = None,
    head_repo: Repository | None = None,
    draft: bool = False,
) -> Pull:
    """Open a pull request from branch `head` (of a fork: `head_repo`) into branch `base`. Tells `opened`."""
    source = head_repo or act.repo
    head_sha, base_sha = _sides(act.repo, source, head, base)
    _check_body(body)
    now = act.now
    number = act.repo.next_number
    act.repo.next_number += 1
    pull = Pull(
        number,
        act.github.new_id(),
        title,
        body,
        act.by.account,
        source.id,
        head,
        head_sha,
        base,
        base_sha,
        now,
        now,
        draft=draft,
    )
    act.repo.pulls[number] = pull
    act.repo.git.refs.write(f"refs/pull/{number}/head", head_sha)
    act.tell("pull_request", "opened", pull=pull)
    return pull


def _sides(repo: Repository, source: Repository, head: str, base: str) -> tuple[str, str]:
    """Head and base commits of a pull request that may be opened; 422 for one that may not."""
    head_sha, base_sha = source.git.branch(head), repo.git.branch(base)
    if head_sha is None:
        raise invalid("PullRequest", "head")
    if base_sha is None:
        raise invalid("PullRequest", "base")
    if repo.git.is_ancestor(head_sha, base_sha):
        raise _custom(f"No commits between {base} and {head}")
    for pull in repo.pulls.values():
        if pull.state == "open" and (pull.head_repo, pull.head_ref, pull.base_ref) == (source.id, head, base):
            raise _custom(f"A pull request already exists for {source.owner.login}:{head}.")
    return head_sha, base_sha


def edit_pull(
    act: Act,
    pull: Pull,
    *,
    title: str | None = None,
    body: str | None = None,
    base: str | None = None,
) -> None:
    """Change what is given. Tells `edited` with the old values."""
    changes: dict[str, Any] = {}
    if title is not None and title != pull.title:
        changes["title"] = {"from": pull.title}
        pull.title = title
    if body is not None and body != pull.body:
        _check_body(body)
        changes["body"] = {"from": pull.body or ""}
        pull.body = body
    if base is not None and base != pull.base_ref:
        sha = act.repo.git.branch(base)
        if sha is None:
            raise invalid("PullRequest", "base")
        changes["base"] = {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}
        pull.base_ref, pull.base_sha = base, sha
        forget_test_merge(pull)
    if changes:
        pull.updated_at = act.now
        act.tell("pull_request", "edited", pull=pull, changes=changes)


def close_pull(act: Act, pull: Pull) -> None:
    """Close without merging."""
    if pull.state == "open":
        pull.state = "closed"
        pull.closed_at = pull.updated_at = act.now
        pull.auto_merge = None
        act.tell("pull_request", "closed", pull=pull)


def reopen_pull(act: Act, pull: Pull) -> None:
    """Open again what was closed; 422 for a merged one or where the head branch is gone."""
    head_repo = act.github.repositories.get(pull.head_repo)
    head = head_repo.git.branch(pull.head_ref) if head_repo else None
    if pull.merged_at is not None or head is None:
        raise invalid("PullRequest", "state", message="state cannot be changed.")
    if pull.state == "closed":
        pull.state, pull.closed_at, pull.updated_at = "open", None, act.now
        pull.head_sha = head
        act.repo.git.refs.write(f"refs/pull/{pull.number}/head", head)
        forget_test_merge(pull)
        act.tell("pull_request", "reopened", pull=pull)


def set_draft(act: Act, pull: Pull, *, draft: bool) -> None:
    """Convert to a draft, or mark ready for review."""
    if pull.draft != draft:
        pull.draft = draft
        pull.updated_at = act.now
        act.tell("pull_request", "converted_to_draft" if draft else "ready_for_review", pull=pull)


async def try_merge(act: Act, pull: Pull) -> str | None:
    """
    Give the merge commit of head and current base that a `pull_request` workflow tests, or `None` for a conflict.

    Also moves `refs/pull/N/merge`. Made once for each pair of base and head.
    """
    tested = _pair(act.repo, pull)
    if tested is None:
        return None
    if pull.merge_tested == tested:
        return pull.merge_commit
    base, head = tested
    merged = await act.repo.git.merge_trees(base, head)
    commit = None
    if merged.tree is not None:
        author = pull.author.signature(act.now)
        commit = act.repo.git.store.write_commit(merged.tree, tested, f"Merge {head} into {base}", author)
    if _pair(act.repo, pull) == tested:  # nothing moved meanwhile
        pull.merge_tested, pull.merge_commit = tested, commit
        if commit is None:
            act.repo.git.refs.delete(f"refs/pull/{pull.number}/merge")
        else:
            act.repo.git.refs.write(f"refs/pull/{pull.number}/merge", commit)
    return commit


def _pair(repo: Repository, pull: Pull) -> tuple[str, str] | None:
    """The commits that would be merged now; `None` for a closed pull request or a base that is gone."""
    base = repo.git.branch(pull.base_ref)
    return (base, pull.head_sha) if base is not None and pull.state == "open" else None


async def find_mergeable(act: Act, pull: Pull) -> None:
    """GitHub's background job: set `mergeable` of an open pull request."""
    tested = _pair(act.repo, pull)
    if tested is not None and pull.mergeable is None:
        can_be = await try_merge(act, pull) is not None
        if _pair(act.repo, pull) == tested:
            pull.mergeable = can_be


async def merge_pull(
    act: Act,
    pull: Pull,
    *,
    method: Method = "merge",
    sha: str | None = None,
    title: str | None = None,
    message: str | None = None,
) -> str:
    """Merge and give the commit that landed. 405 where it cannot or may not be, 409 where the head is not `sha`."""
    if sha is not None and sha != pull.head_sha:
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    if pull.state != "open" or pull.draft:
        raise Refused(405, "Pull Request is not mergeable")
    if rules_of(act.repo, pull.base_ref, "merge_queue"):
        raise Refused(405, "Repository rule violations found\n\nChanges must be made through the merge queue")
    pair = _pair(act.repo, pull)
    test = await try_merge(act, pull)
    if test is None or pair is None:
        raise Refused(405, "Pull Request is not mergeable")
    missing = lacking(act.repo, pull)
    if missing is not None:
        raise Refused(405, missing)
    tree = act.repo.git.commit(test).tree
    landed = await landing_commit(act, pull, pair[0], tree, method=method, title=title, message=message)
    if _pair(act.repo, pull) != pair:
        raise Refused(409, "Base branch was modified. Review and try the merge again.")
    # Marked before the base moves, so that the move does not take it for merged by hand.
    ref = f"refs/heads/{pull.base_ref}"
    mark_merged(act, pull, landed)
    move_ref(act, ref, landed, force=False)
    return landed


async def landing_commit(
    act: Act,
    pull: Pull,
    base: str,
    tree: str,
    *,
    method: Method,
    title: str | None = None,
    message: str | None = None,
    at: float | None = None,
) -> str:
    """Make the commit that puts a pull request on `base`; `tree` is that of their merge. No ref moves."""
    who = act.by.account.signature(act.now if at is None else at)
    if method == "rebase":
        tip, conflict = await act.repo.git.rebase(pull.head_sha, base, who)
        if tip is None:
            raise Refused(405, f"This branch can't be rebased: {conflict}")
        return tip
    if method == "squash":
        text = title or f"{pull.title} (#{pull.number})"
        return act.repo.git.store.write_commit(tree, (base,), _text(text, message), who)
    text = title or f"Merge pull request #{pull.number} from {_owner(act.github, pull)}/{pull.head_ref}"
    return act.repo.git.store.write_commit(tree, (base, pull.head_sha), _text(text, message or pull.title), who)


async def update_branch(
    act: Act,
    pull: Pull,
    *,
    method: Literal["merge", "rebase"] = "merge",
    expected_head: str | None = None,
) -> str:
    """Bring a head branch up to date with its base and give the new head (REST merges, GraphQL can also rebase)."""
    if expected_head is not None and expected_head != pull.head_sha:
        raise Refused(422, f"expected head sha didn't match current head ref: {expected_head}")
    pair = _pair(act.repo, pull)
    head_repo = act.github.repositories.get(pull.head_repo)
    if pair is None or head_repo is None:
        raise Refused(422, "The pull request is not open")
    base, head = pair
    if act.repo.git.is_ancestor(base, head):
        raise Refused(422, "There are no new commits on the base branch.")
    who = act.by.account.signature(act.now)
    if method == "rebase":
        tip, _ = await act.repo.git.rebase(head, base, who)
    else:
        merged = await act.repo.git.merge_trees(head, base)
        text = f"Merge branch '{pull.base_ref}' into {pull.head_ref}"
        tip = merged.tree and act.repo.git.store.write_commit(merged.tree, (head, base), text, who)
    if pull.head_sha != head:
        raise Refused(422, f"expected head sha didn't match current head ref: {head}")
    if tip is None:
        raise Refused(422, "merge conflict between base and head")
    move_ref(act.elsewhere(head_repo), f"refs/heads/{pull.head_ref}", tip, force=True)
    return tip


def _owner(github: GitHub, pull: Pull) -> str:
    head_repo = github.repositories.get(pull.head_repo)
    return head_repo.owner.login if head_repo else "unknown repository"


def _text(title: str, message: str | None) -> str:
    return f"{title}\n\n{message}" if message else title


def _check_body(body: str | None) -> None:
    if body is not None and len(body) > MAX_BODY:
        raise invalid("PullRequest", "body", message=f"body is too long (maximum is {MAX_BODY} characters)")


def _custom(message: str) -> Refused:
    return Refused(422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": message}])
