"""A repository whose team lets failres act: its configuration, its check, and what the check prints."""

from __future__ import annotations

from bot.sandbox.ci.runner.function_job import Outcome, Tree, failed, passed

CONFIG = """\
managed:
  branches: ["**"]
mode:
  rerun: act
  probe: act
  sync: act
"""

RIGHT = "def total(prices, percent):\n    return sum(prices) * (100 - percent) // 100\n"
WRONG = "def total(prices, percent):\n    return sum(prices) - percent\n"
TEST = "from shop import total\n\n\ndef test_discount():\n    assert total([100, 100], 10) == 180\n"

ON_PUSH = """\
name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  unit:
    runs-on: ubuntu-latest
    permissions:
      contents: read
    steps:
      - uses: actions/checkout@v4
      - run: make unit
"""
"""The base is tested at each push: its result is there when it is asked for."""

ON_DEMAND = ON_PUSH.replace("  push:\n    branches: [main]\n", "  workflow_dispatch:\n")
"""The base is tested only on demand: asking it takes a probe."""

GREEN = ("tests/test_shop.py .                                                     [100%]", "1 passed in 0.02s")

RED = (
    "tests/test_shop.py F                                                     [100%]",
    "=================================== FAILURES ===================================",
    "________________________________ test_discount _________________________________",
    "    def test_discount():",
    ">       assert total([100, 100], 10) == 180",
    "E       assert 190 == 180",
    "tests/test_shop.py:5: AssertionError",
    "=========================== short test summary info ============================",
    "FAILED tests/test_shop.py::test_discount - assert 190 == 180",
    "============================== 1 failed in 0.02s ===============================",
)


def unit(tree: Tree) -> Outcome:
    """The suite: red while a discount is not a percentage."""
    return passed(*GREEN) if "100 - percent" in tree.read("shop.py") else failed(*RED)


def files(shop: str = RIGHT, config: str = CONFIG) -> dict[str, str]:
    """The repository's files."""
    return {"shop.py": shop, "tests/test_shop.py": TEST, ".github/failres.yml": config}
