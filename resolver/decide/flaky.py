"""The table's rule for a flaky gate: one `resume` that counts as no attempt, then people (specification, section 10).

Attribution proves the flake; the ledger allows its one rerun. Here it becomes a decision of the resolver.
"""

from __future__ import annotations

from resolver.attribution import Verdict
from resolver.decide.deciding import resolution
from resolver.decide.matter import Matter, resolutions
from resolver.facts.resolve import ResolveDecided, decision_seq
from resolver.policy import rule_flaky
from resolver.runs import task_id
from resolver.state import Pull, RepoState


def flaky_decision(state: RepoState, pull: Pull, flake: Verdict, earlier: int, now: float) -> ResolveDecided:
    """Give the decision on a flake; `earlier` counts those of the same check before it, inside the window. One for each
    failure on each head.
    """
    matter = flaky_matter(state, pull, flake, now)
    take = rule_flaky(earlier)
    made = resolution(matter, take, resolutions(state, pull, matter.fail_class).attempt)
    about = f"{flake.check.key} {flake.fingerprint} {pull.seen.head_sha}"
    seq = decision_seq(task_id(pull.seen.number), about, 1 + min(earlier, 1))
    return made.model_copy(update={"seq": seq, "counts": take.counts})


def flaky_matter(state: RepoState, pull: Pull, flake: Verdict, now: float) -> Matter:
    """Give what the resolver decides about: the flake's class of failure, as its log has it."""
    return Matter(state, pull, flake.check, _class_of(state, pull, flake), now)


def _class_of(state: RepoState, pull: Pull, flake: Verdict) -> str:
    head = state.head(pull.seen.head_sha)
    found = (each for told in head.triaged.values() for each in told.failures)
    return next((each.fail_class for each in found if each.fingerprint == flake.fingerprint), "unknown")
