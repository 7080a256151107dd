"""A second opinion: GitHub's own evaluator gives the same values for generated expressions."""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.sandbox.ci.expressions import ExpressionError, Status, evaluate, parse

NODE_MODULES = Path(os.environ.get("FAILRES_NODE_MODULES", "build/node/node_modules")).resolve()
NAMES = {
    "github": {"event_name": "push", "ref": "refs/heads/main", "event": {"labels": [{"name": "a"}, {"name": "B"}]}},
    "env": {"N": "7", "EMPTY": "", "HEX": "0x1f"},
    "matrix": {"py": 3.5, "n": 0, "on": True, "list": [1, "two", None]},
}
LEAVES = [
    "null",
    "true",
    "false",
    "0",
    "1",
    "-2",
    "3.5",
    "0x1F",
    "1e3",
    "''",
    "'a'",
    "'A'",
    "'it''s'",
    "'7'",
    "'0x1f'",
    "'",
    "3",
    "'",
    "'refs/heads/'",
    "github.ref",
    "env.N",
    "env.none",
    "env.EMPTY",
    "env.HEX",
    "matrix.py",
    "matrix.n",
    "matrix.on",
    "matrix.list",
    "matrix.list[1]",
    "matrix.list[9]",
    "matrix['py']",
    "github.event.labels",
    "github.event.labels.*.name",
    "github.event.labels[0].name",
    "GITHUB.EVENT_NAME",
    "env",
]
CALLS = (
    "contains({},{})",
    "startsWith({},{})",
    "endsWith({},{})",
    "join({})",
    "join({},'-')",
    "toJSON({})",
    "format('{{0}}/{{1}}', {}, {})",
)
OPERATORS = ("==", "!=", "<", "<=", ">", ">=", "&&", "||")


def make(seed: random.Random, depth: int) -> str:
    """An expression of some depth."""
    kind = seed.random()
    if depth == 0 or kind < 0.15:
        return seed.choice(LEAVES)
    if kind < 0.3:
        return f"!{make(seed, depth - 1)}"
    if kind < 0.55:
        call = seed.choice(CALLS)
        return call.format(*(make(seed, depth - 1) for _ in range(call.count("{}"))))
    left, right = make(seed, depth - 1), make(seed, depth - 1)
    text = f"{left} {seed.choice(OPERATORS)} {right}"
    return f"({text})" if seed.random() < 0.6 else text


def ours(source: str) -> object:
    """Our value as JSON has it; an error as the word."""
    try:
        value = evaluate(parse(source), NAMES, Status())
    except ExpressionError:
        return "error"
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return json.loads(json.dumps(value))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.skipif(
    not (NODE_MODULES / "@actions" / "expressions").exists(),
    reason="@actions/expressions is not installed (`make test` does it where npm is)",
)
def test_githubs_evaluator_agrees() -> None:
    """2,000 generated expressions have the same value, or fail in both."""
    seed = random.Random(20_260)
    sources = [make(seed, 3) for _ in range(2_000)]
    asked = {"modules": str(NODE_MODULES), "names": NAMES, "expressions": sources}
    script = Path(__file__).with_name("expressions.mjs")
    done = subprocess.run(
        ["node", str(script)], input=json.dumps(asked), capture_output=True, text=True, timeout=60, check=True
    )
    theirs = [answer.get("value", "error") if "error" not in answer else "error" for answer in json.loads(done.stdout)]
    different = [
        (source, mine, answer)
        for source, mine, answer in zip(sources, map(ours, sources), theirs, strict=True)
        if mine != answer
    ]
    assert different[:3] == []
