"""
Refs that move: by a push, by the API, by a merge. One way for all, so that all have the same consequences.

A branch that moves: `push` is told; every App with `checks: write` gets its empty suite (GITHUB.md 5.6); open pull
requests from it are synchronised; open ones into it are tested for conflicts anew, and count as merged where their head
has arrived; a deleted head branch closes its pull requests.
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.sandbox.changes import checks
from bot.sandbox.changes.accounts import installations_on
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.git import Entry
from bot.sandbox.git.objects import NO_SHA
from bot.sandbox.git.refs import is_valid
from bot.sandbox.state import Act, Pull, Repository


def push_files(
    act: Act,
    branch: str,
    files: Mapping[str, bytes | str | Entry | None],
    message: str,
    *,
    start: str | None = None,
) -> str:
    """
    Commit files (`None` deletes one) on a branch and push it. Gives the new commit.

    A branch that does not exist begins at `start` (a branch or commit; by default the default branch).
    """
    ref = f"refs/heads/{branch}"
    before = act.repo.git.refs.read(ref)
    parent = before or act.repo.git.resolve(start or act.repo.default_branch)
    commit = act.repo.git.commit_files(parent, files, message, act.by.account.signature(act.now))
    move_ref(act, ref, commit, force=True)
    return commit


def create_ref(act: Act, ref: str, sha: str) -> None:
    """Create a branch or tag; 422 where it exists, where its name is bad, or where there is no such commit."""
    if not is_valid(ref):
        raise Refused(422, f"{ref} is not a valid ref name.")
    if act.repo.git.refs.read(ref) is not None:
        raise Refused(422, "Reference already exists")
    move_ref(act, ref, sha, force=True)


def move_ref(act: Act, ref: str, sha: str, *, force: bool) -> None:
    """Point a ref at a commit and let what follows happen; 422 for what is no fast-forward unless `force`."""
    before = act.repo.git.refs.read(ref)
    if before == sha:
        return
    if act.repo.git.resolve(sha) != sha:
        raise Refused(422, "Object does not exist")
    if before is not None and not force and not act.repo.git.is_ancestor(before, sha):
        raise Refused(422, "Update is not a fast forward")
    if not act.repo.git.refs.write(ref, sha):
        raise Refused(422, "Reference already exists")
    ref_moved(act, ref, before, sha)


def delete_ref(act: Act, ref: str) -> None:
    """Delete a branch or tag; 422 where there is none."""
    before = act.repo.git.refs.read(ref)
    if before is None:
        raise Refused(422, "Reference does not exist")
    act.repo.git.refs.delete(ref)
    ref_moved(act, ref, before, None)


def ref_moved(act: Act, ref: str, before: str | None, after: str | None) -> None:
    """Let happen what follows from a ref that has moved already (git itself moves it when somebody pushes)."""
    act.repo.pushed_at = act.now
    branch = ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else None
    forced = bool(before and after and not act.repo.git.is_ancestor(before, after))
    act.tell(
        "push",
        None,
        ref=ref,
        before=before or NO_SHA,
        after=after or NO_SHA,
        created=before is None,
        deleted=after is None,
        forced=forced,
        commits=_pushed(act.repo, before, after) if branch else [],
    )
    if branch is None:
        return
    if after is not None:
        _empty_suites(act, branch, before, after)
    for other in act.github.repositories.values():
        for pull in list(other.pulls.values()):
            if pull.state == "closed":
                continue
            if (pull.head_repo, pull.head_ref) == (act.repo.id, branch):
                _head_moved(act.elsewhere(other), pull, before, after)
            elif other is act.repo and pull.base_ref == branch:
                _base_moved(act, pull, after)


def _pushed(repo: Repository, before: str | None, after: str | None) -> list[str]:
    """The commits that a push brings, oldest first; a new branch brings what the default branch lacks."""
    if after is None:
        return []
    known = before or repo.git.branch(repo.default_branch)
    if known == after:
        return []
    return [commit.sha for commit in reversed(repo.git.log(after, known))]


def _empty_suites(act: Act, branch: str, before: str | None, after: str) -> None:
    """GitHub: each App that may write checks gets a queued suite at every push, empty until the App fills it."""
    for installation in installations_on(act.github, act.repo):
        if installation.permissions.get("checks") == "write":
            checks.create_suite(act, installation.app, after, branch, before=before, after=after, if_missing=True)


def _head_moved(act: Act, pull: Pull, before: str | None, after: str | None) -> None:
    now = act.now
    pull.updated_at = now
    if after is None:
        pull.state, pull.closed_at = "closed", now
        act.tell("pull_request", "closed", pull=pull)
        return
    pull.head_sha = after
    pull.base_sha = act.repo.git.branch(pull.base_ref) or pull.base_sha
    forget_test_merge(pull)
    act.repo.git.refs.write(f"refs/pull/{pull.number}/head", after)
    act.tell("pull_request", "synchronize", pull=pull, before=before, after=after)


def _base_moved(act: Act, pull: Pull, after: str | None) -> None:
    forget_test_merge(pull)
    if after is None:
        pull.state, pull.closed_at = "closed", act.now
        act.tell("pull_request", "closed", pull=pull)
    elif act.repo.git.is_ancestor(pull.head_sha, after):
        mark_merged(act, pull, pull.head_sha)


def forget_test_merge(pull: Pull) -> None:
    """GitHub: `mergeable` is null until a background job has tried again."""
    pull.mergeable = None
    pull.merge_commit = None
    pull.merge_tested = None


def mark_merged(act: Act, pull: Pull, commit: str) -> None:
    """Record that a pull request has landed as `commit`. Tells `pull_request.closed` with `merged: true`."""
    now = act.now
    pull.state = "closed"
    pull.merged_at = pull.closed_at = pull.updated_at = now
    pull.merged_by = act.by.account
    pull.merge_commit = commit
    pull.mergeable = None  # GitHub: a merged pull request stays `unknown` for ever (5.30)
    pull.auto_merge = None
    act.tell("pull_request", "closed", pull=pull)
