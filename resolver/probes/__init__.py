"""How a check can be executed on a clean base commit: the cheapest way that is valid, and why the others are not. Pure.

The ways in their order (specification, section 5; PROBES.md, section 5): the repository's own `failres-probe.yml`, the
check's workflow where it can be dispatched, the push of a branch, a draft pull request. Existing results come before
all of them and are looked for elsewhere. Everything is read from the files on the base commit before anything starts.
"""

from __future__ import annotations

from resolver.config import RepoConfig
from resolver.probes.dispatch import PROBE_WORKFLOW, own_dispatch, probe_workflow
from resolver.probes.draft import by_draft
from resolver.probes.plan import (
    PREFIX,
    NoProbe,
    ProbePlan,
    ProbeWanted,
    Strategy,
    is_owned,
    is_probe_branch,
    probe_base,
    probe_identity,
)
from resolver.probes.push import by_push
from resolver.workflow.hazard import Files

__all__ = [
    "PREFIX",
    "PROBE_WORKFLOW",
    "NoProbe",
    "ProbePlan",
    "ProbeWanted",
    "Strategy",
    "choose_probe",
    "is_owned",
    "is_probe_branch",
    "probe_base",
    "probe_identity",
]


def choose_probe(
    wanted: ProbeWanted, files: Files, config: RepoConfig, *, whole: bool = False, draft: bool = True
) -> ProbePlan | NoProbe:
    """Choose the cheapest valid way. `files` are workflow files on the base commit, by path.

    `whole`: they are all that it has; a push and a pull request start whatever listens. `draft`: today's draft pull
    requests are not spent.
    """
    if wanted.check.fork:
        return NoProbe(reasons=("a probe has secrets that a fork's run had not",))
    reasons: list[str] = []
    for way in (probe_workflow, own_dispatch):
        found = way(wanted, files, config)
        if isinstance(found, ProbePlan):
            return found
        reasons.append(found)
    pushed = (
        by_push(wanted, files, config)
        if (why := _left_out(whole, "pushBranch", config.probes.push_branch)) is None
        else why
    )
    if isinstance(pushed, ProbePlan):
        return pushed
    drafted = (
        by_draft(wanted, files, config)
        if (why := _left_out(whole, "draftPull", config.probes.draft_pull)) is None
        else why
    )
    if isinstance(drafted, ProbePlan) and draft:
        return drafted
    spent = f"the {config.probes.draft_pulls_per_day} a day that `probes.draftPullsPerDay` allows are spent"
    last = drafted if isinstance(drafted, str) else spent
    reasons += [f"push of a branch: {pushed}", f"draft pull request: {last}"]
    return NoProbe(reasons=tuple(reasons), later=isinstance(drafted, ProbePlan))


def _left_out(whole: bool, key: str, allowed: bool) -> str | None:
    if not allowed:
        return f"`probes.{key}` does not allow it"
    return None if whole else "not all of the base's workflow files were read"
