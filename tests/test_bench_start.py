"""The bench of a start still does what it says: both ways know the same, and its figures are there."""

from pathlib import Path

BENCH = Path(__file__).parents[1] / "bench"


async def test_a_small_start_is_measured(monkeypatch):
    """The snapshot was made and used: else the bench raises."""
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.syspath_prepend(str(BENCH.parent))
    from start import Plan, measure

    figures = await measure(Plan(records=600, after=100, pulls=3, jobs=10, rounds=1))
    assert figures["making"]["jobs"] > 100
    assert figures["making"]["meanwhile"]["loopP50Ms"] >= 0.0
    assert figures["fromSnapshot"]["seconds"] > 0.0
