"""How fast deliveries are acknowledged once they are stored: `python bench/intake.py [--json]`.

(1) 32 clients, as fast as they can: deliveries a second of the real intake over a SQLite file, as a ratio to a bare
aiohttp + gidgethub handler that checks the signature and stores nothing; rounds alternate in the same run, so that a
noisy machine disturbs both. Goal 0.5. (2) 200 deliveries a second, spread evenly: the 99th percentile from the time at
which a delivery was due to its 202. Goal under 50 ms. Beside them stand figures that tell a slow product from a busy
machine: the bare handler's own 99th percentile, the processor time of each server for a delivery and its ratio, and how
long the disk takes to sync.

Each server has a process of its own; every delivery is a workflow_job of about 9 KB from one of 1,000 repositories,
with a fresh GUID.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import hashlib
import hmac
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from aiohttp import web
from gidgethub import sansio

from bot.clock import SystemClock
from bot.intake import IntakeRules
from bot.server import Intake, make_app, make_runner
from bot.store import open_store

SECRET = "a secret of the benchmark"
EXAMPLES = Path(__file__).parents[1] / "tests" / "server" / "examples" / "webhooks.json.gz"


@dataclass(frozen=True)
class Plan:
    """How much is done. Times in seconds."""

    clients: int = 32
    rounds: int = 5
    per_round: int = 4_000
    repositories: int = 1_000
    rate: int = 200
    paced_for: float = 10.0
    goal_ratio: float = 0.5
    goal_p99_ms: float = 50.0


async def real_app(directory: str) -> web.Application:
    """The product's intake over a store on disk."""
    store = await open_store(f"sqlite:///{directory}/failres.db", SystemClock())
    return make_app(Intake(store, IntakeRules((SECRET.encode(),))))


async def bare_app(_: str) -> web.Application:
    """The least that answers a webhook: gidgethub checks and reads it, nothing is kept."""

    async def hook(request: web.Request) -> web.Response:
        body = await request.read()
        event = sansio.Event.from_http(request.headers, body, secret=SECRET)
        return web.json_response({"message": event.event}, status=202)

    app = web.Application(client_max_size=25 * 1024 * 1024)
    app.router.add_post("/webhook", hook)
    return app


def serve(make: Callable[[str], Coroutine[Any, Any, web.Application]], directory: str, pipe: Connection) -> None:
    """Run one server until the pipe says so."""

    async def run() -> None:
        runner = make_runner(await make(directory))
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        pipe.send(runner.addresses[0][1])
        while await asyncio.get_running_loop().run_in_executor(None, pipe.recv) != "stop":
            pipe.send(time.process_time())
        await runner.cleanup()

    asyncio.run(run())


@dataclass(frozen=True)
class Server:
    """A server in a process of its own."""

    port: int
    pipe: Connection

    def cpu(self) -> float:
        """Seconds of processor time that it has used so far."""
        self.pipe.send("cpu")
        used: float = self.pipe.recv()
        return used


