"""Figures as Prometheus reads them: text, one sample a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from bot.github.budget import Spending

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class Sample(NamedTuple):
    """One figure. `kind` is `counter` or `gauge`; samples of one name share kind and meaning."""

    name: str
    kind: str
    meaning: str
    value: float
    labels: Mapping[str, str] = {}


def exposition(samples: Iterable[Sample]) -> str:
    """The text of all samples, those of one name together."""
    families: dict[str, list[Sample]] = {}
    for sample in samples:
        families.setdefault(sample.name, []).append(sample)
    lines: list[str] = []
    for name, family in families.items():
        lines += [f"# HELP {name} {family[0].meaning}", f"# TYPE {name} {family[0].kind}"]
        lines += [f"{name}{_labels(sample.labels)} {_number(sample.value)}" for sample in family]
    return "\n".join([*lines, ""])


def budget_samples(spending: Iterable[tuple[str, Spending]]) -> Iterator[Sample]:
    """What each installation spent in this hour and what GitHub says is left, as `GitHub.spending()` tells it."""
    for who, spent in spending:
        labels = {"installation": who, "resource": spent.resource}
        yield Sample("failres_github_calls", "gauge", "Calls in this hour.", spent.calls, labels)
        yield Sample("failres_github_unchanged", "gauge", "Of these answered 304.", spent.unchanged, labels)
        yield Sample("failres_github_limit", "gauge", "GitHub's allowance an hour.", spent.limit, labels)
        if spent.left is not None:
            yield Sample("failres_github_left", "gauge", "What GitHub says is left of it.", spent.left, labels)


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
