"""Where the store is: options that the reading commands share."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.clock import SystemClock
from bot.store import Store, open_store


def add_store_options(parser: argparse.ArgumentParser) -> None:
    """Add `--state` and `--url`."""
    place = parser.add_mutually_exclusive_group()
    place.add_argument("--state", metavar="DIR", type=Path, default=Path("state"), help="the server's state directory")
    place.add_argument("--url", metavar="URL", help="the store's address, for PostgreSQL")


@asynccontextmanager
async def reading_store(args: argparse.Namespace) -> AsyncIterator[Store]:
    """Open the store for reading, beside a running server. Raises `StoreUnavailable` with what to do."""
    url = args.url or f"sqlite:///{args.state.absolute() / 'failres.db'}"
    store = await open_store(url, SystemClock(), reading=True)
    try:
        yield store
    finally:
        await store.close()
