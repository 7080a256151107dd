"""Identities as distinct types, so that a head cannot be passed where a fingerprint is meant."""

from __future__ import annotations

from typing import NewType

Sha = NewType("Sha", str)
"""A git object id, 40 or 64 lowercase hex digits."""

RepoId = NewType("RepoId", int)
"""GitHub's numeric id of a repository: it survives renames and transfers."""

PullNumber = NewType("PullNumber", int)
"""The number of a pull request in its repository."""

InstallationId = NewType("InstallationId", int)
"""GitHub's numeric id of an App's installation."""

RunId = NewType("RunId", str)
"""Our run: `pr-<number>`, or the slug of `plan/<slug>--<taskId>` branches."""

Fingerprint = NewType("Fingerprint", str)
"""`v1-` and 16 hex digits: the stable key of a failure."""

TextHash = NewType("TextHash", str)
"""SHA-256, in hex, of a text kept beside the journal."""
