"""Compare what was said with what was true: a confusion matrix, precision, recall and F1 of each class."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from attribution_world.world import World

from attribution_run.judge import Told

CLASSES = ("base-drift", "gate-stalled", "base-defect", "task-defect", "flake", "infrastructure")
LABELS = (*CLASSES, "unclassified", "none")


@dataclass
class Score:
    """Counts over all failures that the first run of a pull request showed."""

    matrix: Counter[tuple[str, str]] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    spent: int = 0
    pulls: int = 0
    withdrawn: int = 0

    def take(self, truth: set[str], label: str, seconds: float) -> None:
        """Count one failure; where two truths hold at once, either is right."""
        self.matrix[label if label in truth else min(truth), label] += 1
        self.waits.append(seconds)

    def precision(self, klass: str) -> float:
        """Of what was called so, the part that was so."""
        said = sum(count for (_, label), count in self.matrix.items() if label == klass)
        return self.matrix[klass, klass] / said if said else 0.0

    def recall(self, klass: str) -> float:
        """Of what was so, the part that was called so."""
        true = sum(count for (truth, _), count in self.matrix.items() if truth == klass)
        return self.matrix[klass, klass] / true if true else 0.0

    def f1(self, klass: str) -> float:
        """The harmonic mean of both."""
        both = self.precision(klass) + self.recall(klass)
        return 2 * self.precision(klass) * self.recall(klass) / both if both else 0.0

    def share(self, label: str) -> float:
        """The part of all failures that got a label."""
        return sum(count for (_, said), count in self.matrix.items() if said == label) / max(1, self.matrix.total())


def first_failures(world: World, number: int) -> dict[str, set[str]]:
    """The names that fail in a pull request's first jobs, with what is true of each."""
    world.truth.clear()
    pull = next(each for each in world.pulls if each.number == number)
    world.first_jobs(pull)
    return {name: set(truth) for (_, name), truth in world.truth.items()}


def match(name: str, told: Iterable[Told]) -> Told | None:
    """What was said of the failure with that name: the first class in the specification's order where several were."""
    mine = [each for each in told if _names(each, name)]
    return min(mine, key=lambda each: LABELS.index(each.label), default=None)


def _names(told: Told, name: str) -> bool:
    item = told.item
    if item.item is not None:
        return (
            item.item.rpartition("::")[2] == name
            or item.item == name
            or item.item.endswith((f"\u203a {name}", f"> {name}"))
        )
    places = {f"{place.path}:{place.line}" for place in item.places}
    if any(place == name or place.endswith("/" + name) for place in places):
        return True
    return (
        item.job_level
        and ((name == "dependency") == (item.kind == "dependency"))
        and ":" not in name
        and " " not in name
    )
