"""A small real Python project: its workflow installs nothing and runs pytest for real."""

from __future__ import annotations

CART = '''\
"""A cart and what it costs."""


def total(prices, discount=0):
    """Sum of the prices less a discount in percent."""
    full = sum(prices)
    return full - full * discount // 100
'''

WRONG_CART = CART.replace("full * discount // 100", "discount")

TESTS = """\
from shop.cart import total


def test_an_empty_cart_costs_nothing():
    assert total([]) == 0


def test_a_discount_is_in_percent():
    assert total([100, 100], discount=10) == 180
"""

WORKFLOW = """\
name: ci
on:
  push:
    branches: [main]
  pull_request:
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Test
        run: python -m pytest -p no:cacheprovider
        env:
          PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1"
"""

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": CART,
    "tests/test_cart.py": TESTS,
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["."]\n',
}
