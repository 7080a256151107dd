"""
The diff media type of pull requests, commits and comparisons.

GitHub: over 300 files or 20,000 lines it is 406 `too_large`; the files endpoint then has them (GITHUB.md 5.34).
"""

from __future__ import annotations

from bot.sandbox.api.call import Call, Reply
from bot.sandbox.changes.refusals import Refused

MAX_FILES = 300
MAX_LINES = 20_000


def wants_diff(call: Call) -> bool:
    """Whether the caller asks for `application/vnd.github.diff` (also `.v3.diff`)."""
    return call.accept.startswith("application/vnd.github.") and "diff" in call.accept.partition(";")[0]


async def diff_reply(call: Call, resource: str, old: str | None, new: str) -> Reply:
    """Answer with the diff between two commits."""
    text = await call.repo.git.diff_text(old, new)
    lines = sum(line[:1] in {"+", "-"} for line in text.splitlines())
    for limit, count, what in ((MAX_FILES, text.count("diff --git "), "files"), (MAX_LINES, lines, "lines")):
        if count > limit:
            message = f"Sorry, the diff exceeded the maximum number of {what} ({limit})."
            error = {"resource": resource, "field": "diff", "code": "too_large"}
            raise Refused(406, message, [error])
    return Reply(200, text.encode(), {"Content-Type": f"{call.accept.partition(';')[0]}; charset=utf-8"})
