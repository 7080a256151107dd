"""Figures as Prometheus reads them: text, one sample a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

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


def _labels(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
