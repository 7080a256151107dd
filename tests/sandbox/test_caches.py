"""Caches of Actions: who leaves and finds them, and the API that lists and deletes them.

Shapes and parameters are GitHub's description's (GITHUB.md 0, `@octokit/openapi`); what only its documentation says, or
nobody, stands in ASSUMED.md.
"""

from __future__ import annotations

import pytest

from bot.sandbox.changes import pushes
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed
from bot.sandbox.state import Cache
from tests.sandbox.lab import Lab
from tests.sandbox.yard import Yard, make_yard

CACHES = "/repos/octo/app/actions/caches"
STEP = "{uses: actions/cache@v4, with: {path: ~/.deps, key: deps-v1, restore-keys: deps-}}"
WORKFLOW = f"""
name: CI
on: {{push: {{branches: [main]}}, pull_request: {{}}}}
jobs:
  test: {{runs-on: ubuntu-latest, steps: [{STEP}, {{run: make test}}]}}
"""


class Suite:
    """A job that remembers what it restored, and fails where it is told so."""

    def __init__(self) -> None:
        self.restored: list[tuple[str, ...]] = []
        self.red = False

    def __call__(self, tree: Tree) -> Outcome:
        """Run."""
        self.restored.append(tree.restored)
        return failed("broken") if self.red else passed("fine")


@pytest.fixture
async def suite(lab: Lab) -> Suite:
    """A pull request whose job has left a cache; the base has none, since its own job failed."""
    job = Suite()
    lab.sandbox.ci.job("test", job)
    job.red = True
    pushes.push_files(lab.act(), "main", {".github/workflows/ci.yml": WORKFLOW}, "Add CI")
    await lab.sandbox.ci.advance()
    job.red = False
    lab.pull()
    await lab.sandbox.ci.advance()
    return job


def put(lab: Lab, ref: str, key: str, size: int = 4) -> Cache:
    """A cache that is there, a minute younger than the one before."""
    lab.clock.advance(60)
    now = lab.clock.now()
    one = Cache(lab.sandbox.github.new_id(), ref, key, "v", b"x" * size, now, now)
    lab.repo.caches[one.id] = one
    return one


def keys(lab: Lab) -> list[tuple[str, str]]:
    """All caches, by ref and key."""
    return sorted((one.ref, one.key) for one in lab.repo.caches.values())


async def test_a_pull_requests_job_leaves_its_cache_under_the_merge_ref(lab: Lab, suite: Suite) -> None:
    """`refs/pull/N/merge`; a job that failed leaves none (ASSUMED.md, caches)."""
    number = next(iter(lab.repo.pulls))
    assert keys(lab) == [(f"refs/pull/{number}/merge", "deps-v1")]
    assert suite.restored == [(), ()]


async def test_a_rerun_restores_it_and_the_log_says_so(lab: Lab, suite: Suite) -> None:
    """The words are those of `actions/cache`: restored, and not saved again."""
    (run,) = [run for run in lab.repo.runs.values() if run.pull]
    await lab.post(f"/repos/octo/app/actions/runs/{run.id}/rerun")
    await lab.sandbox.ci.advance()
    assert suite.restored[-1] == ("deps-v1",)
    log = (run.latest.jobs[0].log or b"").decode()
    assert "Cache hit for: deps-v1" in log
    assert "Cache restored from key: deps-v1" in log
    assert "Cache hit occurred on the primary key deps-v1, not saving cache." in log
    assert [step.name for step in run.latest.jobs[0].steps][-2:] == ["Post Run actions/cache@v4", "Complete job"]


async def test_another_pull_request_does_not_find_it_and_the_bases_is_found_by_all(lab: Lab, suite: Suite) -> None:
    """A job finds caches of its own ref, then the base's, nobody else's (ASSUMED.md, caches)."""
    lab.pull("other")
    await lab.sandbox.ci.advance()
    assert suite.restored[-1] == ()
    pushes.push_files(lab.act(), "main", {"more": "1"}, "More")
    await lab.sandbox.ci.advance()
    assert ("refs/heads/main", "deps-v1") in keys(lab)
    lab.pull("third")
    await lab.sandbox.ci.advance()
    assert suite.restored[-1] == ("deps-v1",)
    assert len(keys(lab)) == 3, "what was restored by its whole key is not saved again"


