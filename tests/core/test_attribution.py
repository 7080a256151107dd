"""The table of attribution: executions on the left, the class or what is wanted next on the right."""

from __future__ import annotations

import pytest

from resolver.attribution import attribute
from tests.core.attribution_table import case, told

TABLE = """
# one red: what is asked first
red_alone_is_tried_again                       | h.F                    |                         | want rerun
red_with_a_green_base_is_tried_again           | b2.G h.F               |                         | want rerun
red_seen_on_the_base_line_asks_the_base        | b1.F h.F               |                         | want base b2
red_seen_on_another_task_asks_the_base         | o.F h.F                |                         | want base b2
two_reds_ask_the_tested_base                   | h.F h.F                |                         | want base b2
the_tested_base_is_asked_before_the_current    | h.F h.F                | base=b3                 | want base b2
a_lint_error_in_changed_lines_asks_the_base    | h.F                    | kind=lint diff=touches  | want base b2
a_lint_error_elsewhere_is_tried_again          | h.F                    | kind=lint diff=elsewhere | want rerun
a_lint_error_that_came_and_went_is_tried_again | h.F                    | kind=lint diff=touches flaked | want rerun
a_test_in_changed_lines_is_tried_again         | h.F                    | diff=touches            | want rerun
a_changed_item_asks_the_base                   | h.F                    | diff=changes            | want base b2
a_running_base_is_waited_for                   | h.F h.F b2.R           |                         | want wait
a_run_that_never_ends_is_not_waited_for        | h.F h.F b2.R~7h        |                         | want base b2
a_running_rerun_is_waited_for                  | h.F h.R=               |                         | want wait
no_red_no_verdict                              | h.G b2.F               |                         | nothing
nothing_ran_no_verdict                         | b2.F                   |                         | nothing
# base-defect
base_red_by_a_push                             | b2.F h.F               |                         | base-defect → repair
base_red_by_a_probe                            | h.F p2.F               |                         | base-defect → repair
base_red_of_last_week_still_counts             | b2.F~170h h.F          |                         | base-defect → repair
base_red_on_the_newest_commit                  | h.F b3.F               | base=b3                 | base-defect → repair
base_red_on_an_older_commit_is_not_enough      | b2.F h.F               | base=b3                 | want base b3
busy_base_red_asked_for_after_the_failure      | h.F@b1 p2.F            | base=b3                 | base-defect → repair
busy_base_red_of_the_tested_commit_alone       | h.F p2.F               | base=b3                 | want base b3
busy_base_red_on_the_base_before_the_failure   | b3.F h.F@b1 p2.G       | base=b3                 | base-defect → repair
busy_base_older_red_between_is_not_enough      | b2.F h.F@b1            | base=b3                 | want base b3
busy_base_one_red_of_a_wordless_job_between    | h.F@b1 p2.F            | base=b3 kind=job        | want base b3
busy_base_red_since_the_first_of_two_failures  | h.F@b1 p2.F h.F@b1=    | base=b3                 | base-defect → repair
busy_base_red_before_it_was_met_on_this_base   | h.F@b0 p2.F h.F@b1     | base=b3                 | want base b3
busy_base_red_without_a_time                   | h.F@b1 p2.F~never      | base=b3                 | want base b3
busy_base_red_after_a_failure_without_a_time   | h.F@b1~never p2.F      | base=b3                 | want base b3
busy_base_pushes_chase_nothing                 | h.F@b0 b1.X b2.X b3.X  | base=b4 no=rerun noprobe=b0| want base b4
busy_base_probes_before_the_failure_chased_nothing| p1.X p2.X p3.X h.F@b0  | base=b4 no=rerun noprobe=b0| want base b4
busy_base_probe_of_the_tested_commit_chases_nothing| h.F@b0 p0.X p1.X p2.X  | base=b4 no=rerun noprobe=b0 | want base b4
base_tested_as_an_older_red_tells              | h.F h.F@? b2.G         | base=b3                 | task-defect → explain
base_greens_since_others_first_failed_so       | o.F b2.G b2.G b2.G o.F h.F h.F h.F|                         | task-defect → explain
drift_as_many_items_but_on_another_commit      | b2.F7 h.F7 b3.Q7       | base=b3 diff=elsewhere  | want base b3 more
base_greens_though_others_have_no_time         | o.F~never b2.G b2.G b2.G h.F h.F h.F|                         | task-defect → explain
busy_base_red_again_since_the_failure          | p2.F h.F@b1 p2.F       | base=b3                 | base-defect → repair
base_green_as_many_items_but_on_another_commit | b3.Q7 h.F7 h.F7        | base=b3 diff=elsewhere  | want base b2
busy_base_is_not_chased_for_ever               | h.F@b0 p1.X p2.X p3.X  | base=b4 no=rerun noprobe=b0 | unclassified → escalate
build_passed_where_tests_ran                   | b2.X h.F               | kind=build diff=touches | task-defect → explain
build_not_seen_where_nothing_is_named          | b2.N h.F               | kind=build diff=touches | want base b2 more
lint_did_not_pass_where_tests_ran              | b2.X h.F               | kind=lint diff=touches  | want base b2 more
flake_beside_a_defect_by_the_file_seen         | h.F h.Z=               |                         | flake → none
flake_beside_a_defect_by_the_number_of_items   | h.F7 h.X7=             |                         | flake → none
flake_beside_a_defect_not_seen                 | h.F7 h.X6=             |                         | nothing
base_red_in_another_way                        | b2.X h.F               |                         | want rerun
base_red_in_another_way_and_two_reds           | b2.X h.F h.F           |                         | want base b2 more
stale_green_then_a_red_probe                   | b2.G~9h h.F p2.F       |                         | base-defect → repair
fresh_green_then_red_is_looked_at_again        | b2.G h.F p2.F          |                         | want base b2 more
fresh_green_then_three_reds_is_the_base        | b2.G h.F p2.F p2.F p2.F |                        | base-defect → repair
base_defect_before_task_defect                 | b2.F h.F h.F           |                         | base-defect → repair
base_defect_though_the_tested_base_was_green   | b2.G h.F h.F b3.F      | base=b3                 | base-defect → repair
base_defect_before_an_own_item                 | b2.F h.F               | diff=changes            | base-defect → repair
base_older_than_the_tested_one_stands_for_nothing | h.F p1.F             | base=b3                 | want base b3
base_green_after_three_reds_is_mixed           | b2.F p2.F p2.F p2.G h.F |                      | flake → rerun
# base-drift
drift_red_then_green_on_the_base               | b2.F h.F b3.G          | base=b3                 | base-drift → synchronise
drift_by_changes_that_are_only_the_bases       | h.F                    | base=b3 baseonly        | base-drift → synchronise
drift_by_the_bases_changes_and_no_merge_tested | h.F@?                  | baseonly                | base-drift → synchronise
drift_by_the_bases_changes_is_none_in_a_group  | q.F                    | base=b3 baseonly        | want rerun
drift_not_where_the_current_base_was_tested    | h.F                    | baseonly                | want rerun
drift_waits_where_no_base_is_known             | h.F@?                  | baseunread              | want wait
drift_waits_for_nothing_in_a_group             | q.F                    | base=b3 baseunread      | want rerun
drift_waits_for_what_the_base_changed          | h.F                    | base=b3 baseunread      | want wait
drift_waits_for_nothing_on_the_current_base    | h.F                    | baseunread              | want rerun
drift_strict_in_a_plan_run                     | h.F                    | base=b3 plan strict     | base-drift → synchronise
drift_strict_not_on_the_runs_current_base      | h.F                    | plan strict             | want rerun
drift_strict_needs_a_known_tested_base         | h.F@?                  | base=b3 plan strict     | want rerun
drift_strict_needs_a_known_base                | h.F                    | base=? plan strict      | want rerun
drift_strict_needs_a_plan_run                  | h.F                    | base=b3 strict          | want rerun
drift_plan_run_needs_strict                    | h.F                    | base=b3 plan            | want rerun
drift_stale_base_alone_is_no_class             | h.F                    | base=b3                 | want rerun
drift_green_current_base_wants_the_tested_one  | h.F h.F b3.G           | base=b3                 | want base b2
drift_not_twice_between_two_pushes             | b2.F h.F b3.G          | base=b3 drifted=1 no=rerun,base | unclassified → escalate
drift_again_after_a_persons_push               | b2.F h.F b3.G          | base=b3 drifted=5       | base-drift → synchronise
drift_needs_the_item_seen_on_the_new_base      | b2.F h.F b3.Q          | base=b3                 | want base b3 more
drift_before_stall                             | b2.F h.F b3.G          | base=b3 kind=stall      | base-drift → synchronise
# gate-stalled
stall_asks_the_base                            | h.F                    | kind=stall              | gate-stalled → probe
stall_on_the_base_too                          | h.F p2.F               | kind=stall              | gate-stalled → repair
stall_before_base_defect                       | b2.F h.F               | kind=stall              | gate-stalled → repair
stall_on_the_task_alone_once                   | h.F p2.G               | kind=stall              | gate-stalled → rerun
stall_on_the_task_alone_twice                  | h.F p2.G h.F           | kind=stall              | gate-stalled → resolve
stall_that_passed_when_it_ran_again            | h.F h.G=               | kind=stall              | gate-stalled → none
stall_without_a_known_base                     | h.F@?                  | kind=stall base=?       | gate-stalled → rerun
stall_without_a_probe                          | h.F                    | kind=stall no=base      | gate-stalled → rerun
stall_of_a_step_that_passed_on_the_base        | h.F p2.Q               | kind=step               | gate-stalled → rerun
stall_of_an_item_not_seen_on_the_base          | h.F p2.Q               | kind=stall              | gate-stalled → probe
# task-defect
task_two_reds_and_a_green_base                 | b2.G h.F h.F           |                         | task-defect → explain
task_two_reds_and_its_file_green_on_the_base   | b2.C h.F h.F           |                         | task-defect → explain
task_two_reds_and_the_item_green_in_a_red_job  | b2.Z h.F h.F           |                         | task-defect → explain
task_a_probe_is_as_good                        | h.F h.F p2.G           |                         | task-defect → explain
task_lint_in_changed_lines                     | b2.Q h.F               | kind=lint diff=touches  | task-defect → explain
task_build_in_changed_lines                    | b2.Q h.F               | kind=build diff=touches | task-defect → explain
task_type_in_changed_lines                     | b2.Q h.F               | kind=type diff=touches  | task-defect → explain
task_lint_elsewhere_needs_a_second_red         | b2.Q h.F               | kind=lint diff=elsewhere | want rerun
task_lint_with_an_unread_diff                  | b2.Q h.F               | kind=lint               | want rerun
task_a_test_in_changed_lines_needs_a_second_red | b2.G h.F               | diff=touches            | want rerun
task_adds_the_item                             | h.F                    | diff=adds               | task-defect → explain
task_adds_the_item_which_flakes                | h.F h.G                | diff=adds               | task-defect → explain
task_changes_the_item                          | b2.G h.F               | diff=changes            | task-defect → explain
task_changes_the_item_which_flakes             | b2.G h.F h.G           | diff=changes            | task-defect → explain
task_changes_the_item_next_to_it               | b2.G h.F               | diff=beside             | want rerun
task_busy_base_the_tested_commit_is_green      | b2.G h.F h.F           | base=b3                 | task-defect → explain
task_unknown_tested_base_the_current_is_green  | b2.G h.F@? h.F@?       |                         | task-defect → explain
task_tested_base_out_of_reach                  | h.F h.F b3.G           | base=b3 noprobe=b2      | task-defect → explain
task_tested_base_to_be_asked_later             | h.F h.F b3.G           | base=b3 later=base      | want wait
task_others_fail_so_three_of_each              | o.F b2.G h.F h.F       |                         | want rerun
task_others_fail_so_the_green_must_be_later    | b2.G o.F h.F h.F h.F   |                         | want base b2 more
task_others_fail_so_and_three_of_each          | o.F p2.G p2.G p2.G h.F h.F h.F |                 | task-defect → explain
task_stale_green_is_no_baseline                | b2.G~9h h.F h.F        |                         | want base b2 more
task_green_of_five_hours_is_a_baseline         | b2.G~5h h.F h.F        |                         | task-defect → explain
task_green_of_another_commit_is_no_baseline    | b1.G h.F h.F           |                         | want base b2
task_quiet_green_base_is_no_baseline           | b2.Q h.F h.F           |                         | want base b2 more
task_green_with_another_base_is_no_doubt       | b2.G h.G@b1 h.F h.F    |                         | task-defect → explain
task_others_fail_so_one_green_is_not_enough    | o.F p2.G h.F h.F h.F   |                         | want base b2 more
task_others_fail_after_all_greens              | b2.G p2.G p2.G o.F h.F h.F h.F |                 | want base b2 more
task_lint_that_comes_and_goes                  | b2.Q p2.Q p2.Q h.F     | kind=lint diff=touches flaked | want rerun
# flake
flake_after_three_reds_and_three_greens        | b2.G p2.G p2.G h.F h.F h.F h.G= |                | flake → none
mixed_base_and_three_reds_is_nobodys           | b2.F p2.G h.F h.F h.F  |                         | unclassified → escalate
mixed_base_with_three_greens_is_nobodys        | b2.F p2.G p2.G p2.G h.F h.F h.F |                         | unclassified → escalate
flake_red_then_green                           | h.F h.G=               |                         | flake → none
flake_green_then_red                           | h.G h.F=               |                         | flake → rerun
flake_red_green_red                            | h.F h.G= h.F=          |                         | flake → rerun
flake_by_the_file_seen                         | h.F h.C=               |                         | flake → none
flake_by_the_number_of_items                   | h.F7 h.Q7=             |                         | flake → none
flake_quiet_pass_is_no_proof                   | h.F7 h.Q6=             |                         | nothing
flake_of_another_run_with_the_same_base        | h.F h.G                |                         | flake → none
flake_not_with_another_base                    | h.F@b1 h.G             |                         | nothing
flake_not_with_two_unknown_bases               | h.F@? h.G@?            |                         | nothing
flake_unknown_base_but_one_run                 | h.F@? h.G@?=           |                         | flake → none
flake_not_in_another_configuration             | h.F h.G%arm=           |                         | nothing
flake_skipped_is_no_success                    | h.F h.S=               |                         | want rerun
flake_pass_beside_the_second_of_two_reds       | h.F@b1 h.F h.G=        |                         | flake → none
flake_pass_that_was_fresh_when_it_failed       | h.F~8h h.G~8h          |                         | flake → none
flake_step_not_run_is_no_success               | h.F h.E=               |                         | nothing
flake_a_green_base_is_none                     | b2.G h.F h.Y=          |                         | nothing
flake_job_level                                | h.F h.Q=               | kind=job                | flake → none
flake_seen_on_the_clean_base                   | h.F p2.F p2.G          |                         | flake → rerun
flake_second_in_the_window_asks_people         | h.F h.G=               | again                   | flake → decide
flake_an_old_green_does_not_excuse_a_new_red   | h.G~9h h.F             |                         | want rerun
# job-level and known flakers: the quorum
job_two_reds_one_green                         | b2.Q h.F h.F           | kind=job                | want base b2 more
job_two_reds_two_greens                        | b2.Q p2.Q h.F h.F      | kind=job                | task-defect → explain
job_two_greens_of_two_base_commits             | b1.Q b2.Q h.F h.F      | kind=job                | want base b2 more
job_one_red_on_the_base                        | b2.F h.F               | kind=job                | want base b2 more
job_two_reds_on_the_base                       | b2.F h.F p2.F          | kind=job                | base-defect → repair
job_two_reds_on_two_base_commits               | b1.F b2.F h.F          | kind=job                | want base b2 more
known_flaker_two_reds                          | b2.G h.F h.F           | flaked                  | want rerun
known_flaker_three_reds_one_green              | b2.G h.F h.F h.F       | flaked                  | want base b2 more
known_flaker_three_of_each                     | b2.G p2.G p2.G h.F h.F h.F | flaked              | task-defect → explain
known_flaker_one_red_on_the_base               | b2.F h.F               | flaked                  | want base b2 more
known_flaker_that_can_not_be_run               | b2.G h.F h.F           | flaked no=rerun,base    | unclassified → escalate
wavering_on_the_base_line                      | b0.F b1.G b2.F h.F     |                         | want base b2 more
wavering_with_the_tasks_own_red_as_the_last    | b0.F b1.G h.F h.F      |                         | want base b2
broken_base_that_another_task_passed           | b2.F o.G h.F           |                         | want base b2 more
another_task_passed_before_the_base_broke      | o.G b2.F h.F           |                         | base-defect → repair
base_green_before_it_broke_is_no_doubt         | b1.G b2.F h.F          |                         | base-defect → repair
flaked_on_an_earlier_head                      | e.F e.G= b2.G h.F h.F  |                         | want rerun
# neither red nor green
infrastructure_alone_gets_its_row              | h.I                    |                         | want row
infrastructure_while_it_runs_again             | h.I h.R=               |                         | nothing
infrastructure_without_a_row                   | h.I                    | no=row                  | unclassified → escalate
infrastructure_whose_row_has_to_wait           | h.I                    | later=row               | want wait
infrastructure_after_its_row_is_unclassified   | h.I                    | rowdone                 | unclassified → escalate
infrastructure_on_the_base_proves_nothing      | b2.I h.F h.F           |                         | want base b2
infrastructure_on_the_head_is_no_second_red    | b2.G h.F h.I           |                         | want rerun
infrastructure_after_two_reds_takes_nothing_back | b2.G h.F h.F h.I=      |                         | task-defect → explain
cancelled_on_the_base_proves_nothing           | b2.K h.F h.F           |                         | want base b2
cancelled_alone_is_no_failure                  | h.K                    |                         | nothing
skipped_on_the_base_proves_nothing             | b2.S h.F h.F           |                         | want base b2
empty_green_base                               | b2.E h.F h.F           |                         | want base b2 more
linters_step_skipped_on_the_base               | b2.E h.F h.F           | kind=lint               | want base b2 more
linters_step_skipped_on_the_head               | b2.F h.F h.E=          | kind=lint               | base-defect → repair
empty_green_probe_is_not_asked_twice           | h.F h.F p2.E           |                         | unclassified → escalate
green_probe_without_the_item_proves_nothing    | h.F h.F p2.Q           |                         | unclassified → escalate
probe_that_ran_only_the_item_it_was_told       | h.F20 h.F20 p2.G1!     |                         | unclassified → escalate
probe_that_shows_only_the_item_it_was_told     | h.F h.F p2.G!          |                         | unclassified → escalate
probe_that_was_told_an_item_and_ran_all        | h.F20 h.F20 p2.G19!    |                         | task-defect → explain
probe_that_was_told_the_only_item_there_is     | h.F1 h.F1 p2.G1!       |                         | task-defect → explain
probe_that_failed_at_the_item_it_was_told      | h.F20 p2.F1!           |                         | base-defect → repair
probe_that_failed_beside_the_item_it_was_told  | h.F h.F p2.Z!          |                         | task-defect → explain
probe_that_shows_only_the_file_it_was_told     | h.F h.F p2.C!          |                         | unclassified → escalate
probe_that_ran_one_more_than_it_was_told       | h.F20 h.F20 p2.G2!     |                         | task-defect → explain
probes_that_are_not_read_block_nothing         | h.F h.F p2.L p2.L      |                         | want base b2 more
probe_that_failed_for_another_reason_once      | h.F h.F p2.X           |                         | want base b2 more
probe_that_failed_for_another_reason_twice     | h.F h.F p2.X p2.X      |                         | unclassified → escalate
probe_whose_ref_vanished                       | h.F h.F p2.K           |                         | want base b2
probe_lost_to_the_network                      | h.F h.F p2.I           |                         | want base b2
# the deterministic row first
provision_row_first                            | b2.F h.F               | kind=dep                | want row
provision_after_its_row                        | b2.F b2.F h.F          | kind=dep rowdone        | base-defect → repair
disk_row_first                                 | h.F                    | kind=disk               | want row
lockfile_row_first                             | h.F                    | kind=lock               | want row
artifact_row_first                             | h.F                    | kind=files              | want row
memory_row_first                               | h.F                    | kind=oom                | want row
memory_after_its_row                           | h.F h.F                | kind=oom rowdone        | want base b2
a_row_that_can_not_be_done_is_skipped          | h.F                    | kind=dep no=row         | want rerun
a_row_that_has_to_wait_is_waited_for           | h.F                    | kind=dep later=row      | want wait
a_runner_that_died_gets_its_row                | h.D                    | no=log                  | want row
a_runner_that_died_after_its_row               | h.D                    | no=log,row              | unclassified → escalate
# what can not be had
nothing_can_be_had                             | h.F                    | no=rerun,base           | unclassified → escalate
only_the_base_can_be_had                       | h.F                    | no=rerun                | want base b2
only_a_rerun_can_be_had                        | h.F                    | no=base                 | want rerun
two_reds_without_a_base                        | h.F h.F                | no=base                 | unclassified → escalate
a_rerun_later_but_the_base_now                 | h.F                    | later=rerun             | want base b2
everything_later                               | h.F                    | later=rerun,base        | want wait
unknown_base_and_nothing_else                  | h.F@? h.F@?            | base=?                  | unclassified → escalate
one_look_for_a_flake_where_no_base_can_tell    | h.F h.F p2.E           | flaked                  | unclassified → escalate
passed_then_failed_and_nothing_more_to_be_had  | b2.G h.F p2.F          | no=base,rerun           | flake → rerun
both_failing_differently_is_nobodys            | p2.Y p2.Y h.F h.F      | no=rerun                | unclassified → escalate
outage_parks_what_is_open                      | h.F                    | outage                  | want wait
outage_acts_on_nothing                         | b2.F h.F               | outage                  | base-defect → none
outage_parks_the_deterministic_row             | h.F                    | kind=dep outage         | want wait
fork_green_with_secrets_is_another_world       | b2.G h.F^ h.F^         |                         | want base b2 more
fork_green_without_secrets                     | b2.G^ h.F^ h.F^        |                         | task-defect → explain
base_in_another_configuration                  | b2.G%arm h.F h.F       |                         | want base b2 more
# merge groups
group_red_once_is_enqueued_again               | q.F                    |                         | want rerun
group_red_then_green_is_a_flake                | q.F q.G                |                         | flake → none
group_red_twice_on_a_green_base                | b2.G q.F q.F           |                         | task-defect → explain
group_red_twice_on_two_green_bases             | b1.G q.F@b1 b2.G q.F   |                         | task-defect → explain
red_on_two_green_bases                         | b1.G h.F@b1 b2.G h.F   |                         | task-defect → explain
group_red_on_a_red_base                        | b2.F q.F               |                         | base-defect → repair
# the cases from the field
a1_missing_time_is_no_baseline                 | b2.G~never h.F h.F     |                         | want base b2 more
a1_a_red_without_a_time_beside_a_green         | h.F~never h.G=         |                         | flake → none
a1_a_green_without_a_time_is_doubt             | b2.G h.F h.G~never= h.F= |                         | want rerun
a2_own_earlier_merge_excuses_nothing           | m2.F h.F               |                         | want rerun
a2_own_earlier_merge_and_two_reds              | m2.F h.F h.F           |                         | want base b2
a2_whose_commit_the_base_is_is_being_read      | u2.F h.F               |                         | want wait
a2_whose_commit_matters_only_where_it_fails_so | u2.X h.F              |                         | want rerun
a2_own_earlier_merge_does_not_look_like_a_flake | m0.F b1.G b2.G h.F h.F |                       | task-defect → explain
a2_anothers_merge_reverted_does                | b0.F b1.G h.F h.F      |                         | want base b2
a2_the_same_authors_other_task                 | a.F b2.G h.F h.F       |                         | task-defect → explain
a3_never_ran_on_the_base                       | h.F h.F                |                         | want base b2
a3_never_ran_and_no_probe                      | h.F h.F                | no=base                 | unclassified → escalate
a6_a_label_beside_a_broken_base                | b2.F h.F               | claim=override          | base-defect → repair
a10_one_event_is_no_quorum                     | b2.F h.F               | kind=job                | want base b2 more
a7_a_green_that_lists_no_failure               | b2.G h.F h.F           |                         | task-defect → explain
a8_job_level_red_once_on_the_base              | b2.F h.F               | kind=job                | want base b2 more
a11_mixed_end_is_flake                         | b2.G h.F h.F= h.G=     |                         | flake → none
a11_mixed_end_on_the_base_is_flake             | b2.F h.F p2.G          |                         | flake → rerun
a12_prior_flakes_raise_the_count               | b2.G h.F h.F           | flaked                  | want rerun
a14_flaky_and_no_more_runs_is_refused          | b2.G h.F h.F           | flaked no=rerun,base    | unclassified → escalate
a16_green_pull_red_queue                       | h.G q.F                |                         | want rerun
a17_a_label_is_no_proof                        | b2.G h.F h.F           | claim=intermittent      | task-defect → explain
a18_a_known_flaker_with_a_new_message          | e.Y e.G= b2.G h.F h.F  |                         | task-defect → explain
a19_green_base_and_one_red_is_not_proven       | b2.G h.F               | diff=elsewhere          | want rerun
a21_never_ran_before_the_merge                 | q.F b2.F               | unseen=event            | base-defect → repair
a22_new_in_the_second_push                     | e.G h.F                |                         | want rerun
a24_missing_log_is_read_again                  | h.L                    |                         | want log
a24_missing_log_is_read_later                  | h.L                    | later=log               | want wait
a24_missing_log_for_good                       | h.M                    | no=log                  | unclassified → escalate
a24_log_that_names_nothing                     | h.N                    |                         | unclassified → escalate
c5_a_rerun_never_sees_the_mended_base          | b2.F h.F b3.G h.F=     | base=b3                 | base-drift → synchronise
c6_each_run_with_the_base_it_tested            | b2.F h.F@b3 h.F@b3 b3.G | base=b3                | want base b3 more
c7_control_rerun_on_the_old_base               | h.F@b1 h.F@b1= b1.F b3.G | base=b3               | base-drift → synchronise
c8_a_base_faster_than_ci_still_gives_a_verdict | b0.G h.F@b0 h.F@b0=   | base=b4                 | task-defect → explain
c9_a_green_of_another_base_is_another_green    | h.G@b1 h.F@b2          |                         | want rerun
d11_a_red_group_is_tried_again_before_blame    | b2.G q.F               |                         | want rerun
h9_a_fix_is_unproven_until_it_ran              | b2.G e.F e.F           |                         | nothing
i1_back_to_back_red_on_the_base_is_no_flake    | b1.F b2.F h.F          |                         | base-defect → repair
i3_a_retry_that_was_not_seen_to_pass           | h.F h.Q=               |                         | nothing
"""

ROWS = [
    tuple(part.strip() for part in line.split("|")) for line in TABLE.splitlines() if line.strip() and line[0] != "#"
]


@pytest.mark.parametrize(("name", "row", "facts", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_row(name: str, row: str, facts: str, expected: str) -> None:
    """A row's executions give the class, with its next action, or what is wanted."""
    assert told(attribute(case(row, facts))) == expected


def test_the_table_is_large() -> None:
    """At least 80 rows with names of their own."""
    names = [row[0] for row in ROWS]
    assert len(names) == len(set(names)) >= 80
