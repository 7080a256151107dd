"""The specification's sentences on attribution (section 5), each with the rows and tests that fail if it is violated."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.test_attribution import ROWS

SENTENCES: dict[str, str] = {
    "deterministic row first, once": "provision_row_first lockfile_row_first disk_row_first artifact_row_first "
    "memory_row_first a_row_that_has_to_wait_is_waited_for",
    "still red: attribution": "provision_after_its_row memory_after_its_row",
    "the first class that matches wins": "drift_before_stall stall_before_base_defect base_defect_before_task_defect "
    "base_defect_before_an_own_item task_adds_the_item_which_flakes",
    "drift: red on the tested base, green on the current one": "drift_red_then_green_on_the_base "
    "drift_needs_the_item_seen_on_the_new_base drift_green_current_base_wants_the_tested_one",
    "drift: the diff holds the base's own changes": "drift_by_changes_that_are_only_the_bases "
    "drift_not_where_the_current_base_was_tested drift_by_the_bases_changes_is_none_in_a_group",
    "drift: strict in runs of plans": "drift_strict_in_a_plan_run drift_strict_needs_a_plan_run "
    "drift_plan_run_needs_strict drift_strict_not_on_the_runs_current_base drift_strict_needs_a_known_tested_base",
    "a stale base alone is no class": "drift_stale_base_alone_is_no_class c8_a_base_faster_than_ci_still_gives_a_verdict",
    "one drift verdict between two pushes": "drift_not_twice_between_two_pushes drift_again_after_a_persons_push",
    "base-defect: same check, same fingerprint, clean current base": "base_red_by_a_push base_red_by_a_probe "
    "base_red_in_another_way base_red_on_an_older_commit_is_not_enough",
    "task-defect: a second execution on the same head": "task_two_reds_and_a_green_base red_with_a_green_base_is_tried_again",
    "task-defect: a deterministic kind in changed lines": "task_lint_in_changed_lines task_build_in_changed_lines "
    "task_type_in_changed_lines task_lint_elsewhere_needs_a_second_red task_a_test_in_changed_lines_needs_a_second_red",
    "an item that the task adds or changes is its own, flaky or not": "task_adds_the_item task_adds_the_item_which_flakes "
    "task_changes_the_item task_changes_the_item_which_flakes task_changes_the_item_next_to_it",
    "flake: same check, commit, base and configuration": "flake_red_then_green flake_not_with_another_base "
    "flake_not_with_two_unknown_bases flake_not_in_another_configuration a22_new_in_the_second_push",
    "a green base beside a red task is no flake": "a19_green_base_and_one_red_is_not_proven flake_a_green_base_is_none",
    "unclassified: one attempt, then people": "nothing_can_be_had two_reds_without_a_base only_a_rerun_can_be_had",
    "verdicts are per item, the action follows the first": "test_the_task_follows_the_first_class_in_the_order "
    "test_no_lead_while_an_earlier_class_may_still_come test_a_drift_leads_whatever_is_still_open",
    "evidence is an execution, with its strength": "test_no_verdict_without_an_execution "
    "test_the_weakest_needed_execution_is_the_verdicts_strength test_a5_every_piece_of_evidence_names_its_base",
    "a green counts while fresh, for the exact commit": "task_stale_green_is_no_baseline "
    "task_green_of_five_hours_is_a_baseline task_green_of_another_commit_is_no_baseline a1_missing_time_is_no_baseline",
    "a red counts at any age": "base_red_of_last_week_still_counts",
    "a green counts only where the item was seen executed": "empty_green_base task_quiet_green_base_is_no_baseline "
    "green_probe_without_the_item_proves_nothing i3_a_retry_that_was_not_seen_to_pass",
    "another fingerprint excuses nothing, both are shown": "base_red_in_another_way_and_two_reds "
    "test_evidence_shows_what_else_is_red_on_the_base a18_a_known_flaker_with_a_new_message",
    "every attempt counts": "flake_green_then_red flake_red_green_red a11_mixed_end_is_flake "
    "a11_mixed_end_on_the_base_is_flake a1_a_green_without_a_time_is_doubt",
    "job-level: two reds and two greens": "job_two_reds_one_green job_two_reds_two_greens job_one_red_on_the_base "
    "job_two_reds_on_two_base_commits job_two_greens_of_two_base_commits a8_job_level_red_once_on_the_base",
    "flaked before: three of each, or unclassified": "known_flaker_two_reds known_flaker_three_reds_one_green "
    "known_flaker_three_of_each a14_flaky_and_no_more_runs_is_refused",
    "infrastructure is neither red nor green": "infrastructure_on_the_base_proves_nothing "
    "infrastructure_on_the_head_is_no_second_red infrastructure_after_two_reds_takes_nothing_back",
    "what was cancelled is neither": "cancelled_alone_is_no_failure cancelled_on_the_base_proves_nothing",
    "the task's own earlier merges, and its author's tasks, excuse nothing": "a2_own_earlier_merge_excuses_nothing "
    "a2_the_same_authors_other_task a2_own_earlier_merge_does_not_look_like_a_flake test_a2_own_results_excuse_nothing",
    "a label is one input beside the verdict": "a6_a_label_beside_a_broken_base a17_a_label_is_no_proof "
    "test_a17_a_claim_is_recorded_beside_the_class",
    "never ran before the merge is named": "a21_never_ran_before_the_merge "
    "test_a21_a_check_that_never_ran_before_the_merge_is_named_where_the_base_fails_so",
    "verdicts can be withdrawn": "test_a12_a_verdict_is_withdrawn_when_executions_disagree",
    "outage mode": "outage_parks_what_is_open outage_acts_on_nothing outage_parks_the_deterministic_row "
    "test_an_outage_begins_at_its_thresholds test_an_outage_ends_after_half_an_hour_of_calm",
    "a stall on the base too is mended there, else one rerun": "stall_asks_the_base stall_on_the_base_too "
    "stall_on_the_task_alone_once stall_on_the_task_alone_twice",
    "a merge group is judged with its base, and tried again before blame": "group_red_on_a_red_base "
    "group_red_once_is_enqueued_again group_red_twice_on_a_green_base d11_a_red_group_is_tried_again_before_blame",
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_each_sentence_has_what_proves_it(sentence: str) -> None:
    """Its rows stand in the table, its tests beside it."""
    rows = {row[0] for row in ROWS}
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    missing = [name for name in SENTENCES[sentence].split() if name not in rows and f"def {name}(" not in tests]
    assert missing == []
