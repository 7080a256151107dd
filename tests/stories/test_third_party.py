"""Checks of another CI: explained like jobs, green again like jobs, and never started by failres."""

from inline_snapshot import snapshot

from tests.stories.test_explaining import RIGHT, TESTS, unit

TEXT = """\
### 1 failed, 41 passed

```text
=========================== short test summary info ============================
FAILED tests/test_shop.py::test_discount - assert 190 == 180
============================== 1 failed in 0.02s ===============================
```
"""


async def shop(world, config=""):
    """A repository with one green job, and another CI beside it."""
    world.sandbox.ci.job("unit", unit)
    files = {**RIGHT, **TESTS, **({".github/failres.yml": config} if config else {})}
    repo = world.repo("shop", files, {"ci.yml": ("unit",)})
    await world.settle()
    return repo


async def opened(world, config=""):
    """That repository with a pull request whose job is green."""
    await shop(world, config)
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await world.settle()
    assert world.said(pull) == ""
    return pull


def annotation(**changes):
    """A linter's annotation."""
    given = {"path": "shop.py", "start_line": 1, "end_line": 1, "annotation_level": "failure"}
    return {**given, "title": "no-magic-number", "message": "100 has no name", **changes}


async def test_a_check_runs_annotations_say_what_failed_where(world):
    """Another App's check run fails: item, message and place are its annotation's, and why nothing is started is
    said.
    """
    pull = await opened(world)
    output = {"title": "1 problem", "summary": "One problem.", "annotations": [annotation()]}
    world.people.report_check(pull, "lint", "failure", ci="Linter", output=output, details_url="https://lint.test/7")
    await world.settle()
    assert world.said(pull).split("<details>")[0] == snapshot("""\
✔ failres: neutral: linter / lint failed: no-magic-number: 100 has no name

<!-- failres:sticky:1 -->

**`linter / lint` failed: `no-magic-number`: `100 has no name`**

At [`shop.py:1`](https://github.test/octo/shop/blob/‹docs:1›/shop.py#L1) · [Details of `linter / lint`](https://github.test/octo/shop/runs/‹id›)

**What happens now:** It is not proven whose failure this is: checks of another CI cannot be started by failres. failres only explains here; the configuration does not let it act on this pull request.

""")
    world.people.report_check(pull, "lint", "success", ci="Linter", output={"title": "Fine", "summary": "Nothing."})
    await world.settle()
    assert world.said(pull) == snapshot("""\
✔ failres: neutral: Green again

(hidden as resolved)
<!-- failres:sticky:1 -->

**Green again** at `‹docs:1›`: `linter / lint` passed.

<sub>failres · commit ‹docs:1›</sub>\
""")


async def test_a_check_runs_output_is_read_like_a_log(calm):
    """Without annotations, the failing test that the output names is the item."""
    pull = await opened(calm)
    output = {"title": "1 failed", "summary": "See below.", "text": TEXT}
    calm.people.report_check(pull, "tests", "failure", ci="Other CI", output=output)
    await calm.settle()
    assert "`other-ci / tests` failed: `tests/test_shop.py::test_discount`: `assert 190 == 180`" in calm.said(pull)


async def test_a_pending_status_is_neither_red_nor_green(world):
    """Pending says nothing; red is told; pending again leaves what was said; green resolves it."""
    pull = await opened(world)
    world.people.report_status(pull, "ci/coverage", "pending", "waiting for reports")
    await world.settle()
    assert world.said(pull) == ""
    world.people.report_status(pull, "ci/coverage", "error", "no report came", target_url="https://cov.test/1")
    await world.settle()
    told = world.said(pull)
    assert told.split("<details>")[0] == snapshot("""\
✔ failres: neutral: ci/coverage failed: no report came

<!-- failres:sticky:1 -->

**`ci/coverage` failed: `no report came`**

Its CI shows details at `https://cov.test/1`

**What happens now:** It is not proven whose failure this is: checks of another CI cannot be started by failres. failres only explains here; the configuration does not let it act on this pull request.

""")
    world.clock.advance(1.0)
    world.people.report_status(pull, "ci/coverage", "pending", "waiting for reports")
    await world.settle()
    assert "Green again" not in world.said(pull)
    world.people.report_status(pull, "ci/coverage", "success", "all is covered")
    await world.settle()
    assert "**Green again** at `‹docs:1›`: `ci/coverage` passed." in world.said(pull)


async def test_the_newest_check_run_of_a_name_counts(world):
    """An App makes a new check run of the same name: the older one's failure is over, whatever order they arrive in."""
    pull = await opened(world)
    world.people.report_check(pull, "build", "failure", output={"title": "It broke", "summary": "-"})
    world.clock.advance(5.0)
    world.people.report_check(pull, "build", "success", output={"title": "Built", "summary": "-"})
    await world.settle()
    assert "It broke" not in world.said(pull)


