"""What goes over the wire to a model's endpoint and back: nothing of the environment, and no more than a little.

The maintained client takes an organisation, a project and further headers from the process's environment, and reads an
answer whole, however long it is. An endpoint is a stranger: it is told nothing but the question, and of what it sends
only so much is taken, uncompressed, whatever the status.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from openai import DefaultAsyncHttpxClient

LONGEST: Final = 4 << 20
"""How many bytes an answer may have; what counts of it are a few hundred, the rest are its own thoughts at most."""

TOLD: Final = frozenset(
    {"accept", "accept-encoding", "authorization", "connection", "content-length", "content-type", "host", "user-agent"}
)
"""The request's headers; what the client would add beside them stays here."""


class NotTaken(Exception):
    """An answer is not read any further; its text says why, in our words."""


def bounded(kind: type[DefaultAsyncHttpxClient], key: str) -> DefaultAsyncHttpxClient:
    """Open a connection pool of the client's own kind that tells `key` alone and takes no long answer.

    Reading raises NotTaken, which the client wraps.
    """

    class Bounded(kind):  # type: ignore[misc, valid-type] # the class is the optional extra's
        async def send(self, request: Any, *, stream: bool = False, **given: Any) -> Any:  # noqa: ARG002 read here
            for name in [each for each in request.headers if each.lower() not in TOLD]:
                del request.headers[name]
            request.headers["accept-encoding"] = "identity"
            request.headers["authorization"] = f"Bearer {key}"
            answer = await super().send(request, stream=True, **given)
            try:
                body = await _read(answer)
            finally:
                await answer.aclose()
            return type(answer)(answer.status_code, headers=answer.headers, content=body, request=request)

    return Bounded(follow_redirects=False)


async def _read(answer: Any) -> bytes:
    if answer.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise NotTaken("the endpoint answered compressed, though it was asked not to")
    body = bytearray()
    async for chunk in answer.aiter_raw():
        body += chunk
        if len(body) > LONGEST:
            raise NotTaken(f"the answer is longer than {LONGEST >> 20} MiB")
    return bytes(body)


def not_taken(problem: BaseException) -> str | None:
    """Give the reason of a NotTaken that a client has wrapped; None where there is none."""
    cause: BaseException | None = problem
    while cause is not None:
        if isinstance(cause, NotTaken):
            return str(cause)
        cause = cause.__cause__ or cause.__context__
    return None
