"""
A small bot for `test_store_sigkill`: it is killed without warning, again and again.

`python store_victim.py DIRECTORY COUNT`: receives COUNT deliveries, noting each in the file `acked` once it was told to
be durable; turns them into records and orders; notes each effect in the file `effects` before it reports it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from bot.clock import SystemClock
from bot.store import Delivery, Entry, LeasedOrder, Order, Store, open_store

KEYS = 4
LEASE_SECONDS = 60.0


def note(file: Path, line: str) -> None:
    """Append a line that survives this process; not the machine, which is not killed here."""
    with file.open("a") as out:
        out.write(line + "\n")


def noted(file: Path) -> list[str]:
    """All whole lines of the file."""
    return file.read_text().splitlines() if file.exists() else []


async def produce(store: Store, directory: Path, count: int) -> None:
    """Send what was not acknowledged yet, as GitHub would be asked to do again; a third of it twice."""
    acked = set(noted(directory / "acked"))
    for n in range(count):
        guid = f"guid-{n}"
        if guid in acked and n % 3:
            continue
        await store.receive(Delivery(guid, "push", f"repo:{n % KEYS}", "{}"))
        if guid not in acked:
            note(directory / "acked", guid)


async def consume(store: Store, directory: Path, produced: asyncio.Event) -> None:
    """Turns and workers, until nothing is left."""
    bell = store.awake.listen()
    while True:
        bell.clear()
        leases = await store.claim(2, LEASE_SECONDS)
        for lease in leases:
            async with store.unit(lease) as unit:
                rows = await unit.deliveries(lease.key, 5)
                await unit.append(lease.key, [Entry(row.event, {"guid": row.guid}) for row in rows])
                pushes = [row.guid for row in rows if row.event == "push"]
                await unit.enqueue([Order(lease.key, g, g, "write:1", True, 20, 0.0, "{}") for g in pushes])
                await unit.handled([row.guid for row in rows])
            await store.release(lease, 0.0 if len(rows) == 5 else None)
        orders = await store.claim_orders(2, LEASE_SECONDS)
        for taken in orders:
            await work(store, directory, taken)
        if not leases and not orders:
            if produced.is_set():
                return
            await bell.wait()


async def work(store: Store, directory: Path, taken: LeasedOrder) -> None:
    """Carry an order out once: on a second attempt look whether the first was seen."""
    action = taken.order.action_key
    if taken.attempts == 1 or action not in noted(directory / "effects"):
        note(directory / "effects", action)
    await store.finish_order(taken, Delivery(f"outcome:{action}", "outcome", taken.order.key, "{}"))


async def main(directory: Path, count: int) -> None:
    """Live until all is done."""
    store = await open_store(f"sqlite:///{directory}/state/failres.db", SystemClock())
    await store.forget_leases()
    await store.rebuild_due()
    note(directory / "starts", str(os.getpid()))
    produced = asyncio.Event()

    async def all_of_it() -> None:
        await produce(store, directory, count)
        produced.set()
        store.awake.set()

    await asyncio.gather(all_of_it(), consume(store, directory, produced))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
