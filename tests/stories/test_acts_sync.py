"""A task's branch is rebased onto its base by GitHub's own update, and what it then holds is checked."""

import pytest

from bot.sandbox.faults import Fault
from resolver.actions import SyncBranch
from resolver.facts import PullObserved
from resolver.ledger.events import Synced
from resolver.task_scope import TaskScope
from tests.stories.acts import open_shop, order

DRIFTED = {"tax.py": "RATE = 7\n"}


async def drifted(world, changes=None, **how):
    """A pull request whose base has moved on since it was opened."""
    repo = await open_shop(world)
    pull = world.people.open_pull("docs", changes or {"README.md": "more\n"}, **how)
    world.people.push("main", DRIFTED, by="admin")
    await world.settle()
    return repo, pull


def sync(repo, pull, **changed):
    """The action on that pull request as it stands."""
    given = {
        "head_sha": pull.head_sha,
        "base_sha": repo.git.branch("main"),
        "sync_id": "sync:1",
        "asked": True,
        **changed,
    }
    return SyncBranch(number=pull.number, base_ref="main", **given)


def synced(end):
    """What the ledger was told."""
    return [fact for fact in end.facts if isinstance(fact, Synced)]


async def test_c2_a_branch_is_rebased_onto_the_current_base(calm):
    """The commits are the same, on the new base; ledger and pull request are told."""
    repo, pull = await drifted(calm)
    head, base = pull.head_sha, repo.git.branch("main")
    end = await order(calm, sync(repo, pull))
    assert end.refused is None
    assert pull.head_sha != head
    assert repo.git.commit(pull.head_sha).parents == (base,)
    assert end.done.result == {"head": pull.head_sha, "base": base, "outside": [], "lost": False}
    (told,) = synced(end)
    assert (told.task, told.base, told.head, told.drift) == (f"pr-{pull.number}", base, head, False)
    assert [fact.head_sha for fact in end.facts if isinstance(fact, PullObserved)][-1] == pull.head_sha


@pytest.mark.parametrize("how", ["lose", "drop"])
async def test_a_lost_answer_rebases_once(calm, how):
    """The mutation's answer is lost, or the mutation never arrived: one rebase, one record."""
    repo, pull = await drifted(calm)
    action = sync(repo, pull)
    calm.sandbox.faults.add(Fault("POST", "/graphql", how=how))
    end = await order(calm, action)
    assert end.refused is None
    assert len({fact.id for fact in synced(end)}) == 1
    assert repo.git.commit(pull.head_sha).parents == (action.base_sha,)


async def test_after_a_crash_the_rebase_that_is_there_is_known_again(calm):
    """The process died after GitHub had rebased: the same order finds the same commits on the base, and is done."""
    repo, pull = await drifted(calm)
    action = sync(repo, pull)
    await order(calm, action)
    head = pull.head_sha
    again = await order(calm, action)
    assert again.refused is None
    assert (again.done.result["head"], pull.head_sha) == (head, head)


async def test_c1_f1_a_concurrent_push_wins(calm):
    """Somebody pushed: the expected head is gone, and their commit stays."""
    repo, pull = await drifted(calm)
    action = sync(repo, pull)
    theirs = calm.people.push("docs", {"README.md": "theirs\n"})
    end = await order(calm, action)
    assert end.refused == "the head moved"
    assert pull.head_sha == theirs
    assert synced(end) == []


async def test_a_conflict_is_told_by_its_class(calm):
    """Base and task changed the same line: nothing moves."""
    repo = await open_shop(calm)
    pull = calm.people.open_pull("docs", {"README.md": "mine\n"})
    calm.people.push("main", {"README.md": "theirs\n"}, by="admin")
    await calm.settle()
    head = pull.head_sha
    end = await order(calm, sync(repo, pull))
    assert end.refused == "merge-conflict"
    assert pull.head_sha == head


async def test_changes_that_were_only_the_bases_are_gone(calm):
    """The branch carries a cherry-picked base change: after the rebase the task holds only its own file."""
    repo = await open_shop(calm)
    pull = calm.people.open_pull("docs", {"README.md": "more\n"})
    calm.people.push("docs", DRIFTED, message="Take the tax along")
    calm.people.push("main", DRIFTED, by="admin", message="Tax")
    await calm.settle()
    end = await order(calm, sync(repo, pull, scope=TaskScope(source="files", files=("README.md",)), drift=True))
    assert end.done.result["outside"] == []
    assert synced(end)[0].drift


async def test_what_lies_outside_the_frozen_scope_is_named(calm):
    """The task changes a file that is not its own to change: the rebase is done and says so."""
    repo, pull = await drifted(calm, {"README.md": "more\n", "other.py": "x = 1\n"})
    end = await order(calm, sync(repo, pull, scope=TaskScope(source="files", files=("README.md",))))
    assert end.done.result["outside"] == ["other.py"]


async def test_a_branch_that_holds_its_base_is_not_pushed(calm):
    """Nothing to do is refused, not done."""
    repo = await open_shop(calm)
    pull = calm.people.open_pull("docs", {"README.md": "more\n"})
    await calm.settle()
    assert (await order(calm, sync(repo, pull))).refused == "the branch holds the whole base already"


async def test_an_approval_is_not_thrown_away(calm):
    """A push may dismiss it, so that this is left to a person."""
    repo, pull = await drifted(calm)
    calm.people.review(pull, "APPROVED", by="maintainer")
    assert "approved" in (await order(calm, sync(repo, pull))).refused


async def test_signed_commits_keep_their_signatures(calm):
    """A rebase would strip them, so that this is left to a person."""
    repo, pull = await drifted(calm)
    signed = {"parents": [{}], "commit": {"verification": {"verified": True}}}
    body = {"behind_by": 1, "total_commits": 1, "files": [], "commits": [signed]}
    calm.sandbox.faults.add(Fault("GET", "/repos/*/compare/*", status=200, body=body))
    head = pull.head_sha
    assert "signed" in (await order(calm, sync(repo, pull))).refused
    assert pull.head_sha == head


async def test_workflow_files_are_not_moved(calm):
    """Moving them needs a right that failres never has."""
    repo, pull = await drifted(calm, {".github/workflows/new.yml": "on: push\njobs: {}\n"})
    assert "`workflows: write`" in (await order(calm, sync(repo, pull))).refused


async def test_a_forks_branch_is_never_touched(calm):
    """Forks are explained only."""
    repo = await open_shop(calm)
    pull = calm.people.open_pull("docs", {"README.md": "more\n"}, by="outsider", fork=True)
    calm.people.push("main", DRIFTED, by="admin")
    await calm.settle()
    head = pull.head_sha
    assert (await order(calm, sync(repo, pull))).refused == "forks and Dependabot are explained only"
    assert pull.head_sha == head


async def test_merge_commits_are_not_flattened(calm):
    """The author merged the base into the branch: a rebase would drop that."""
    repo, pull = await drifted(calm)
    git = repo.git
    merged = await git.merge_trees(pull.head_sha, git.branch("main"))
    parents = (pull.head_sha, git.branch("main"))
    who = pull.author.signature(calm.clock.now())
    commit = git.store.write_commit(merged.tree, parents, "Merge main", who)
    git.refs.write("refs/heads/docs", commit)
    pull.head_sha = commit
    calm.people.push("main", {"more.py": "x = 2\n"}, by="admin")
    await calm.settle()
    assert "merge commits" in (await order(calm, sync(repo, pull))).refused
