"""
Workflow files: text in, a typed `WorkflowFile` or the list of its problems out. Pure.

What GitHub refuses and what this GitHub does not support are both problems; each names file, line and key.
"""

from bot.sandbox.ci.workflow.action import ActionFile, read_action
from bot.sandbox.ci.workflow.filters import Filter, admits
from bot.sandbox.ci.workflow.matrix import Combination, combinations, suffix
from bot.sandbox.ci.workflow.model import (
    Concurrency,
    InputSpec,
    JobSpec,
    Problem,
    Shelling,
    StepSpec,
    Strategy,
    Trigger,
    WorkflowFile,
)
from bot.sandbox.ci.workflow.read import read_triggers, read_workflow

__all__ = [
    "ActionFile",
    "Combination",
    "Concurrency",
    "Filter",
    "InputSpec",
    "JobSpec",
    "Problem",
    "Shelling",
    "StepSpec",
    "Strategy",
    "Trigger",
    "WorkflowFile",
    "admits",
    "combinations",
    "read_action",
    "read_triggers",
    "read_workflow",
    "suffix",
]
