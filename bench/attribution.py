"""
Whose failure was it? Seeded incidents with known truth, judged by the real decision code and by three simpler policies.

    python bench/attribution.py [--share 1.0] [--seed 0] [--wrong] [--json FILE]

Ends with status 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from attribution_run.judge import Judge, Patient
from attribution_run.score import CLASSES, LABELS, Score, first_failures, match
from attribution_run.simple import POLICIES, run
from attribution_world.incidents import build, episodes

GOAL_PRECISION, GOAL_RECALL, GOAL_UNCLASSIFIED = 0.98, 0.95, 0.10
JUDGED = ("base-defect", "task-defect", "flake")
OURS = "failres"


def main() -> int:
    """Run everything, print the figures, say which goals are met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="how much of the incidents to run")
    parser.add_argument("--seed", type=int, default=0, help="other incidents of the same kinds")
    parser.add_argument("--wrong", action="store_true", help="list what was called wrongly")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    begun = time.perf_counter()
    scores = {name: Score() for name in (OURS, *POLICIES)}
    for seed, kind in episodes(options.share, options.seed):
        _ours(scores[OURS], seed, kind, tell=options.wrong)
        for name, rule in POLICIES.items():
            world = build(seed, kind, name)
            results = run(world, rule)
            scores[name].spent += world.spent
            for each in results:
                scores[name].pulls += 1
                for failure, truth in first_failures(build(seed, kind, name), each.pull.number).items():
                    told = match(failure, each.told)
                    scores[name].take(
                        truth, told.label if told else "none", (told.at if told else each.ended) - each.red_at
                    )
    for name, score in scores.items():
        _print(name, score)
    print(
        f"\n{scores[OURS].pulls} incidents, {scores[OURS].matrix.total()} failures, {time.perf_counter() - begun:.0f} s"
    )
    if options.json:
        options.json.write_text(json.dumps({name: _figures(score) for name, score in scores.items()}, indent=1))
    return _goals(scores)


def _ours(score: Score, seed: str, kind: str, *, tell: bool) -> None:
    world = build(seed, kind, OURS)
    judge = Judge(world)
    judge.run()
    score.spent += world.spent
    score.withdrawn += judge.withdrawn
    for patient in judge.patients:
        score.pulls += 1
        for failure, truth in first_failures(build(seed, kind, OURS), patient.pull.number).items():
            told = match(failure, patient.told.values())
            label = told.label if told else "none"
            at = told.at if told else patient.ended or patient.red_at
            score.take(truth, label, at - patient.red_at)
            if tell and label not in truth:
                _tell(seed, patient, failure, truth, label)


def _tell(seed: str, patient: Patient, failure: str, truth: set[str], label: str) -> None:
    runs = " ".join(f"{each.check.job}:{each.result}" for each in patient.executions)
    print(f"{seed} #{patient.pull.number} {failure}: true {'/'.join(sorted(truth))}, called {label}; {runs}")


def _print(name: str, score: Score) -> None:
    print(f"\n== {name}: {score.spent} executions, {score.spent / max(1, score.pulls):.2f} per incident")
    if score.withdrawn:
        print(f"verdicts withdrawn later: {score.withdrawn}")
    waits = sorted(score.waits)
    middle, most = statistics.median(waits) / 60, waits[int(0.9 * len(waits))] / 60
    print(f"time to verdict: median {middle:.0f} min, 90 % within {most:.0f} min")
    print(f"{'truth':>16} | " + " ".join(f"{label[:11]:>11}" for label in LABELS) + " |  recall")
    for truth in CLASSES:
        row = " ".join(f"{score.matrix[truth, label] or '.':>11}" for label in LABELS)
        print(f"{truth:>16} | {row} | {score.recall(truth):7.3f}")
    print(f"{'precision':>16} | " + " ".join(f"{score.precision(label):11.3f}" for label in CLASSES))
    print(f"{'F1':>16} | " + " ".join(f"{score.f1(label):11.3f}" for label in CLASSES))


def _figures(score: Score) -> dict[str, object]:
    return {
        "executions": score.spent,
        "incidents": score.pulls,
        "unclassified": score.share("unclassified"),
        "none": score.share("none"),
        "classes": {
            k: {"precision": score.precision(k), "recall": score.recall(k), "f1": score.f1(k)} for k in CLASSES
        },
    }


def _goals(scores: dict[str, Score]) -> int:
    ours = scores[OURS]
    goals = {
        f"precision of {k} {ours.precision(k):.3f} ≥ {GOAL_PRECISION}": ours.precision(k) >= GOAL_PRECISION
        for k in JUDGED
    }
    goals |= {f"recall of {k} {ours.recall(k):.3f} ≥ {GOAL_RECALL}": ours.recall(k) >= GOAL_RECALL for k in JUDGED}
    unclassified = ours.share("unclassified") + ours.share("none")
    goals[f"unclassified {unclassified:.3f} ≤ {GOAL_UNCLASSIFIED}"] = unclassified <= GOAL_UNCLASSIFIED
    blind = scores["blind retry x3"].spent
    goals[f"{ours.spent} executions, fewer than blind retry's {blind}"] = ours.spent < blind
    above = [
        f"{name} on {k}" for name, score in scores.items() if name != OURS for k in CLASSES if score.f1(k) > ours.f1(k)
    ]
    goals[f"no policy above on any class's F1 {above or ''}"] = not above
    print()
    for goal, met in goals.items():
        print(f"{'met   ' if met else 'MISSED'} {goal}")
    return 0 if all(goals.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
