"""The store in a process of its own that is killed with SIGKILL at random moments: what was acknowledged is done, once."""

from __future__ import annotations

import asyncio
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from store_victim import KEYS, noted

from bot.clock import SystemClock
from bot.store import open_store

PATIENCE = 90.0


def _start(directory: Path, count: int) -> subprocess.Popen[bytes]:
    script = Path(__file__).with_name("store_victim.py")
    root = script.parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), *filter(None, sys.path)])}
    return subprocess.Popen([sys.executable, str(script), str(directory), str(count)], env=environment)


def _await_start(directory: Path, nth: int) -> None:
    until = time.monotonic() + PATIENCE
    while len(noted(directory / "starts")) < nth:
        assert time.monotonic() < until, "the victim did not start"
        time.sleep(0.01)


@pytest.mark.parametrize(("kills", "count"), [(2, 40), pytest.param(20, 400, marks=pytest.mark.soak)])
def test_what_was_acknowledged_is_done_once(tmp_path: Path, kills: int, count: int) -> None:
    """Killed and started again, it loses no acknowledged delivery, doubles no record or effect, and its chains hold."""
    moments = random.Random(kills)
    for nth in range(1, kills + 1):
        victim = _start(tmp_path, count)
        _await_start(tmp_path, nth)
        time.sleep(moments.uniform(0.02, 0.4))
        victim.kill()
        victim.wait()
    assert _start(tmp_path, count).wait(PATIENCE) == 0

    async def read() -> tuple[list[str], dict[str, int]]:
        store = await open_store(f"sqlite:///{tmp_path}/state/failres.db", SystemClock(), reading=True)
        guids = [row.data["guid"] for n in range(KEYS) async for row in store.records(f"repo:{n}")]
        counts = await store.counts()
        await store.close()
        return guids, counts

    guids, counts = asyncio.run(read())
    acked = noted(tmp_path / "acked")
    assert set(acked) == {f"guid-{n}" for n in range(count)}
    assert sorted(guids) == sorted([*set(acked), *(f"outcome:{guid}" for guid in set(acked))])
    assert sorted(noted(tmp_path / "effects")) == sorted(set(acked))
    assert (counts["deliveries_open"], counts["orders"], counts["due"]) == (0, 0, 0)
