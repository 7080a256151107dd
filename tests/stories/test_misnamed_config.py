"""A configuration under a name that failres does not read is told of, where it comes and where it stands."""

from inline_snapshot import snapshot

from tests.stories.test_explaining import RIGHT, TESTS, WRONG, unit
from tests.stories.test_held_back import summary

CONFIG = "mode: {rerun: act}\n"
RENAMED = {".github/failres.yaml": None, ".github/failres.yml": CONFIG}


async def test_a_file_that_nothing_reads_is_told_of_where_it_comes_and_where_it_stands(world):
    """Whoever brings it is told in a comment and on the file until it has the right name; once it stands on the base,
    each check run says so, and one call more finds that out, only where there is no configuration.
    """
    world.sandbox.ci.job("unit", unit)
    world.repo("shop", {**RIGHT, **TESTS}, {"ci.yml": ("unit",)})
    pull = world.people.open_pull("configure", {".github/failres.yaml": CONFIG})
    await world.settle()
    assert world.said(pull) == snapshot("""\
✔ failres: neutral: failres does not read .github/failres.yaml
  .github/failres.yaml:1 failres does not read .github/failres.yaml: failres reads .github/failres.yml alone. Give the file that name, or remove it.

<!-- failres:sticky:1 -->

**failres does not read `.github/failres.yaml`.**

This pull request brings `.github/failres.yaml`, which has no effect: failres reads `.github/failres.yml` alone, as it stands on the base branch. Give the file that name, or remove it.

<sub>failres · commit ‹configure:1›</sub>\
""")
    world.people.push("configure", RENAMED)
    await world.settle()
    assert world.said(pull) == snapshot("""\
(hidden as resolved)
<!-- failres:sticky:1 -->

**The configuration is in order at `‹configure:2›`.**

<sub>failres · commit ‹configure:2›</sub>\
""")
    world.people.push("main", {"failres.yml": CONFIG}, by="admin")
    red = world.people.open_pull("discount", WRONG, title="Simplify the discount")
    await world.settle()
    assert (
        "The base branch has `failres.yml`, which failres does not read, and no `.github/failres.yml`: so every "
        "default holds."
    ) in summary(world, red)
    assert "failres.yml" not in world.said(red).partition("failres:sticky")[2], "its author did not bring it"
    world.people.push("main", {"failres.yml": None, ".github/failres.yml": CONFIG}, by="admin")
    await world.settle()
    assert "does not read" not in summary(world, red)
