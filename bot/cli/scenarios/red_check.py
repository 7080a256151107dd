"""`red-check`: a pull request breaks a test; failres says what and where; the author mends it; the comment resolves."""

from __future__ import annotations

from bot.cli.scenarios import shop
from bot.cli.scenarios.scenario import Scenario, check_run, comments, expect
from bot.cli.stage import Stage


async def play(stage: Stage) -> None:
    """Break a test, read what failres says, mend it."""
    repo = stage.repo("shop", shop.FILES, {"ci.yml": shop.WORKFLOW})
    await stage.settle()
    pull = stage.people.open_pull("faster-total", {"shop/cart.py": shop.WRONG_CART}, title="Make total faster")
    await stage.settle()

    red = pull.head_sha
    said = comments(stage, repo, pull)
    expect(len(said) == 1, "one comment stands on the pull request")
    expect("test_a_discount_is_in_percent" in said[0].body, "the comment names the failing test")
    shown = check_run(stage, repo, red)
    expect(shown is not None and shown.conclusion == "neutral", "a neutral check run failres stands on the head")
    marks = shown.annotations if shown else []
    expect(any(mark["path"] == "tests/test_cart.py" for mark in marks), "an annotation stands on the failing line")

    stage.people.push(
        "faster-total", {"shop/cart.py": shop.CART + "\n\nCURRENCY = 'EUR'\n"}, message="Mend the discount"
    )
    await stage.settle()
    said = comments(stage, repo, pull)
    expect(len(said) == 1, "no second comment was written")
    expect(said[0].minimized == "RESOLVED", "the comment is hidden as resolved")
    expect("Green again" in said[0].body, "the comment says that all is green again")
    expect(stage.sandbox.violations == [], "every request was one that GitHub knows and the App may make")


RED_CHECK = Scenario("red-check", "A pull request breaks a test and is told so; mended, the comment resolves.", play)
