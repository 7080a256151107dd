"""
GitHub's own description of its REST API and webhooks, trimmed, and what checks requests, answers and payloads by it.

`github.json.gz` is made by `tests/sandbox/trim_description.py` from npm's `@octokit/openapi` (its version is in
`Description.source`), which is under the licence beside it.
"""

from bot.sandbox.description.description import Description, Operation, load

__all__ = ["Description", "Operation", "load"]
