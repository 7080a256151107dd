"""Where no merge is tested, the base of a task is where its branch left the base branch."""

import pytest

from bot.cli.scenarios import team
from bot.cli.scenarios.looking import classes, folded
from bot.cli.scenarios.whose import ITEM

CHECKOUT = "      - uses: actions/checkout@v4\n"
WITH_REF = CHECKOUT + "        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n"
WORKFLOWS = {
    "checkout-of-the-head": team.ON_PUSH.replace(CHECKOUT, WITH_REF),
    "push-of-the-branch": team.ON_PUSH.replace("    branches: [main]\n  pull_request:\n", ""),
}


@pytest.mark.parametrize("workflow", WORKFLOWS.values(), ids=WORKFLOWS)
async def test_c6_a_branch_from_a_broken_base_is_not_accused(calm, workflow):
    """The branch holds the base's defect, which was mended since: that is drift, and it is told of its rebase."""
    calm.sandbox.ci.job("unit", team.unit)
    repo = calm.repo("shop", team.files(), {"ci.yml": workflow})
    calm.people.push("main", {"shop.py": team.WRONG}, by="admin")
    await calm.settle()
    calm.people.push("docs", {"README.md": "ours"})
    calm.people.push("main", {"shop.py": team.RIGHT}, by="admin")
    await calm.settle()
    pull = calm.people.open_pull("docs", {"README.md": "more"})
    before = pull.head_sha
    await calm.settle()
    assert pull.head_sha != before
    state = await folded(calm, repo)
    assert [each.fingerprint is not None for each in state.pulls[pull.number].drifts] == [True]
    assert ITEM not in await classes(calm, pull)
    assert "failres rebased this branch onto `main`" in calm.said(pull)
