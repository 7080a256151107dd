"""The engine's own limits, each with its default written once. What a repository may set lives in `resolver.config`."""

from __future__ import annotations

from resolver.config import Mode
from resolver.records import Record


class Limits(Record):
    """Paces and caps of one process; times are in seconds."""

    ceiling: Mode = "observe"
    """The most that any repository's configuration may switch on in this process."""

    model_calls_per_day: int = 0
    """How many calls to a model one repository may cost in a day, whatever its configuration says; 0: there is none."""

    probe_patience: float = 6 * 3_600.0
    """After so long a probe that never reported is given up and its branch removed."""

    removed_at_once: int = 20
    """How many caches, branches and artifacts one repair removes; what is left is for the next one."""

    orphan_rest: float = 600.0
    """How long a branch of failres's own is left alone without an owner: its record may be on its way."""

    repair_patience: float = 1_800.0
    """How long a repair of a check's surroundings may take, or be refused for now, before it counts as failed."""

    watch_every: float = 300.0
    """How often a commit is looked at whose results are waited for, should webhooks not tell of them."""

    snapshot_every: int = 5_000
    """After so many records of a repository its fold is kept anew, so that a start folds about so many at most."""

    snapshot_rest: float = 300.0
    """So long (seconds) after a fold was kept it is not kept anew: a busy repository records as many in a minute."""

    snapshot_bytes: int = 512 * 1024 * 1024
    """How large a kept fold may be before it is packed; packed it takes about a fifteenth."""

    sweep_every: float = 600.0
    """How often the open pull requests are listed, so that a lost event is only late."""

    log_patience: float = 300.0
    """How long a report waits for a log that is being read before it is posted without it."""

    logs_per_head: int = 20
    """How many failed jobs of one head have their logs read."""

    logs_alike: int = 3
    """After so many cells of one matrix job failed alike on a head, the other cells' logs are not read."""

    logs_at_once: int = 3
    """How many logs of one head are read at the same time."""

    base_changes_every: float = 3_600.0
    """How often a red head is compared anew with a base that moves on."""

    unseen_checks: int = 5
    """Of so many checks of one pull request it is read whether they had run before the base broke."""

    base_line: int = 100
    """How many of a base branch's newest commits are remembered with their executions."""

    flakes: int = 500
    """How many verdicts `flake` of a repository are remembered."""

    quarantines: int = 20
    """How many of a task's quarantines are remembered with their evidence, the newest; the ledger counts all."""

    pushes: int = 50
    """How many of a pull request's pushes are remembered."""

    stall_history: int = 5
    """With fewer past durations of a step, no stall of it is claimed unless the configuration gives a budget."""

    step_samples: int = 50
    """How many durations of one step are remembered, the newest."""

    step_names: int = 60
    """Of how many steps of one job durations are remembered."""

    step_jobs: int = 1_000
    """Of how many jobs the steps' durations are remembered."""

    merge_groups: int = 100
    """How many groups of one merge queue are remembered."""

    rules_every: float = 3_600.0
    """How often the rules of a base branch are read: whether it has a merge queue, and which checks must be green."""

    queue_patience: float = 600.0
    """After so long without a report of a required check a merge group is looked into."""

    unowned_heads: int = 200
    """How many commits that belong to no open pull request or base are remembered."""

    probes_kept: int = 200
    """How many probes whose branch is gone are remembered, the newest."""

    effects_kept: int = 2_000
    """How many of a repository's own actions are remembered, the newest."""

    closed_pulls: int = 200
    """With no more closed pull requests than these none is put away."""

    closed_for: float = 86_400.0
    """Only what was closed for so long (seconds) is put away: what is counted for a day counts it still."""

    records_every: float = 600.0
    """Our own branch in a repository gets at most one commit in this time (specification, section 13)."""

    handoff_patience: float = 60.0
    """How long a question's comment waits for its handoff bundle, so that the mail that GitHub sends has the link."""

    quarantine_patience: float = 300.0
    """How long a quarantine's handoff bundle waits for the question about it, so that one file holds both."""

    notice_patience: float = 300.0
    """How long a notification waits for the question's comment, so that it can lead to it."""

    handoffs_at_once: int = 20
    """How many handoff bundles one commit brings at most."""


LIMITS = Limits()
