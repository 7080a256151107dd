"""Lists with an end: nothing is left out without its number."""

import pytest

from bot.words.lists import listed, rows


@pytest.mark.parametrize(
    ("names", "told"), [((), ""), (("a",), "a"), (("a", "b"), "a, b"), (("a", "b", "c", "d"), "a, b and 2 more")]
)
def test_a_list_in_a_sentence(names, told):
    """As many as may be are named; what is left out is counted."""
    assert listed(names, 2) == told


@pytest.mark.parametrize(
    ("told", "beyond", "shown"),
    [
        ((), 0, []),
        (("a", "b"), 0, ["a", "b"]),
        (("a", "b", "c"), 0, ["a", "b", "- … and 1 more"]),
        (("a",), 3, ["a", "- … and 3 more"]),
        (("a", "b", "c"), 3, ["a", "b", "- … and 4 more"]),
    ],
)
def test_a_list_of_lines(told, beyond, shown):
    """What was not even kept counts as well, however few are there."""
    assert rows(told, 2, last="- {}".format, beyond=beyond) == shown
