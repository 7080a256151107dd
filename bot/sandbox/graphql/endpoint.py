"""
`POST /graphql`: parsed, checked against the schema, run.

GitHub: almost everything is HTTP 200, errors stand beside the data with a `type`; over the primary limit it is 200 with
RATE_LIMITED (GITHUB.md 5.25, 5.28). A query that does not fit the schema is a violation.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from importlib import resources
from typing import Any

from aiohttp import web
from graphql import DocumentNode, GraphQLError, GraphQLSchema, build_schema, execute, parse, validate

from bot.sandbox.api.call import Services
from bot.sandbox.auth import Caller
from bot.sandbox.changes.refusals import Refused
from bot.sandbox.graphql.failures import Failed
from bot.sandbox.graphql.roots import roots
from bot.sandbox.graphql.viewing import Viewing
from bot.sandbox.limits import Limited

JSON = dict[str, Any]
_KEPT_QUERIES = 128


@functools.cache
def _schema() -> GraphQLSchema:
    text = resources.files("bot.sandbox.description").joinpath("schema.graphql").read_text()
    return build_schema(text, assume_valid=True, assume_valid_sdl=True)


@functools.lru_cache(_KEPT_QUERIES)
def _read(query: str) -> tuple[DocumentNode, list[GraphQLError]]:
    """Parse and check a query; the same few come again and again."""
    document = parse(query)
    return document, validate(_schema(), document)


class GraphQL:
    """Answers GraphQL requests; `report` is told of each violation."""

    def __init__(self, services: Services, report: Callable[[str], None]) -> None:
        self._services = services
        self._report = report

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one request."""
        limits = self._services.limits
        try:
            caller = self._services.tokens.identify(request.headers.get("Authorization"))
        except Refused as refused:
            return _refused(refused.status, refused.message)
        if caller.token is None:
            return _refused(401, "This endpoint requires you to be authenticated.")
        text = (await request.read()).decode(errors="replace")
        limited = limits.check(caller.key, "graphql", write="mutation" in text)
        headers = limits.headers(caller.key, "graphql")
        if limited is not None:
            return _limited(limited, headers)
        return web.json_response(await self._run(caller, text), headers=headers)

    async def _run(self, caller: Caller, text: str) -> JSON:
        try:
            asked = json.loads(text)
            document, problems = _read(asked["query"])
        except (ValueError, KeyError, TypeError, GraphQLError) as error:
            self._report(f"graphql: {error}")
            return {"errors": [{"message": str(error)}]}
        if problems:
            for problem in problems:
                self._report(f"graphql: {problem.message}")
            return {"errors": [_shown(problem) for problem in problems]}
        return await self._execute(caller, document, asked.get("variables") or {}, asked.get("operationName"))

    async def _execute(self, caller: Caller, document: DocumentNode, variables: JSON, name: str | None) -> JSON:
        viewing = Viewing(self._services.github, caller, self._services.limits)
        running = execute(
            _schema(), document, root_value=roots(viewing), variable_values=variables, operation_name=name
        )
        result = running if not hasattr(running, "__await__") else await running
        answer: JSON = {} if result.data is None and result.errors else {"data": result.data}
        if result.errors:
            for error in result.errors:
                if not isinstance(error.original_error, Failed):
                    self._report(f"graphql: {error.message}")
            answer["errors"] = [_shown(error) for error in result.errors]
        return answer


def _refused(status: int, message: str) -> web.Response:
    return web.json_response({"message": message, "status": str(status)}, status=status)


def _shown(error: GraphQLError) -> JSON:
    shown: JSON = dict(error.formatted)
    original = error.original_error
    return {"type": original.kind, **shown} if isinstance(original, Failed) else shown


def _limited(limited: Limited, headers: dict[str, str]) -> web.Response:
    """GitHub: the primary limit is 200 with RATE_LIMITED, the secondary one 403 or 429 like REST's."""
    if headers["X-RateLimit-Remaining"] == "0" and not limited.headers and "secondary" not in limited.message:
        body = {"errors": [{"type": "RATE_LIMITED", "message": limited.message}]}
        return web.json_response(body, headers=headers)
    body_403 = {"message": limited.message, "status": str(limited.status)}
    return web.json_response(body_403, status=limited.status, headers={**headers, **limited.headers})
