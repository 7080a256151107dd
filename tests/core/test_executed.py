"""What a commit keeps of executions: all of those that failed, and of those that passed what anybody asks for."""

import pytest

from resolver.facts import StepFinished
from resolver.journal import to_json
from resolver.state.executed import kept
from tests.core.made import HEAD, job, state_of

STEPS = (
    StepFinished(number=1, name="Set up", conclusion="success", started_at=1.0, completed_at=2.0),
    StepFinished(number=2, name="Allowed to fail", conclusion="failure", started_at=2.0, completed_at=3.0),
    StepFinished(number=3, name="Post", conclusion="skipped"),
)


@pytest.mark.parametrize("conclusion", ["failure", "timed_out", "cancelled", "skipped", "brand_new"])
def test_an_execution_that_did_not_pass_is_kept_whole(conclusion):
    """Its steps tell where it stopped."""
    told = job(conclusion=conclusion, steps=STEPS)
    assert state_of(told).head(HEAD).jobs == {told.job_id: told}


def test_an_execution_that_passed_keeps_the_steps_that_did_not():
    """A step may be allowed to fail, or be skipped where it failed elsewhere; what passed is in the step history."""
    told = job(conclusion="success", steps=STEPS)
    assert kept(told) == told.model_copy(update={"steps": STEPS[1:]})
    assert state_of(told).steps.past(told.workflow, told.name, "Set up") == (1.0,)


def test_what_is_kept_is_a_value_like_any_other_and_costs_no_list_of_fields():
    """The list is shared: a copy has one of its own, so that nothing is ever written to it."""
    one, other = kept(job(1, "success")), kept(job(2, "success"))
    assert one.__pydantic_fields_set__ is other.__pydantic_fields_set__
    assert one.model_copy(update={"name": "renamed"}).name == "renamed"
    assert other.__pydantic_fields_set__ == set()
    assert to_json(one) == to_json(job(1, "success", steps=()))
