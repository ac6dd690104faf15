"""Cut GitHub's published GraphQL schema down to the fields that Assay asks for.

    npm pack @octokit/graphql-schema@15.26.1 && tar xzf octokit-graphql-schema-15.26.1.tgz
    python -m tests.github_simulator.slim_schema package/schema.graphql

writes ``description/schema.graphql``. Fails when GitHub has dropped a field that Assay needs.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphql import parse, print_ast
from graphql.language import (
    EnumTypeDefinitionNode,
    InputObjectTypeDefinitionNode,
    NamedTypeNode,
    ObjectTypeDefinitionNode,
)

FILE = Path(__file__).parent / "description" / "schema.graphql"
FIELDS = {
    "Query": "viewer repository",
    "Mutation": "minimizeComment unminimizeComment resolveReviewThread unresolveReviewThread",
    "User": "login",
    "Repository": "pullRequest",
    "PullRequest": "reviewThreads",
    "PullRequestReviewThreadConnection": "nodes pageInfo totalCount",
    "PageInfo": "endCursor hasNextPage",
    "PullRequestReviewThread": "id isResolved isOutdated path line comments",
    "PullRequestReviewCommentConnection": "nodes totalCount",
    "PullRequestReviewComment": "id databaseId isMinimized minimizedReason outdated",
    "MinimizeCommentPayload": "clientMutationId",
    "UnminimizeCommentPayload": "clientMutationId",
    "ResolveReviewThreadPayload": "clientMutationId thread",
    "UnresolveReviewThreadPayload": "clientMutationId thread",
}


def slim(text: str) -> str:
    """The types above with those fields, and the inputs and enumerations that their arguments name."""
    types: dict[str, Any] = {d.name.value: d for d in parse(text, no_location=True).definitions if hasattr(d, "name")}
    kept: dict[str, Any] = {}
    waiting: list[str] = []
    for name, names in FIELDS.items():
        fields = tuple(_bare(f) for f in types[name].fields if f.name.value in names.split())
        assert len(fields) == len(names.split()), f"GitHub has dropped a field of {name}"
        for field in fields:
            waiting += [_named(argument.type) for argument in field.arguments or ()] + [_named(field.type)]
        kept[name] = _bare(types[name], fields=fields, interfaces=())
    while waiting:
        name = waiting.pop()
        if name in kept or name not in types:
            continue
        found = types[name]
        assert not isinstance(found, ObjectTypeDefinitionNode), f"{name} is not cut: add it to FIELDS"
        kept[name] = _bare(found)
        if isinstance(found, InputObjectTypeDefinitionNode):
            kept[name] = _bare(found, fields=tuple(_bare(each) for each in found.fields))
            waiting += [_named(each.type) for each in found.fields]
        if isinstance(found, EnumTypeDefinitionNode):
            kept[name] = _bare(found, values=tuple(_bare(value) for value in found.values))
    return "\n\n".join(print_ast(kept[name]) for name in sorted(kept)) + "\n"


def _bare(node: Any, **changes: Any) -> Any:
    """Without descriptions and directives."""
    if getattr(node, "arguments", None) and "arguments" not in changes:
        changes["arguments"] = tuple(_bare(argument) for argument in node.arguments)
    return replace(node, description=None, directives=(), **changes)


def _named(node: Any) -> str:
    while not isinstance(node, NamedTypeNode):
        node = node.type
    return str(node.name.value)


if __name__ == "__main__":
    FILE.write_text(slim(Path(sys.argv[1]).read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{FILE.name}: {FILE.stat().st_size:,} bytes")
