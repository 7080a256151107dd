"""
Make `bot/sandbox/description/schema.graphql` from GitHub's published schema: only the fields that the sandbox resolves.

Usage: `python tests/sandbox/trim_graphql.py NODE_MODULES`. The SDL is parsed, not built: the published one defines two
fields twice, and the JSON beside it is older (GITHUB.md 2.1).
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Any

import graphql
from graphql.language import ast

from tests.sandbox.trim_description import HERE, package

_PAGED = "edges nodes pageInfo totalCount"
KEPT: dict[str, str] = {
    "Query": "node nodes rateLimit repository",
    "Mutation": """minimizeComment unminimizeComment updatePullRequestBranch mergePullRequest
        convertPullRequestToDraft markPullRequestReadyForReview enqueuePullRequest dequeuePullRequest""",
    "Node": "id",
    "Actor": "login",
    "RepositoryOwner": "id login",
    "Minimizable": "isMinimized minimizedReason",
    "Labelable": "labels",
    "User": "databaseId id login",
    "Bot": "databaseId id login",
    "Organization": "databaseId id login",
    "RateLimit": "cost limit nodeCount remaining resetAt used",
    "PageInfo": "endCursor hasNextPage hasPreviousPage startCursor",
    "Repository": """databaseId defaultBranchRef id isArchived isPrivate mergeQueue name nameWithOwner owner
        pullRequest pullRequests ref refs""",
    "Ref": "id name target",
    "RefConnection": _PAGED,
    "RefEdge": "cursor node",
    "GitObject": "id oid",
    "Commit": "checkSuites file id messageHeadline oid parents statusCheckRollup",
    "TreeEntry": "mode name object oid path type",
    "Blob": "byteSize id isBinary isTruncated oid text",
    "CheckSuite": "app conclusion id status updatedAt",
    "CheckSuiteConnection": _PAGED,
    "CheckSuiteEdge": "cursor node",
    "App": "id slug",
    "CommitConnection": _PAGED,
    "CommitEdge": "cursor node",
    "StatusCheckRollup": "contexts id state",
    "StatusCheckRollupContextConnection": """checkRunCount checkRunCountsByState statusContextCount
        statusContextCountsByState totalCount""",
    "CheckRunStateCount": "count state",
    "StatusContextStateCount": "count state",
    "AutoMergeRequest": "enabledAt",
    "PullRequest": """author autoMergeRequest baseRef baseRefName baseRefOid body closed closedAt comments commits createdAt
        fullDatabaseId headRef headRefName headRefOid headRepository headRepositoryOwner id isCrossRepository isDraft
        isInMergeQueue isMergeQueueEnabled mergeQueue mergeQueueEntry labels maintainerCanModify mergeStateStatus
        mergeable merged mergedAt number state timelineItems title updatedAt""",
    "PullRequestTimelineItems": "RemovedFromMergeQueueEvent",
    "PullRequestTimelineItemsConnection": _PAGED,
    "PullRequestTimelineItemsEdge": "cursor node",
    "RemovedFromMergeQueueEvent": "beforeCommit createdAt enqueuer id reason",
    "PullRequestConnection": _PAGED,
    "PullRequestEdge": "cursor node",
    "PullRequestCommit": "commit id",
    "PullRequestCommitConnection": _PAGED,
    "PullRequestCommitEdge": "cursor node",
    "Label": "color id name",
    "LabelConnection": _PAGED,
    "LabelEdge": "cursor node",
    "IssueComment": "author body createdAt databaseId id isMinimized minimizedReason updatedAt",
    "IssueCommentConnection": _PAGED,
    "IssueCommentEdge": "cursor node",
    "MinimizeCommentPayload": "clientMutationId minimizedComment",
    "UnminimizeCommentPayload": "clientMutationId unminimizedComment",
    "UpdatePullRequestBranchPayload": "clientMutationId pullRequest",
    "MergePullRequestPayload": "clientMutationId pullRequest",
    "ConvertPullRequestToDraftPayload": "clientMutationId pullRequest",
    "MarkPullRequestReadyForReviewPayload": "clientMutationId pullRequest",
    "EnqueuePullRequestPayload": "clientMutationId mergeQueueEntry",
    "DequeuePullRequestPayload": "clientMutationId mergeQueueEntry",
    "MergeQueue": "configuration entries id url",
    "MergeQueueConfiguration": """checkResponseTimeout maximumEntriesToBuild maximumEntriesToMerge mergeMethod
        mergingStrategy minimumEntriesToMerge minimumEntriesToMergeWaitTime""",
    "MergeQueueEntry": "baseCommit enqueuedAt enqueuer headCommit id jump position pullRequest state",
    "MergeQueueEntryConnection": _PAGED,
    "MergeQueueEntryEdge": "cursor node",
}


def trim(sdl: str) -> str:
    """Keep the fields above, and the inputs, enums and scalars that they need."""
    document = graphql.parse(sdl, no_location=True)
    types = {one.name.value: one for one in document.definitions if isinstance(one, ast.TypeDefinitionNode)}
    kept = {name: _keep(types[name], set(fields.split())) for name, fields in KEPT.items()}
    todo = {name for node in kept.values() for name in _named(node)} - kept.keys()
    while todo:
        name = todo.pop()
        if name in {"String", "Int", "Float", "Boolean", "ID"}:
            continue
        node = types[name]
        if isinstance(
            node, (ast.ObjectTypeDefinitionNode, ast.InterfaceTypeDefinitionNode, ast.UnionTypeDefinitionNode)
        ):
            raise SystemExit(f"{name} is used but not kept")
        kept[name] = _bare(node)
        todo |= _named(kept[name]) - kept.keys()
    return "\n\n".join(graphql.print_ast(node) for _, node in sorted(kept.items())) + "\n"


def _keep(node: ast.TypeDefinitionNode, fields: set[str]) -> ast.TypeDefinitionNode:
    """Leave out other fields; of a union, other members."""
    if isinstance(node, ast.UnionTypeDefinitionNode):
        members = tuple(one for one in node.types or () if one.name.value in fields)
        union: ast.TypeDefinitionNode = _bare(dataclasses.replace(node, types=members))
        return union
    assert isinstance(node, (ast.ObjectTypeDefinitionNode, ast.InterfaceTypeDefinitionNode))
    missing = fields - {field.name.value for field in node.fields or ()}
    if missing:
        raise SystemExit(f"{node.name.value} has no {sorted(missing)}")
    kept: ast.TypeDefinitionNode = _bare(
        dataclasses.replace(
            node,
            fields=tuple(field for field in node.fields or () if field.name.value in fields),
            interfaces=tuple(
                one
                for one in node.interfaces or ()
                if one.name.value in KEPT and set(KEPT[one.name.value].split()) <= fields
            ),
        )
    )
    return kept


def _bare(node: Any) -> Any:
    """Leave out prose and directives."""
    names = {field.name for field in dataclasses.fields(node)}
    changed: dict[str, Any] = dict.fromkeys({"description"} & names)
    changed |= dict.fromkeys({"directives"} & names, ())
    for part in {"fields", "arguments", "values"} & names:
        changed[part] = tuple(_bare(one) for one in getattr(node, part) or ())
    return dataclasses.replace(node, **changed)


def _named(node: ast.Node) -> set[str]:
    found: set[str] = set()

    class Names(graphql.Visitor):
        def enter_named_type(self, named: ast.NamedTypeNode, *_: object) -> None:
            found.add(named.name.value)

    graphql.visit(node, Names())
    return found


def main() -> None:
    """Write the trimmed schema with its licence."""
    directory, version = package(Path(sys.argv[1]), "@octokit/graphql-schema")
    head = f"# From @octokit/graphql-schema {version}, trimmed; its licence is LICENSE-graphql-schema.\n\n"
    (HERE / "schema.graphql").write_text(head + trim((directory / "schema.graphql").read_text()))
    (HERE / "LICENSE-graphql-schema").write_text((directory / "LICENSE.md").read_text())


if __name__ == "__main__":
    main()
