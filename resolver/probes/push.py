"""The push of a branch: for a check whose workflow listens to pushes, under a name that its filters let pass. Pure.

The run's event is another than the pull request's, so that the file must show that the job is selected and configured
alike. The commit has no `[skip ci]`: everything that listens to that name is started, and judged before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from resolver.config import RepoConfig
from resolver.probes.beside import meant_run, runs_of_a_branch, started_too
from resolver.probes.plan import ProbePlan, ProbeWanted
from resolver.workflow.alike import Pair, difference
from resolver.workflow.file import Trigger, WorkflowFile
from resolver.workflow.filters import selected
from resolver.workflow.hazard import Files
from resolver.workflow.names import jobs_named
from resolver.workflow.run import PlannedRun
from resolver.workflow.select import admits_ref, selects

_ONE_STAR = re.compile(r"([A-Za-z0-9._/-]*)(\*\*|\*)([A-Za-z0-9._/-]*)")
"""Patterns from which a name can be made: one `*` or `**` between plain letters."""

_OF_BASES = re.compile(
    r"(?i)(?:^|[/._-])(?:main|master|trunk|mainline|develop|default|next|canary|stable|releases?|rel|prod|production|live"
    r"|deploy\w*|publish\w*|staging|preview|hotfix|v\d*|gh-pages|pages|docs)(?:$|[/._\d-])|^\d"
)
"""Names of what is released or deployed. A pattern for those is not borrowed, whatever the hazard rules say."""

_LEGAL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
MOST_LETTERS = 200


def by_push(wanted: ProbeWanted, files: Files, config: RepoConfig) -> ProbePlan | str:
    """Give the plan, or why a push is not valid. `files` are all workflow files of the base commit."""
    file = files.get(wanted.check.workflow)
    if not isinstance(file, WorkflowFile):
        return file.reason if file else f"the base does not have {wanted.check.workflow}"
    trigger = file.trigger("push")
    if trigger is None:
        return f"{file.path} does not listen to `push`"
    if wanted.check.event not in ("pull_request", "push"):
        return f"a push runs the check in another way than `{wanted.check.event}`"
    branch = next(_names(wanted, trigger), wanted.branch)
    runs = runs_of_a_branch(wanted, branch)
    selection = selects(file, wanted.check.job, runs[0], files)
    if selection.answer != "yes":
        return selection.reason
    (job,) = jobs_named(file, wanted.check.job)
    reason = difference(file, job, Pair(runs[0], meant_run(wanted)), files) or started_too(wanted, runs, files, config)
    if reason:
        return reason
    return ProbePlan(
        strategy="push", workflow=file.path, ref=branch, nonce=wanted.nonce, job=wanted.check.job, event="push"
    )


def _names(wanted: ProbeWanted, trigger: Trigger) -> Iterator[str]:
    """Names for the branch that the filters let pass, the usual one first; each carries the probe's identity."""
    unwelcome = any(each.startswith("!") and selected((each[1:],), wanted.branch) for each in trigger.branches or ())
    patterns = () if unwelcome else trigger.branches or ()
    for name in (wanted.branch, *(_made(pattern, wanted) for pattern in patterns)):
        run = PlannedRun(event="push", ref=f"refs/heads/{name}")
        if name and is_legal(name) and admits_ref(trigger, run):
            yield name


def _made(pattern: str, wanted: ProbeWanted) -> str:
    """Make a name of a pattern such as `ci/**` or `test-me-*`; empty where that is not for us to take."""
    found = _ONE_STAR.fullmatch(pattern)
    if found is None:
        return ""
    before, star, after = found.groups()
    if after or _OF_BASES.search(before) or (before and selected((pattern,), wanted.base_ref) is not False):
        return ""
    return before + (wanted.branch if star == "**" and before.endswith("/") else wanted.branch.replace("/", "-"))


def is_legal(name: str) -> bool:
    """Say whether git takes a branch name, of the plain letters that are used here."""
    bad = ".." in name or any(part.endswith((".", ".lock")) for part in name.split("/"))
    return len(name) <= MOST_LETTERS and _LEGAL.fullmatch(name) is not None and not bad
