"""The model call against endpoints that behave and that do not: an answer, or silence with its reason, never more."""

from __future__ import annotations

import asyncio
import gzip
import json
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.cli.scenarios.model_endpoint import KEY, completion, open_endpoint, proposal
from bot.llm import open_model
from bot.settings import Settings
from resolver.llm import Broken, LlmAnswer, Prompt, Silent

PROMPT = Prompt(instructions="Choose.", material="It failed.")
GOOD = LlmAnswer(action="resume", rationale="a mirror was away", confidence="high")


@asynccontextmanager
async def model_at(url, **given):
    """A model behind that address."""
    given = {"llm_url": url, "llm_model": "small", "llm_timeout": 20.0, **given}
    basics = {"app_id": "1", "private_key": SecretStr("x"), "webhook_secrets": (SecretStr("x"),)}
    async with open_model(Settings(**basics, **given)) as model:
        assert model is not None
        yield model


@asynccontextmanager
async def serving(handler):
    """An endpoint that answers so."""

    async def answer(request):
        return await handler(request)

    app = web.Application()
    app.router.add_route("*", "/{any:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


async def test_f10_one_request_without_tools_and_what_it_cost():
    """One request: two messages, the model's name, the key; nothing else, and no tools."""
    async with open_endpoint(lambda _: proposal("resume", "a mirror was away")) as endpoint:
        async with model_at(endpoint.url, llm_key=KEY) as model:
            replied = await model.ask(PROMPT)
        assert replied.reply == GOOD
        cost = replied.usage
        assert (cost.model, cost.prompt_tokens, cost.completion_tokens, cost.cost) == ("small", 900, 30, None)
        assert cost.seconds > 0
        assert endpoint.heard == [
            {
                "model": "small",
                "messages": [{"role": "system", "content": "Choose."}, {"role": "user", "content": "It failed."}],
            }
        ]


async def test_an_endpoint_that_asks_for_no_key():
    """No key of anybody's is sent: none of the environment's either."""
    seen = []

    async def answer(request):
        seen.append(request.headers.get("Authorization"))
        return web.json_response(completion(proposal("resume", "a mirror was away"), "small"))

    async with serving(answer) as url, model_at(url) as model:
        assert (await model.ask(PROMPT)).reply == GOOD
    assert seen == ["Bearer none"]


async def test_f10_nothing_of_the_environment_is_told(monkeypatch):
    """The client reads an organisation, a project and headers from the environment: an endpoint hears of none."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    seen = []

    async def answer(request):
        seen.append((str(request.url), dict(request.headers), await request.text()))
        return web.json_response(completion(proposal("resume", "a mirror was away"), "small"))

    async with serving(answer) as url, model_at(url, llm_key=KEY) as model:
        assert (await model.ask(PROMPT)).reply == GOOD
    (told,) = seen
    assert "of-the-environment" not in str(told)
    assert told[1]["Authorization"] == f"Bearer {KEY}"


ENVIRONMENT = {
    "OPENAI_API_KEY": "sk-of-the-environment",
    "OPENAI_ADMIN_KEY": "sk-admin-of-the-environment",
    "OPENAI_ORG_ID": "org-of-the-environment",
    "OPENAI_PROJECT_ID": "proj-of-the-environment",
    "OPENAI_BASE_URL": "http://of-the-environment.invalid/v1",
    "OPENAI_CUSTOM_HEADERS": "Authorization: Bearer of-the-environment\nX-Team: of-the-environment",
}


async def endless(request, status=200, **headers):
    """An answer that never ends, as fast as it is taken."""
    response = web.StreamResponse(status=status, headers={"Content-Type": "application/json", **headers})
    await response.prepare(request)
    with suppress(ConnectionError):
        while True:
            await response.write(b" " * (1 << 16))
    return response


def bomb(_):
    """A little that is a lot once it is unpacked."""
    packed = gzip.compress(b" " * (8 << 20))
    return _bytes(packed, **{"Content-Type": "application/json", "Content-Encoding": "gzip"})


LONG = {
    "endless": (endless, "the answer is longer than 4 MiB"),
    "an endless fault": (partial(endless, status=500), "the answer is longer than 4 MiB"),
    "an endless refusal": (partial(endless, status=429, **{"Retry-After": "1"}), "the answer is longer than 4 MiB"),
    "compressed": (bomb, "the endpoint answered compressed, though it was asked not to"),
}


@pytest.mark.parametrize(("answer", "why"), LONG.values(), ids=LONG)
async def test_an_answer_is_taken_only_up_to_a_length(answer, why):
    """Long before the time is over: an endpoint cannot fill the memory, whatever its status or its compression."""
    async with serving(answer) as url, model_at(url) as model:
        assert (await model.ask(PROMPT)).reply == Silent(why=why)


def told(**changes):
    """A completion, changed."""
    return {**completion(proposal("resume", "a mirror was away"), "small"), **changes}


def message(**content):
    """A completion whose message has that."""
    return told(choices=[{"index": 0, "message": {"role": "assistant", **content}, "finish_reason": "stop"}])


ANSWERS = {
    "a cost": (told(usage={"prompt_tokens": 9, "completion_tokens": 1, "cost": 0.25}), GOOD),
    "no usage": (told(usage=None), GOOD),
    "a usage of nonsense": (told(usage={"prompt_tokens": "many", "completion_tokens": -4, "cost": "dear"}), GOOD),
    "a model of nonsense": (told(model=["small"]), GOOD),
    "no text": (message(content=None), Broken(why="it is no JSON object with each key once")),
    "a refusal": (message(content=None, refusal="no"), Broken(why="it is no JSON object with each key once")),
    "parts": (message(content=[{"type": "text", "text": "{}"}]), Broken(why="it is no JSON object with each key once")),
    "a tool": (message(content="", tool_calls=[{"id": "1", "type": "function", "function": {"name": "sh", "arguments": "rm"}}]), Broken(why="it is no JSON object with each key once")),
    "a fence": (message(content="```json\n{}\n```"), Broken(why="it is no JSON object with each key once")),
    "another key": (message(content='{"action":"resume","rationale":"x","confidence":"high","command":"rm"}'), Broken(why="it has a key that is not asked for")),
    "a long text": (message(content="x" * 100_000), Broken(why="it is too long")),
    "no choices": (told(choices=[]), Silent(why="what came is no chat completion")),
    "choices of nothing": (told(choices=None), Silent(why="what came is no chat completion")),
    "a list": ([1], Silent(why="what came is no chat completion")),
    "a text": ("hello", Silent(why="what came is no chat completion")),
}  # fmt: skip


@pytest.mark.parametrize(("body", "reply"), ANSWERS.values(), ids=ANSWERS)
async def test_what_an_endpoint_may_send(body, reply):
    """Whatever the shape, it is an answer, one that does not fit, or silence."""
    async with serving(lambda _: _json(body)) as url, model_at(url) as model:
        replied = await model.ask(PROMPT)
    assert replied.reply == reply
    assert replied.usage.prompt_tokens >= 0
    assert replied.usage.cost in (None, 0.25)


async def _json(body, status=200, **headers):
    return web.Response(text=json.dumps(body), status=status, content_type="application/json", headers=headers)


async def _bytes(body, **headers):
    return web.Response(body=body, headers=headers)


async def _raw(text, content_type="application/json"):
    return web.Response(text=text, content_type=content_type)


TROUBLES = {
    "no such key": (lambda _: _json({"error": {"message": "your key ghp_SECRET is wrong"}}, 401), "the endpoint answered 401"),
    "too many": (lambda _: _json({"error": "slow down"}, 429, **{"Retry-After": "1"}), "the endpoint answered 429"),
    "a fault": (lambda _: _json({"error": "oops"}, 500), "the endpoint answered 500"),
    "elsewhere": (lambda _: _json({}, 307, Location="https://elsewhere.example/v1/chat/completions"), "the endpoint answered 307"),
    "a page": (lambda _: _raw("<html>Log in</html>", "text/html"), "what came is no chat completion"),
    "no JSON": (lambda _: _raw("{"), "what came is no chat completion"),
    "nothing": (lambda _: _raw(""), "what came is no chat completion"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "why"), TROUBLES.values(), ids=TROUBLES)
async def test_troubles_are_silence(answer, why):
    """One request, nothing is tried again, no redirect is followed, and the endpoint's words are not repeated."""
    asked = []

    async def counting(request):
        asked.append(request.path)
        return await answer(request)

    async with serving(counting) as url, model_at(url) as model:
        assert (await model.ask(PROMPT)).reply == Silent(why=why)
    assert asked == ["/v1/chat/completions"]


async def test_an_answer_that_takes_too_long():
    """Silence and an answer in drops are given up alike: the time is that of the whole answer."""

    async def silent(_):
        await asyncio.Event().wait()

    async def dripping(request):
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.02)

    for handler in (silent, dripping):
        async with serving(handler) as url, model_at(url, llm_timeout=0.3) as model:
            assert (await model.ask(PROMPT)).reply == Silent(why="nothing came within 0.3 s")


async def test_nobody_is_there():
    """A refused connection is silence."""
    async with serving(lambda _: _json({})) as url:
        pass
    async with model_at(url) as model:
        assert (await model.ask(PROMPT)).reply == Silent(why="the endpoint cannot be reached")