async def test_they_are_listed_by_ref_and_by_the_beginning_of_a_key(lab: Lab, suite: Suite) -> None:
    """`ref` is a whole ref, `key` a key or prefix; the one that was used last comes first; `sort` and `direction`."""
    assert suite.restored
    put(lab, "refs/heads/main", "deps-v2", 9)
    put(lab, "refs/heads/main", "npm-1", 1)
    assert (await lab.get(CACHES)).body["total_count"] == 3
    listed = (await lab.get(f"{CACHES}?ref=refs/heads/main")).body["actions_caches"]
    assert [one["key"] for one in listed] == ["npm-1", "deps-v2"]
    assert (await lab.get(f"{CACHES}?ref=main")).body["total_count"] == 0
    assert (await lab.get(f"{CACHES}?key=deps-")).body["total_count"] == 2
    biggest = (await lab.get(f"{CACHES}?sort=size_in_bytes&direction=asc")).body["actions_caches"]
    assert [one["size_in_bytes"] for one in biggest] == sorted(one["size_in_bytes"] for one in biggest)
    used = (await lab.get("/repos/octo/app/actions/cache/usage")).body
    assert used["active_caches_count"] == 3


async def test_one_is_deleted_by_id_once(lab: Lab, suite: Suite) -> None:
    """204, then 404."""
    assert suite.restored
    one = put(lab, "refs/heads/main", "deps-v2")
    assert (await lab.call("DELETE", f"{CACHES}/{one.id}")).status == 204
    assert (await lab.call("DELETE", f"{CACHES}/{one.id}")).status == 404
    assert ("refs/heads/main", "deps-v2") not in keys(lab)


async def test_a_key_is_deleted_whole_in_the_ref_that_is_named(lab: Lab, suite: Suite) -> None:
    """The key is the whole key, no prefix; without `ref` it goes from every ref; what is gone is told; none is 404."""
    assert suite.restored
    put(lab, "refs/heads/main", "deps-v1")
    put(lab, "refs/heads/dev", "deps-v1")
    assert (await lab.call("DELETE", f"{CACHES}?key=deps-")).status == 404
    gone = await lab.call("DELETE", f"{CACHES}?key=deps-v1&ref=refs/heads/dev")
    assert [one["ref"] for one in gone.body["actions_caches"]] == ["refs/heads/dev"]
    assert (await lab.call("DELETE", f"{CACHES}?key=deps-v1")).body["total_count"] == 2
    assert keys(lab) == []


async def test_reading_needs_actions_read_and_deleting_actions_write(lab: Lab, suite: Suite) -> None:
    """403 without; GITHUB.md 5.26: the header names what is accepted."""
    assert suite.restored
    token = lab.app_token(permissions={"actions": "read"})
    assert (await lab.get(CACHES, token=token)).status == 200
    refused = await lab.call("DELETE", f"{CACHES}?key=deps-v1", token=token)
    assert (refused.status, refused.headers["X-Accepted-GitHub-Permissions"]) == (403, "actions=write")


async def test_artifacts_of_all_runs_are_listed_and_deleted(lab: Lab) -> None:
    """`actions/list-artifacts-for-repo` by name, `actions/delete-artifact` once (GITHUB.md 1.2 has their siblings)."""
    lab.sandbox.ci.job("test", lambda _: Outcome(artifacts={"failres-a": {"x": b"1"}, "report": {"y": b"2"}}))
    pushes.push_files(lab.act(), "main", {".github/workflows/ci.yml": WORKFLOW}, "Add CI")
    await lab.sandbox.ci.advance()
    path = "/repos/octo/app/actions/artifacts"
    assert (await lab.get(path)).body["total_count"] == 2
    (one,) = (await lab.get(f"{path}?name=failres-a")).body["artifacts"]
    token = lab.app_token(permissions={"actions": "read"})
    assert (await lab.call("DELETE", f"{path}/{one['id']}", token=token)).status == 403
    assert (await lab.call("DELETE", f"{path}/{one['id']}")).status == 204
    assert (await lab.call("DELETE", f"{path}/{one['id']}")).status == 404
    assert (await lab.get(path)).body["total_count"] == 1


REAL = f"""
on: pull_request
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - {STEP}
      - uses: actions/setup-python@v5
        with: {{cache: pip}}
      - run: |
          cat ~/.deps/tool 2>/dev/null || echo none-$((40+2))
          mkdir -p ~/.deps ~/.cache/pip; echo a tool > ~/.deps/tool; echo a wheel > ~/.cache/pip/wheel
"""


async def test_real_steps_keep_files_from_one_attempt_to_the_next(tmp_path) -> None:
    """`actions/cache` and `setup-python` save what the job leaves in their folders, and the next attempt has it."""
    yard: Yard = make_yard(tmp_path, REAL, {"requirements.txt": "attrs\n"})
    yard.people.open_pull("docs", {"README.md": "more"})
    await yard.ci.advance()
    assert b"none-42" in (yard.jobs["test"].log or b"")
    assert b"pip cache is not found" in (yard.jobs["test"].log or b"")
    await yard.ci.rerun(yard.act(), yard.run, failed_only=False)
    await yard.ci.advance()
    log = (yard.jobs["test"].log or b"").decode()
    assert "a tool" in log
    assert "none-42" not in log
    assert {one.key.partition("-")[0] for one in yard.repo.caches.values()} == {"deps", "setup"}
    assert yard.problems == []