async def test_a_new_head_on_which_another_ci_has_not_reported_is_not_green(world):
    """A check of another CI may be late: only its own success resolves its failure."""
    pull = await opened(world)
    world.people.report_status(pull, "ci/coverage", "failure", "40%")
    await world.settle()
    assert "`ci/coverage` failed: `40%`" in world.said(pull)
    world.people.push("docs", {"README.md": "even more"})
    await world.settle()
    assert "hidden as resolved" not in world.said(pull)
    world.people.report_status(pull, "ci/coverage", "success", "90%")
    await world.settle()
    assert "hidden as resolved" in world.said(pull)


async def test_b7_a_job_and_another_cis_check_are_told_in_one_comment(calm):
    """Both are rows of one table, each linked to where it ran."""
    await shop(calm)
    pull = calm.people.open_pull("discount", {"shop.py": "def total(p, percent): return sum(p) - percent\n"})
    calm.people.report_check(pull, "e2e", "timed_out", output={"title": "No answer", "summary": "-"})
    await calm.settle()
    told = calm.said(pull)
    assert told.count("failres:sticky") == 1
    assert "`ci / unit`" in told
    assert "`other-ci / e2e`" in told


ACTS = 'managed:\n  branches: ["**"]\nmode:\n  rerun: act\n  probe: act\n'


async def test_nothing_of_another_ci_is_ever_started(world):
    """Where failres may rerun and probe, a failure of another CI still costs no execution, and it is said why."""
    pull = await opened(world, ACTS)
    world.people.report_check(pull, "e2e", "failure", output={"title": "No answer", "summary": "-"})
    await world.settle()
    assert "checks of another CI cannot be started by failres" in world.said(pull)
    runs = world.where(pull).runs.values()
    assert [(run.event, len(run.attempts)) for run in runs] == [(run.event, 1) for run in runs]
    assert {run.event for run in runs} <= {"push", "pull_request"}
    started = {row.data["type"] for row in await world.journal() if row.kind == "action.started"}
    assert not started & {"rerun-jobs", "start-probe"}


async def test_a_base_on_which_another_ci_fails_alike_is_to_blame(world):
    """The same annotation stands on the base's own check run: it is not this pull request's failure."""
    await shop(world)
    base = world.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    output = {"title": "1 problem", "summary": "One problem.", "annotations": [annotation()]}
    world.people.report_check(base, "lint", "failure", ci="Linter", output=output)
    await world.settle()
    pull = world.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    world.people.report_check(pull, "lint", "failure", ci="Linter", output=output)
    await world.settle()
    assert "**Not this pull request: `no-magic-number` fails in the same way on a clean `main`**" in world.said(pull)


async def test_what_another_ci_says_is_inert_and_masked(calm):
    """Its Markdown, mentions and secrets reach nobody."""
    pull = await opened(calm)
    title = "@octo/everyone [click](https://evil.test) ghp_" + "a1" * 18
    output = {"title": title, "summary": "-"}
    calm.people.report_check(pull, "evil", "failure", output=output, details_url="https://ci.test/) [x](https://e.test")
    await calm.settle()
    comment = calm.said(pull).partition("failres:sticky")[2]
    inert = "`@octo/everyone [click](https://evil.test) [masked github-token]`"
    assert inert in comment
    assert "evil.test" not in comment.replace(inert, "")
    assert "e.test" not in comment.replace(inert, "")


async def test_a_forks_pull_request_hears_of_another_ci_too(calm):
    """GitHub names no pull request of a fork in a check run's delivery; the head says whose it is."""
    await shop(calm)
    pull = calm.people.open_pull("docs", {"README.md": "more"}, by="outsider", fork=True)
    await calm.settle()
    calm.people.report_status(pull, "ci/coverage", "failure", "40%")
    await calm.settle()
    assert "`ci/coverage` failed: `40%`" in calm.said(pull)


async def test_an_installation_that_has_not_granted_statuses_yet_is_still_told_of_check_runs(calm):
    """A right that is missing degrades what needs it; the regular look finds the check run that no webhook told of."""
    calm.sandbox.ci.job("unit", unit)
    calm.repo("shop", RIGHT, {"ci.yml": ("unit",)})
    for installation in calm.sandbox.github.installations.values():
        installation.permissions.pop("statuses", None)
    pull = calm.people.open_pull("docs", {"README.md": "more"}, title="Say more")
    await calm.settle()
    with calm.people.quietly():
        calm.people.report_check(pull, "e2e", "failure", output={"title": "No answer", "summary": "-"})
        calm.people.report_status(pull, "ci/coverage", "failure", "40%")
    await calm.settle(1_500.0)
    assert "`other-ci / e2e` failed: `No answer`" in calm.said(pull)
    assert "ci/coverage" not in calm.said(pull)