@contextmanager
def server(make: Callable[[str], Coroutine[Any, Any, web.Application]]) -> Iterator[Server]:
    """A running server."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    with tempfile.TemporaryDirectory() as directory:
        process = context.Process(target=serve, args=(make, directory, theirs), daemon=True)
        process.start()
        try:
            yield Server(ours.recv(), ours)
        finally:
            ours.send("stop")
            process.join(10)


def bodies(plan: Plan) -> list[tuple[bytes, str]]:
    """(body, signature) per repository."""
    payload = json.loads(gzip.decompress(EXAMPLES.read_bytes()))["workflow_job"][0]
    made = []
    for number in range(plan.repositories):
        payload["repository"]["id"] = 1_000_000 + number
        body = json.dumps(payload).encode()
        made.append((body, hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()))
    return made


def deliveries(count: int, made: list[tuple[bytes, str]]) -> list[bytes]:
    """Whole HTTP requests, made before the clock runs."""
    requests = []
    for number in range(count):
        body, signature = made[number % len(made)]
        lines = [
            "POST /webhook HTTP/1.1",
            "Host: bot",
            "User-Agent: GitHub-Hookshot/044aadd",
            "Content-Type: application/json",
            "X-GitHub-Event: workflow_job",
            f"X-GitHub-Delivery: {uuid.uuid4()}",
            f"X-Hub-Signature-256: sha256={signature}",
            f"Content-Length: {len(body)}",
        ]
        head = "\r\n".join([*lines, "", ""])
        requests.append(head.encode() + body)
    return requests


class Client:
    """One kept connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def post(self, request: bytes) -> None:
        """Send and wait for the 202."""
        self._writer.write(request)
        head = await self._reader.readuntil(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 202"):
            raise RuntimeError(head.decode())
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await self._reader.readexactly(int(length.split(b":")[1]))


async def clients(port: int, count: int) -> list[Client]:
    """Connections, opened before the clock runs."""
    return [Client(*await asyncio.open_connection("127.0.0.1", port)) for _ in range(count)]


class Flood(NamedTuple):
    """Deliveries a second, and the server's processor time for one in microseconds."""

    rate: float
    cpu: float


async def flood(server: Server, plan: Plan, made: list[tuple[bytes, str]]) -> Flood:
    """As fast as the clients can."""
    waiting = iter(deliveries(plan.per_round, made))
    opened = await clients(server.port, plan.clients)

    async def post_all(client: Client) -> None:
        for request in waiting:
            await client.post(request)

    start, used = time.perf_counter(), server.cpu()
    await asyncio.gather(*(post_all(client) for client in opened))
    took = time.perf_counter() - start
    return Flood(plan.per_round / took, (server.cpu() - used) / plan.per_round * 1e6)


async def pace(server: Server, plan: Plan, made: list[tuple[bytes, str]]) -> list[float]:
    """Milliseconds from when each delivery was due to its acknowledgement, at a steady rate."""
    requests = deliveries(int(plan.rate * plan.paced_for), made)
    free: asyncio.Queue[Client] = asyncio.Queue()
    for client in await clients(server.port, plan.clients):
        free.put_nowait(client)
    took: list[float] = []

    async def post(request: bytes, due: float) -> None:
        client = await free.get()
        await client.post(request)
        took.append((time.perf_counter() - due) * 1000)
        free.put_nowait(client)

    start = time.perf_counter() + 0.2
    async with asyncio.TaskGroup() as tasks:
        for number, request in enumerate(requests):
            due = start + number / plan.rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.create_task(post(request, due))
    return sorted(took)


def sync_ms() -> float:
    """How long this disk takes to sync 64 KiB, in milliseconds: the median of 20."""
    took = []
    with tempfile.TemporaryFile(buffering=0) as file:
        for _ in range(20):
            file.write(bytes(65_536))
            start = time.perf_counter()
            os.fsync(file.fileno())
            took.append((time.perf_counter() - start) * 1000)
    return statistics.median(took)


def quantile(ordered: list[float], part: float) -> float:
    """The value below which that part of them lies."""
    return round(ordered[min(int(len(ordered) * part), len(ordered) - 1)], 2)


async def measure(plan: Plan) -> dict[str, Any]:
    """All figures."""
    made = bodies(plan)
    load = os.getloadavg()[0]
    with server(bare_app) as bare, server(real_app) as real:
        pairs = [(await flood(bare, plan, made), await flood(real, plan, made)) for _ in range(plan.rounds)]
        nothing, took = await pace(bare, plan, made), await pace(real, plan, made)
    ratio = statistics.median(stored.rate / empty.rate for empty, stored in pairs)
    return {
        "loadBefore": round(load, 2),
        "loadAfter": round(os.getloadavg()[0], 2),
        "diskSyncMs": round(sync_ms(), 2),
        "bareAcknowledgedPerSecond": round(statistics.median(empty.rate for empty, _ in pairs)),
        "storedAcknowledgedPerSecond": round(statistics.median(stored.rate for _, stored in pairs)),
        "ratio": round(ratio, 3),
        "ratios": [round(stored.rate / empty.rate, 3) for empty, stored in pairs],
        "bareCpuMicroseconds": round(statistics.median(empty.cpu for empty, _ in pairs)),
        "storedCpuMicroseconds": round(statistics.median(stored.cpu for _, stored in pairs)),
        "cpuRatio": round(statistics.median(empty.cpu / stored.cpu for empty, stored in pairs), 3),
        "pacedPerSecond": plan.rate,
        "bareP99Ms": quantile(nothing, 0.99),
        "p50Ms": quantile(took, 0.5),
        "p99Ms": quantile(took, 0.99),
        "maxMs": quantile(took, 1.0),
        "ok": ratio >= plan.goal_ratio and quantile(took, 0.99) < plan.goal_p99_ms,
    }


def main() -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    options = parser.parse_args()
    figures = asyncio.run(measure(Plan()))
    if options.json:
        print(json.dumps(figures))
    else:
        print("\n".join(f"{name}: {value}" for name, value in figures.items()))
    return 0 if figures["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
