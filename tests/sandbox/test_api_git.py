"""Refs, trees and commits by the API; real clones and pushes by git. Facts from GITHUB.md 1.6."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

from bot.sandbox.changes import pulls, pushes, repositories
from bot.sandbox.git import Git, ObjectStore, Person
from bot.sandbox.state import Happening
from tests.sandbox.lab import Lab

REPO = "/repos/octo/app"
SOMEBODY = Person("Somebody", "somebody@example.org", 1_790_000_000)


async def test_a_commit_is_made_piece_by_piece(lab: Lab) -> None:
    """Blob, tree on a base tree, commit, ref: the branch then holds the change and nothing else."""
    head = lab.repo.git.branch("main")
    blob = (await lab.post(f"{REPO}/git/blobs", {"content": "eiA9IDEK", "encoding": "base64"})).body["sha"]
    entries = [
        {"path": "new/z.py", "mode": "100755", "type": "blob", "sha": blob},
        {"path": "README.md", "mode": "100644", "type": "blob", "sha": None},
        {"path": "note.txt", "mode": "100644", "type": "blob", "content": "text\n"},
    ]
    tree = (await lab.post(f"{REPO}/git/trees", {"base_tree": head, "tree": entries})).body["sha"]
    commit = await lab.post(f"{REPO}/git/commits", {"message": "Change", "tree": tree, "parents": [head]})
    assert commit.body["author"]["name"] == "failres[bot]"
    sha = commit.body["sha"]
    assert (await lab.post(f"{REPO}/git/refs", {"ref": "refs/heads/topic/one", "sha": sha})).status == 201
    assert lab.repo.git.names(head, sha) == {
        "added": ["new/z.py", "note.txt"],
        "removed": ["README.md"],
        "modified": [],
    }
    listed = (await lab.get(f"{REPO}/git/trees/{sha}?recursive=1")).body["tree"]
    assert {one["path"]: one["mode"] for one in listed if one["type"] == "blob"}["new/z.py"] == "100755"


async def test_refs_move_only_forward_unless_forced(lab: Lab) -> None:
    """422 for what exists, for what is missing, for what is no fast-forward; `force` moves anyway."""
    main = lab.repo.git.branch("main")
    topic = pushes.push_files(lab.act(), "topic", {"a.py": "1\n"}, "Topic")
    assert (await lab.post(f"{REPO}/git/refs", {"ref": "refs/heads/topic", "sha": main})).status == 422
    assert (await lab.post(f"{REPO}/git/refs", {"ref": "refs/heads/topic/sub", "sha": main})).status == 422
    assert (await lab.post(f"{REPO}/git/refs", {"ref": "topic", "sha": main})).status == 422
    backwards = {"sha": main}
    assert (await lab.call("PATCH", f"{REPO}/git/refs/heads/topic", backwards)).status == 422
    assert lab.repo.git.branch("topic") == topic
    assert (await lab.call("PATCH", f"{REPO}/git/refs/heads/topic", {**backwards, "force": True})).status == 200
    assert lab.repo.git.branch("topic") == main
    assert (await lab.call("PATCH", f"{REPO}/git/refs/heads/nowhere", backwards)).status == 422
    assert (await lab.get(f"{REPO}/git/ref/heads/top")).status == 404
    assert [one["ref"] for one in (await lab.get(f"{REPO}/git/matching-refs/heads/top")).body] == ["refs/heads/topic"]


async def test_rules_keep_refs_back(lab: Lab) -> None:
    """A ruleset's `creation` and `update` hold for the branches that it names: 422 with the rule's sentence."""
    main = lab.repo.git.branch("main")
    topic = pushes.push_files(lab.act(), "kept/topic", {"a.py": "1\n"}, "Topic")
    names = {"ref_name": {"include": ["refs/heads/kept/**"], "exclude": []}}
    lab.repo.rulesets.append({"id": 7, "conditions": names, "rules": [{"type": "creation"}, {"type": "update"}]})
    refused = await lab.post(f"{REPO}/git/refs", {"ref": "refs/heads/kept/new", "sha": main})
    assert (refused.status, refused.body["message"].split("\n")[0]) == (422, "Repository rule violations found")
    assert (await lab.post(f"{REPO}/git/refs", {"ref": "refs/heads/free", "sha": main})).status == 201
    child = {"message": "More", "tree": lab.repo.git.commit(topic).tree, "parents": [topic]}
    sha = (await lab.post(f"{REPO}/git/commits", child)).body["sha"]
    assert (await lab.call("PATCH", f"{REPO}/git/refs/heads/kept/topic", {"sha": sha})).status == 422
    assert lab.repo.git.branch("kept/topic") == topic


async def test_a_commit_without_parents_begins_a_branch(lab: Lab) -> None:
    """A tree without `base_tree` and a commit without parents: an orphan, with nothing of the other branches."""
    entries = [{"path": "a/b.md", "mode": "100644", "type": "blob", "content": "text\n"}]
    tree = (await lab.post(f"{REPO}/git/trees", {"tree": entries})).body["sha"]
    sha = (await lab.post(f"{REPO}/git/commits", {"message": "First", "tree": tree, "parents": []})).body["sha"]
    assert (await lab.post(f"{REPO}/git/refs", {"ref": "refs/heads/apart", "sha": sha})).status == 201
    assert [one.sha for one in lab.repo.git.log(sha, None)] == [sha]
    assert (await lab.get(f"{REPO}/contents/a/b.md?ref={sha}")).status == 200
    assert (await lab.get(f"{REPO}/contents/app.py?ref={sha}")).status == 404


async def test_files_are_written_with_the_old_sha(lab: Lab) -> None:
    """A new file is 201; a changed one needs the old blob's SHA (422 without, 409 with a wrong one)."""
    path = f"{REPO}/contents/app.py"
    new = {"message": "Change", "content": "eCA9IDIK"}
    assert (await lab.call("PUT", path, new)).status == 422
    assert (await lab.call("PUT", path, {**new, "sha": "0" * 40})).status == 409
    old = (await lab.get(path)).body["sha"]
    changed = await lab.call("PUT", path, {**new, "sha": old})
    assert changed.status == 200
    assert lab.repo.git.read(lab.repo.git.branch("main") or "", "app.py") == b"x = 2\n"
    assert (await lab.call("PUT", f"{REPO}/contents/other.py", new)).status == 201


