"""The monorepo bench still speaks failres's language: a small one plays through, and its commands are answered."""

import sys
from pathlib import Path

BENCH = Path(__file__).parents[1] / "bench"


async def test_a_small_monorepo_plays_through(monkeypatch):
    """Every route that is asked exists, every command is answered, and the turns' processor time is told."""
    monkeypatch.syspath_prepend(str(BENCH))
    monkeypatch.syspath_prepend(str(BENCH.parent))
    from monorepo import Measures, measure
    from monorepo_world.plan import Plan

    plan = Plan(pulls=12, rate=1.0, log_lines=50, red_heads=0.5)
    measures = Measures(meeting=180.0, tick=5.0, command_every=30.0, real_seconds=1.5, real_delay=0.0)
    figures = await measure(plan, 2.0, measures)
    assert "monorepo_world.plan" in sys.modules
    for name in ("meeting", "hour", "real"):
        routes = figures[name]["callsByRoute"]
        assert not [route for route in routes if route.startswith("unknown")], routes
    assert figures["hour"]["commands"] == 4
    assert figures["hour"]["commandP99Seconds"] <= 30.0
    assert figures["hour"]["turnCpuP99Ms"] > 0.0
    assert figures["real"]["turns"] > 0
