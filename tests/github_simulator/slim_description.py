"""Cut GitHub's published OpenAPI description down to the operations that Assay uses.

    npm pack @octokit/openapi@23.0.2 && tar xzf octokit-openapi-23.0.2.tgz
    python tests/github_simulator/slim_description.py package/generated

writes one compressed file a server below ``description/``. Fails when GitHub has dropped an operation that Assay needs.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SERVERS = ("api.github.com", "ghes-3.17", "ghes-3.19")
FOLDER = Path(__file__).parent / "description"
REPOSITORY = "/repos/{owner}/{repo}"
OPERATIONS = """
get
get /pulls
get /pulls/{pull_number}
get /pulls/{pull_number}/files
get /pulls/{pull_number}/comments
post /pulls/{pull_number}/comments
patch /pulls/comments/{comment_id}
delete /pulls/comments/{comment_id}
post /pulls/{pull_number}/reviews
get /issues/{issue_number}/comments
post /issues/{issue_number}/comments
patch /issues/comments/{comment_id}
delete /issues/comments/{comment_id}
post /check-runs
get /check-runs/{check_run_id}
get /check-runs/{check_run_id}/annotations
patch /check-runs/{check_run_id}
get /commits/{ref}/check-runs
get /commits/{commit_sha}/pulls
get /git/ref/{ref}
post /git/refs
patch /git/refs/{ref}
post /git/blobs
post /git/trees
get /git/trees/{tree_sha}
post /git/commits
get /git/commits/{commit_sha}
get /actions/runs/{run_id}
get /actions/runs/{run_id}/artifacts
get /actions/artifacts/{artifact_id}/{archive_format}
post /code-scanning/sarifs
get /code-scanning/sarifs/{sarif_id}
"""
BODY_LIMIT = 65_536


def slim(description: dict[str, Any]) -> dict[str, Any]:
    """The operations above with the components they refer to, and the limits that GitHub states only in prose."""
    paths: dict[str, Any] = {}
    for line in OPERATIONS.strip().splitlines():
        method, _, tail = line.partition(" ")
        path = REPOSITORY + tail
        operation = description["paths"][path][method]
        for key in ("x-github", "description", "externalDocs", "tags"):
            operation.pop(key, None)
        for response in operation["responses"].values():
            response.pop("headers", None)  # the sample of Link leads a paging client astray
        _tighten(operation, method, tail)
        paths.setdefault(path, {})[method] = operation
    result = {"openapi": description["openapi"], "info": description["info"], "paths": paths, "components": {}}
    waiting, seen = list(_references(paths)), set()
    while waiting:
        reference = waiting.pop()
        if reference in seen:
            continue
        seen.add(reference)
        _, _, kind, name = reference.split("/", 3)
        component = description["components"][kind][name]
        component.pop("headers", None) if kind == "responses" else None
        result["components"].setdefault(kind, {})[name] = component
        waiting += _references(component)
    return result


def _tighten(operation: dict[str, Any], method: str, path: str) -> None:
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    properties = schema.get("properties", {})
    if schema.get("type") == "object" and properties:
        schema.setdefault("additionalProperties", False)
    if "body" in properties and ("/comments" in path or path.endswith("/reviews")):
        properties["body"]["maxLength"] = BODY_LIMIT
    if path.endswith("/reviews") and method == "post":
        comment = properties["comments"]["items"]
        comment["additionalProperties"] = False
        comment["properties"]["body"]["maxLength"] = BODY_LIMIT
        for side in ("side", "start_side"):
            comment["properties"][side]["enum"] = ["LEFT", "RIGHT"]
    if path.startswith("/check-runs") and "output" in properties:
        output = properties["output"]["properties"]
        output["title"]["maxLength"] = 255
        annotation = output["annotations"]["items"]["properties"]
        annotation["title"]["maxLength"] = 255
        for text in ("message", "raw_details"):
            annotation[text]["maxLength"] = BODY_LIMIT


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


def load(server: str) -> dict[str, Any]:
    """The committed description of `server`."""
    description: dict[str, Any] = json.loads(gzip.decompress((FOLDER / f"{server}.json.gz").read_bytes()))
    return description


def main(folder: Path) -> None:
    FOLDER.mkdir(exist_ok=True)
    for server in SERVERS:
        text = json.dumps(
            slim(json.loads((folder / f"{server}.json").read_text(encoding="utf-8"))), separators=(",", ":")
        )
        (FOLDER / f"{server}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
        print(f"{server}: {len(text):,} characters")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
