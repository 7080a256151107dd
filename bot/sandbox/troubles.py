"""What a fault does to a request: an answer instead, no answer, an old answer, or a late one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import assert_never

from aiohttp import web

from bot.clock import Clock
from bot.sandbox.faults import UNICORN, Fault

Carry = Callable[[], Awaitable[web.StreamResponse]]


async def befall(
    fault: Fault, clock: Clock, request: web.Request, carry_out: Carry, old_answer: Callable[[], web.Response]
) -> web.StreamResponse:
    """Let a fault happen to a request; `carry_out` does what was asked, `old_answer` is a lagging replica's."""
    await clock.sleep(fault.seconds)
    match fault.how:
        case "answer":
            return _answer(fault)
        case "drop":
            return _hang_up(request)
        case "stale":
            return old_answer()
        case "delay":
            return await carry_out()
        case "lose":
            await carry_out()
            return _hang_up(request)
        case "replace":
            await carry_out()
            return _answer(fault)
        case _:
            assert_never(fault.how)


def _answer(fault: Fault) -> web.Response:
    if fault.body is None and fault.status == 502:
        return web.Response(status=502, text=UNICORN, content_type="text/html", headers=fault.headers)
    if isinstance(fault.body, str):
        return web.Response(status=fault.status, text=fault.body, content_type="text/html", headers=fault.headers)
    body = fault.body if fault.body is not None else {"message": "Not Found" if fault.status == 404 else "Server Error"}
    return web.json_response(body, status=fault.status, headers=fault.headers)


def _hang_up(request: web.Request) -> web.Response:
    """End the connection without an answer."""
    if request.transport is not None:
        request.transport.close()
    return web.Response(status=500)
