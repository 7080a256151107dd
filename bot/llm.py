"""The model call: any endpoint that speaks OpenAI's chat completions, through OpenAI's own client (specification, 10).

The client is an optional extra and is imported only where an endpoint is configured. One call is one request: nothing
is retried here, no redirect is followed, no tools are offered, and what comes back is read as one answer or as silence.
The endpoint's own words never go further than that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from bot.llm_wire import bounded, not_taken
from bot.settings import Settings
from resolver.facts.model import Usage
from resolver.llm import Prompt, Reply, Silent, read_answer

if TYPE_CHECKING:
    from openai import AsyncOpenAI

log = logging.getLogger(__name__)

CLIENT: Final = "openai"
"""What has to be installed for the model rung; it is the extra `llm` of failres."""

NO_KEY: Final = "none"
"""What is sent to an endpoint that asks for no key; the client insists on one."""


@dataclass(frozen=True, slots=True)
class Replied:
    """What one call came to, and what it cost."""

    reply: Reply
    usage: Usage = field(default_factory=Usage)


class Model:
    """A model behind an endpoint. Made by `open_model`; `close` ends its connections, where there were any."""

    def __init__(self, connect: Callable[[], AsyncOpenAI], name: str, timeout: float) -> None:
        self._connect, self._name, self._timeout = connect, name, timeout
        self._client: AsyncOpenAI | None = None

    async def ask(self, prompt: Prompt) -> Replied:
        """Ask once. Whatever goes wrong is a value: there is no answer then."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            self._client = self._client or self._connect()
            async with asyncio.timeout(self._timeout):
                came = await self._client.chat.completions.create(
                    model=self._name,
                    messages=[
                        {"role": "system", "content": prompt.instructions},
                        {"role": "user", "content": prompt.material},
                    ],
                )
            text = came.choices[0].message.content
            usage = _usage(came, clock() - begun)
        except Exception as problem:  # noqa: BLE001 an endpoint is a stranger: whatever it sends, people are asked
            log.warning("the model did not answer: %s", type(problem).__name__)
            return Replied(Silent(why=_why(problem, self._timeout)), Usage(seconds=_rounded(clock() - begun)))
        return Replied(read_answer(text if isinstance(text, str) else ""), usage)

    async def close(self) -> None:
        """End the connections."""
        if self._client is not None:
            await self._client.close()


@asynccontextmanager
async def open_model(settings: Settings) -> AsyncIterator[Model | None]:
    """Give the model that the settings name; None where they name none, or where its client is not installed."""
    model = _model(settings) if settings.llm_url else None
    try:
        yield model
    finally:
        if model is not None:
            await model.close()


def _model(settings: Settings) -> Model | None:
    try:
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient  # noqa: PLC0415 an optional extra, and slow to import
    except ImportError:
        log.warning(
            "llm_url is set, but the client for it is not installed, so the model is asked nothing and people decide."
            " Install it beside failres: pip install %s",
            CLIENT,
        )
        return None

    def connect() -> AsyncOpenAI:
        """Make the client when it is first needed: reading the system's certificates takes a while."""
        key = settings.llm_key.get_secret_value() or NO_KEY
        return AsyncOpenAI(
            base_url=settings.llm_url,
            api_key=key,
            timeout=settings.llm_timeout,
            max_retries=0,
            http_client=bounded(DefaultAsyncHttpxClient, key),
        )

    return Model(connect, settings.llm_model, settings.llm_timeout)


def _why(problem: Exception, timeout: float) -> str:
    """Say in our words what went wrong; the endpoint's own words could be anybody's."""
    status = getattr(problem, "status_code", None)
    if isinstance(status, int):
        return f"the endpoint answered {status}"
    taken = not_taken(problem)
    if taken is not None:
        return taken
    name = type(problem).__name__
    if isinstance(problem, TimeoutError) or name == "APITimeoutError":
        return f"nothing came within {timeout:g} s"
    if name == "APIConnectionError":
        return "the endpoint cannot be reached"
    return "what came is no chat completion"


def _usage(came: Any, seconds: float) -> Usage:
    """Read what the endpoint says of itself; what it leaves out or misspells counts as not said."""
    told = getattr(came, "usage", None)
    cost = getattr(told, "cost", None)
    return Usage(
        model=str(getattr(came, "model", "") or "")[:100],
        prompt_tokens=_count(getattr(told, "prompt_tokens", 0)),
        completion_tokens=_count(getattr(told, "completion_tokens", 0)),
        seconds=_rounded(seconds),
        cost=float(cost) if isinstance(cost, int | float) and 0 <= cost < 1e9 else None,
    )


def _count(value: Any) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 53 else 0


def _rounded(seconds: float) -> float:
    return round(seconds, 3)
