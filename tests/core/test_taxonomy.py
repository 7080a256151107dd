"""The table of failure classes: complete, consistent, and the only list."""

from __future__ import annotations

from resolver.log.rulebook import read_rules
from resolver.taxonomy import CLASS_OF_KIND, KINDS, ROW_FIRST, TAXONOMY, class_in_own_workflow

SPECIFICATION = [
    "dep-provision-failed",
    "lockfile-out-of-sync",
    "commit-hook-rejected",
    "gate-red-code",
    "gate-red-env",
    "gate-not-green-after-fixer",
    "fixer-scope-violation",
    "merge-conflict",
    "wrapper-engine-down",
    "wrapper-timeout-repeated",
    "wrapper-rate-limited",
    "provider-quota",
    "journal-state-unknown",
    "journal-append-failed",
    "runconfig-read-failed",
    "registry-auth-missing",
    "disk-space-low",
    "plan-invalid",
    "base-moved",
    "orphan-worktree",
    "journal-corrupt",
    "not-a-git-repo",
    "fallback-exhausted",
    "task-stalled",
    "agent-idle",
    "land-failed",
    "land-blocked-unreviewed",
    "protected-path-touched",
    "budget-exceeded",
    "artifacts-missing",
    "adapter-contract-violation",
    "repeated-failure-stop",
    "unknown",
]


def test_table_holds_the_specified_classes() -> None:
    """Exactly the classes of the specification, section 3."""
    assert sorted(TAXONOMY) == sorted(SPECIFICATION)


def test_every_row_says_what_it_is() -> None:
    """Each class has scopes and words for people: a short title without a full stop."""
    for key, row in TAXONOMY.items():
        assert row.key == key
        assert row.scopes
        assert 0 < len(row.title) <= 60
        assert not row.title.endswith(".")


def test_a_check_may_claim_its_own_classes_only() -> None:
    """Nothing that only failres can know is believed of a check, and what a check may claim has the scope of a task."""
    claimable = {key for key, row in TAXONOMY.items() if row.claimable}
    assert claimable == {*CLASS_OF_KIND.values()}
    assert all("task" in TAXONOMY[key].scopes for key in claimable)


def test_the_deterministic_action_comes_first_for_the_classes_of_the_surroundings() -> None:
    """Install, lock file, disk, artifacts and the environment (specification, section 5); a check may claim each."""
    installs = {"dep-provision-failed", "registry-auth-missing", "lockfile-out-of-sync"}
    assert installs | {"disk-space-low", "artifacts-missing", "gate-red-env"} == ROW_FIRST
    assert all(TAXONOMY[key].claimable for key in ROW_FIRST)


def test_kinds_and_classes_fit() -> None:
    """Each finer word maps to a class that knows it."""
    for kind, fail_class in CLASS_OF_KIND.items():
        assert kind in TAXONOMY[fail_class].kinds


def test_rules_use_the_table() -> None:
    """Every kind and class of a rule that tells a failure is in the table."""
    for rule in read_rules():
        if rule.role in ("item", "error", "cause", "summary"):
            assert rule.kind in KINDS, rule.id
        if rule.fail_class:
            assert rule.fail_class in TAXONOMY, rule.id


def test_limits_in_own_workflows() -> None:
    """In failres's own workflows a limit is the fixer's; every other kind keeps its class."""
    assert class_in_own_workflow("rate-limit", "gate-red-env") == "wrapper-rate-limited"
    assert class_in_own_workflow("quota", "gate-red-env") == "provider-quota"
    assert class_in_own_workflow("test", "gate-red-code") == "gate-red-code"
