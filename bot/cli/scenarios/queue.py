"""The merge queue: two changes that are fine alone and not together, and one that only stands behind them."""

from __future__ import annotations

from bot.cli.scenarios import team
from bot.cli.scenarios.looking import classes, told
from bot.cli.scenarios.scenario import Scenario, expect
from bot.cli.stage import Stage
from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed

WORKFLOW = team.ON_PUSH.replace("  pull_request:\n", "  pull_request:\n  merge_group:\n")
CONFIG = team.CONFIG + "flake:\n  mayLand: true\n"
ITEM = "tests/test_invoice.py::test_total"
HOUR = 3_600.0

PRICE = "def price(net):\n    return net\n"
INVOICE = "from price import price\n\n\ndef total(net):\n    return price(net)\n"
GROSS = PRICE.replace("return net", "return net * 119 // 100")
TAXED = INVOICE.replace("return price(net)", "return price(net) * 119 // 100")
TEST = "from invoice import total\n\n\ndef test_total():\n    assert total(100) in (100, 119)\n"


def unit(tree: Tree) -> Outcome:
    """The suite: red where the tax is added twice."""
    if "119" in tree.read("price.py") and "119" in tree.read("invoice.py"):
        return failed(f"FAILED {ITEM} - assert 141 in (100, 119)", "1 failed in 0.02s")
    return passed("tests/test_invoice.py .", "1 passed in 0.02s")


async def queue(stage: Stage) -> None:
    """Enqueue all three: the first lands, the second is told what it breaks, the third lands without a word."""
    stage.sandbox.ci.job("unit", unit)
    files = {"price.py": PRICE, "invoice.py": INVOICE, "tests/test_invoice.py": TEST, ".github/failres.yml": CONFIG}
    repo = stage.repo("shop", files, {"ci.yml": WORKFLOW})
    stage.people.merge_queue()
    stage.people.push("main", {"CHANGELOG.md": "first"}, by="admin")
    await stage.settle()
    stage.ready()
    first = stage.people.open_pull("prices", {"price.py": GROSS}, title="Prices with tax")
    second = stage.people.open_pull("invoices", {"invoice.py": TAXED}, by="maintainer", title="Invoices with tax")
    third = stage.people.open_pull("docs", {"README.md": "more"}, by="admin", title="Say more")
    await stage.settle()
    for pull in (first, second, third):
        stage.people.enqueue(pull, by=pull.author.login)
    await stage.later(2 * HOUR)
    expect(first.merged_at is not None, "the first has landed")
    expect(third.merged_at is not None, "who only stood behind the failure has landed")
    expect(second.state == "open" and not repo.queues["main"], "the second has left the queue")
    tried = [run for run in repo.runs.values() if run.event == "merge_group" and "/pr-2-" in (run.head_branch or "")]
    expect(len(tried) == 2, "it was enqueued once more before it was blamed")
    expect(await classes(stage, second) == {ITEM: "task-defect"}, "the verdict on the second is task-defect")
    expect("Merged onto `main`, this pull request breaks" in told(stage, second), "the comment on it says so")
    expect(not told(stage, first) and not told(stage, third), "the others are told nothing")
    expect(stage.sandbox.violations == [], "every request was one that GitHub knows and the App may make")


QUEUE = Scenario(
    "queue", "Two changes are fine alone and not together: the merge queue finds out, and who it was.", queue
)