async def test_merging_branches(lab: Lab) -> None:
    """`merges` is 201 with the commit, 204 with nothing to do, 409 for a conflict, 404 for no branch."""
    pushes.push_files(lab.act(), "topic", {"a.py": "1\n"}, "Topic")
    merged = await lab.post(f"{REPO}/merges", {"base": "main", "head": "topic"})
    assert (merged.status, len(merged.body["parents"])) == (201, 2)
    assert (await lab.post(f"{REPO}/merges", {"base": "main", "head": "topic"})).status == 204
    pushes.push_files(lab.act(), "topic", {"app.py": "topic\n"}, "Topic")
    pushes.push_files(lab.act(), "main", {"app.py": "main\n"}, "Main")
    assert (await lab.post(f"{REPO}/merges", {"base": "main", "head": "topic"})).status == 409
    assert (await lab.post(f"{REPO}/merges", {"base": "main", "head": "nowhere"})).status == 404


async def git(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run git as a person would, without the loop standing still."""
    identity = {
        "GIT_AUTHOR_NAME": "Author",
        "GIT_AUTHOR_EMAIL": "author@example.org",
        "GIT_COMMITTER_NAME": "Author",
        "GIT_COMMITTER_EMAIL": "author@example.org",
    }
    clean = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_TERMINAL_PROMPT": "0", **identity}
    return await asyncio.to_thread(
        subprocess.run, ["git", *arguments], cwd=cwd, env=clean, capture_output=True, text=True, check=False
    )


async def test_git_clones_and_pushes_over_http(lab: Lab, tmp_path: Path) -> None:
    """A real clone has the files, a real push moves the branch, tells `push` and synchronises the pull request."""
    pull = lab.pull()
    token = lab.sandbox.user_token("author")
    origin = lab.sandbox.web_url.replace("http://", f"http://author:{token}@") + "/octo/app.git"
    assert (await git("clone", "-q", "-b", "feature", origin, "work", cwd=tmp_path)).returncode == 0
    work = tmp_path / "work"
    assert (work / "app.py").read_text() == "x = 2\n"
    (work / "app.py").write_text("x = 3\n")
    (work / "run.sh").write_text("#!/bin/sh\n" * 10_000)
    await git("add", ".", cwd=work)
    await git("commit", "-qm", "Change again", cwd=work)
    heard: list[Happening] = []
    lab.sandbox.github.listeners.append(heard.append)
    pushed = await git("push", "-q", "origin", "HEAD:feature", "HEAD:refs/heads/second", cwd=work)
    assert pushed.returncode == 0, pushed.stderr
    events = [(one.event, one.subject.get("ref"), one.actor.login) for one in heard if one.event == "push"]
    assert events == [("push", "refs/heads/feature", "author"), ("push", "refs/heads/second", "author")]
    assert ("pull_request", "synchronize") in [(one.event, one.action) for one in heard]
    head = (await git("rev-parse", "HEAD", cwd=work)).stdout.strip()
    assert (pull.head_sha, lab.repo.git.read(head, "app.py")) == (head, b"x = 3\n")
    pull_ref = await git("fetch", "-q", "origin", f"refs/pull/{pull.number}/head", cwd=work)
    assert pull_ref.returncode == 0


async def test_git_pushes_need_rights(lab: Lab, tmp_path: Path) -> None:
    """Nobody pushes without write access, nor to `refs/pull`, nor clones what is private."""
    plain = lab.sandbox.web_url + "/octo/app.git"
    await git("clone", "-q", plain, "work", cwd=tmp_path)
    work = tmp_path / "work"
    for login, target in (("outsider", "HEAD:refs/heads/new"), ("author", "HEAD:refs/pull/1/head")):
        token = lab.sandbox.user_token(login)
        url = lab.sandbox.web_url.replace("http://", f"http://x-access-token:{token}@") + "/octo/app.git"
        assert (await git("push", "-q", url, target, cwd=work)).returncode != 0
    assert (await git("push", "-q", plain, "HEAD:refs/heads/new", cwd=work)).returncode != 0
    assert list(lab.repo.git.refs.all()) == ["refs/heads/main"]
    lab.repo.private = True
    assert (await git("clone", "-q", plain, "again", cwd=tmp_path)).returncode != 0


async def test_an_installations_token_pushes_by_its_contents_permission(lab: Lab, tmp_path: Path) -> None:
    """contents:write pushes, contents:read only fetches; the App's bot is the actor."""
    heard: list[Happening] = []
    lab.sandbox.github.listeners.append(heard.append)
    for permission, works in (("read", False), ("write", True)):
        token = lab.app_token(permissions={"contents": permission})
        url = lab.sandbox.web_url.replace("http://", f"http://x-access-token:{token}@") + "/octo/app.git"
        directory = f"work-{permission}"
        assert (await git("clone", "-q", url, directory, cwd=tmp_path)).returncode == 0
        pushed = await git("push", "-q", "origin", "HEAD:refs/heads/topic", cwd=tmp_path / directory)
        assert (pushed.returncode == 0) is works
    assert [one.actor.login for one in heard if one.event == "push"] == ["failres[bot]"]


async def test_a_fork_shares_the_network(lab: Lab) -> None:
    """A fork's commit is readable through the parent by its SHA, but is on no branch there."""
    fork = repositories.fork(lab.sandbox.github, lab.repo, lab.people["outsider"])
    sha = pushes.push_files(lab.act("outsider", fork), "patch", {"a.py": "1\n"}, "From the fork")
    assert (await lab.get(f"{REPO}/commits/{sha}")).status == 200
    assert (await lab.get(f"{REPO}/branches/patch")).status == 404
    assert (await lab.get(f"{REPO}/compare/main...outsider:patch")).body["ahead_by"] == 1


def test_git_agrees_with_what_is_written_without_it(tmp_path: Path) -> None:
    """`git fsck` finds nothing wrong, `git log` sees the commits, and packed objects are still read."""
    repo = Git(tmp_path / "one.git")
    first = repo.commit_files(None, {"a/b/c.txt": "1\n", "a.txt": "2\n", "a-b": "#!/bin/sh\n"}, "First\n", SOMEBODY)
    second = repo.commit_files(first, {"a/b/c.txt": None, "ä.txt": b"\xff"}, "Second", SOMEBODY)
    repo.refs.write("refs/heads/main", second)

    def run(*arguments: str) -> str:
        command = ["git", "--git-dir", str(repo.git_dir), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    run("fsck", "--full", "--strict")
    assert run("log", "--format=%H %s").split() == [second, "Second", first, "First"]
    assert run("ls-tree", "-r", "--name-only", "-z", "main").split("\0")[:-1] == ["a-b", "a.txt", "ä.txt"]
    assert run("ls-tree", "main", "a-b").startswith("100755")
    run("repack", "-a", "-d", "-q")
    fresh = ObjectStore(repo.git_dir / "objects")
    assert fresh.commit(first).message == "First\n"
    assert fresh.has("0" * 40) is False


async def test_rebase_replays_and_names_the_commit_that_conflicts(tmp_path: Path) -> None:
    """Authors and messages are kept, what is there already is dropped, a conflict names its commit."""
    repo = Git(tmp_path / "one.git")
    base = repo.commit_files(None, {"a": "1\n", "b": "1\n"}, "Base", SOMEBODY)
    one = repo.commit_files(base, {"a": "2\n"}, "Change a", SOMEBODY)
    two = repo.commit_files(one, {"b": "2\n"}, "Change b", SOMEBODY)
    onto = repo.commit_files(base, {"a": "2\n", "c": "1\n"}, "Change a elsewhere", SOMEBODY)
    committer = Person("Other", "other@example.org", 1_790_000_100)
    tip, conflict = await repo.rebase(two, onto, committer)
    assert (tip is not None, conflict) == (True, "")
    replayed = repo.log(tip or "", onto)
    assert [(one.message, one.author, one.committer) for one in replayed] == [("Change b", SOMEBODY, committer)]
    against = repo.commit_files(base, {"b": "3\n"}, "Change b otherwise", SOMEBODY)
    assert await repo.rebase(two, against, committer) == (None, "Change b")


async def test_shas_are_stable(tmp_path: Path) -> None:
    """The same files, people and times give the same commits in every sandbox."""
    shas = {Git(tmp_path / f"{number}.git").commit_files(None, {"a": "1"}, "First", SOMEBODY) for number in range(2)}
    assert len(shas) == 1


async def test_a_branch_pushed_into_the_base_counts_as_merged(lab: Lab) -> None:
    """Who pushes a pull request's head to the base by hand has merged it."""
    pull = lab.pull()
    pushes.move_ref(lab.act(), "refs/heads/main", pull.head_sha, force=False)
    assert (pull.state, pull.merged_by) == ("closed", lab.people["author"])
    assert await pulls.try_merge(lab.act(), pull) is None
