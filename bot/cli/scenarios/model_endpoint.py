"""An endpoint that speaks OpenAI's chat completions, on loopback: it says what it is told to say, and hears everything.

It stands where a model would: failres reaches it by its own client over HTTP, and knows nothing of it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

KEY = "sk-endpoint-0123456789abcdefghijkl"
"""What the endpoint wants to be shown; it must never stand in a prompt."""

Say = Callable[[str], str | None]
"""What is said to a prompt, by its material: the message's text, or None for silence."""


@dataclass
class ModelEndpoint:
    """The endpoint. `heard` are the bodies of all requests, in their order; `url` is where it listens."""

    say: Say
    url: str = ""
    heard: list[dict[str, Any]] = field(default_factory=list)
    strangers: int = 0

    def prompts(self, word: str = "") -> list[str]:
        """The whole text of each prompt in which a word stands."""
        told = ["\n".join(message["content"] for message in body["messages"]) for body in self.heard]
        return [text for text in told if word in text]

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one request."""
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            self.strangers += 1
            return web.json_response({"error": {"message": "who are you?"}}, status=401)
        body = await request.json()
        self.heard.append(body)
        said = self.say(body["messages"][-1]["content"])
        if said is None:
            await asyncio.Event().wait()
        return web.json_response(completion(said or "", str(body["model"])))


def completion(said: str, model: str) -> dict[str, Any]:
    """One chat completion, as the protocol has it."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": model,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 30, "total_tokens": 930},
    }


def proposal(action: str, rationale: str, confidence: str = "high") -> str:
    """An answer as the schema wants it."""
    return json.dumps({"action": action, "rationale": rationale, "confidence": confidence})


@asynccontextmanager
async def open_endpoint(say: Say) -> AsyncIterator[ModelEndpoint]:
    """Serve on a free port of loopback; whoever still waits for an answer is cut off at the end."""
    endpoint = ModelEndpoint(say)
    app = web.Application()
    app.router.add_post("/v1/chat/completions", endpoint.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        endpoint.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        yield endpoint
    finally:
        await runner.cleanup()


def settings(endpoint: ModelEndpoint, **changes: Any) -> Mapping[str, Any]:
    """The settings of a failres that may ask this endpoint."""
    return {"llm_url": endpoint.url, "llm_key": KEY, "llm_model": "small", **changes}
