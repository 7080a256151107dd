"""A repository's own way to mend a check's surroundings: when its job is started, and why it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from resolver.config import parse_config
from resolver.ids import PullNumber
from resolver.probes import ProbePlan, is_probe_branch
from resolver.repair_job import REPAIR_WORKFLOW, NoJob, choose_job, repair_id, repair_wanted
from resolver.workflow.file import read_workflow
from tests.core.made import BASE, HEAD

INSTALLED = (Path(__file__).parents[2] / "workflows" / "failres-repair.yml").read_text()
BEFORE, MARK, EXAMPLE = INSTALLED.partition("  # provision-deps:\n")
TEMPLATE = BEFORE + "".join(line.replace("  # ", "  ", 1) for line in (MARK + EXAMPLE).splitlines(keepends=True))
"""What is installed, with its example taken out of the comment."""

WANTED = repair_wanted("provision-deps", repair_id(PullNumber(7), 3), BASE, 3, "acme/shop")


def chosen(text: str | None, config: str = ""):
    """What is decided on a repair workflow with that text."""
    files = {} if text is None else {REPAIR_WORKFLOW: read_workflow(REPAIR_WORKFLOW, text)}
    settings = parse_config(config)
    return choose_job(WANTED, files, settings)


def test_what_is_installed_changes_nothing_until_a_job_is_added():
    """As it stands it has no repair, so that the general way is taken."""
    found = chosen(INSTALLED)
    assert isinstance(found, NoJob)
    assert (found.absent, found.reason) == (True, "failres-repair.yml has no job `provision-deps`")


def test_the_template_is_one_that_is_started():
    """Its example, with the name of the repair and a nonce, on a branch of its own."""
    plan = chosen(TEMPLATE)
    assert isinstance(plan, ProbePlan)
    assert (plan.workflow, plan.job, plan.ref) == (REPAIR_WORKFLOW, "provision-deps", WANTED.branch)
    assert dict(plan.inputs) == {"repair": "provision-deps", "nonce": WANTED.nonce}
    assert is_probe_branch(WANTED.branch)


def test_each_decision_has_a_branch_of_its_own():
    """The same repair on the same base, for another decision or another base, never meets a run that is there."""
    others = [
        repair_wanted("provision-deps", repair_id(PullNumber(8), 4), BASE, 4, "acme/shop"),
        repair_wanted("provision-deps", repair_id(PullNumber(7), 3), HEAD, 3, "acme/shop"),
    ]
    assert len({each.branch for each in (WANTED, *others)}) == 3
    assert len({each.nonce for each in (WANTED, *others)}) == 3


OFF = TEMPLATE.replace("if: inputs.repair == 'provision-deps'", "if: github.event_name == 'push'")
ENVIRONMENT = TEMPLATE.replace("    runs-on:", "    environment: prod\n    runs-on:")
OTHER = TEMPLATE.replace("  provision-deps:\n", "  warm-up:\n")
GROUP = TEMPLATE.replace("\njobs:", "\nconcurrency: repairs\n\njobs:")
UNDECLARED = TEMPLATE.replace("permissions:\n  contents: read\n", "")

NOT = {
    "there is none": (None, True, "the base has no failres-repair.yml"),
    "none of that name": (OTHER, True, "has no job `provision-deps`"),
    "it cannot be read": ("on: [", False, "cannot be read"),
    "it does not take the name": (
        TEMPLATE.replace("      repair:", "      what:"),
        False,
        "does not declare the inputs",
    ),
    "it is not dispatched": (TEMPLATE.replace("workflow_dispatch", "repository_dispatch"), False, "does not declare"),
    "its condition is never true": (OFF, False, "does not run when it is asked for"),
    "it has an environment": (ENVIRONMENT, False, "has an environment"),
    "it may write": (TEMPLATE.replace("contents: read", "contents: write"), False, "may write `contents`"),
    "it does not say what it may write": (UNDECLARED, False, "does not declare its permissions"),
    "others share its group": (GROUP, False, "concurrency"),
}


@pytest.mark.parametrize(("text", "absent", "reason"), NOT.values(), ids=NOT.keys())
def test_what_is_not_started_says_why(text, absent, reason):
    """Only where the repository has no such job the general way is taken; a broken one is for people to mend."""
    found = chosen(text)
    assert isinstance(found, NoJob)
    assert found.absent is absent
    assert reason in found.reason


def test_a_person_may_vouch_for_a_job_that_does_not_declare_its_permissions():
    """`gate.writesNothing` names it."""
    assert isinstance(chosen(UNDECLARED, 'gate: {writesNothing: ["provision-deps"]}\n'), ProbePlan)
