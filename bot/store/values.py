"""What goes into the store and comes out of it: plain named tuples, all times in seconds since the epoch."""

from __future__ import annotations

from typing import Any, NamedTuple


class Delivery(NamedTuple):
    """
    One thing to be handled: a webhook, a timer's result or a worker's outcome.

    `guid` is `X-GitHub-Delivery` (a redelivery keeps it), or `outcome:<action key>:<n>`; `event` is GitHub's event
    name, or `outcome`; `key` is `repo:<numeric id>` or `app`; `body` is JSON text.
    """

    guid: str
    event: str
    key: str
    body: str


class Received(NamedTuple):
    """A delivery as the inbox holds it, with the time at which it was stored."""

    guid: str
    event: str
    key: str
    body: str
    received_at: float


class Entry(NamedTuple):
    """One record to append. `once` is its natural identity inside the key: a second append of it does nothing."""

    kind: str
    data: dict[str, Any]
    once: str | None = None


class JournalRow(NamedTuple):
    """
    One record as the journal holds it.

    `seq` counts over all keys without gaps, in the order of commits. `previous` is the digest of the key's record
    before it; `digest` is the SHA-256, in hex, of this one with all its fields.
    """

    seq: int
    at: float
    key: str
    kind: str
    data: dict[str, Any]
    once: str | None
    previous: str
    digest: str


class Snapshot(NamedTuple):
    """
    A key's fold up to record `seq`, as bytes. `chain` is that record's digest, `core` tells which code made the bytes,
    `written_at` when. `digest` is over the bytes and all that they belong to; whoever makes and reads them checks it.
    """

    key: str
    seq: int
    chain: str
    core: str
    written_at: float
    digest: str
    state: bytes


class Anchor(NamedTuple):
    """The record of the journal that a snapshot names: when it was appended, and its digest."""

    at: float
    digest: str


class Order(NamedTuple):
    """
    One row for the outbox: an action to carry out.

    `action_key` identifies the action and is unique while it waits. `target` is what it would write to: a newer order
    of the same repository for the same target replaces an older one that nobody has taken. `lane` paces (for example
    `write:<installation id>`); with `serial`, at most one order of the lane is taken at a time. Of the orders of a
    lane a smaller `priority` goes first. `body` is the action's JSON.
    """

    key: str
    action_key: str
    target: str
    lane: str
    serial: bool
    priority: int
    not_before: float
    body: str


class LeasedOrder(NamedTuple):
    """
    An order that a worker has taken. `owner` is unique to this claim.

    `attempts` counts claims, this one included, and those of an order that this one replaced: 2 or more means that an
    earlier attempt may have reached GitHub.
    """

    order: Order
    owner: str
    attempts: int


class Lease(NamedTuple):
    """
    A key that a process has taken for one turn. `owner` is unique to this claim.

    `wakes` counts the wakes since the key's row was made; `attempts` counts claims since the last turn that did not
    fail, this one included: 1 on the first try, also more after a crash in the middle of a turn.
    """

    key: str
    owner: str
    wakes: int
    attempts: int
