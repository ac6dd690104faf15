"""Requests against GitHub's published OpenAPI description."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from jsonschema import Draft4Validator, RefResolver

from tests.github_simulator.slim_description import load


@dataclass(frozen=True)
class Operation:
    method: str
    path: str  # the template
    pattern: re.Pattern[str]
    body: Any  # a validator, or None
    query: Mapping[str, Any]
    body_required: bool


@cache
def operations(server: str) -> tuple[Operation, ...]:
    """The described operations of a server, most specific path first."""
    description = _nullable(load(server))
    found = []
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            content = operation.get("requestBody", {})
            schema = content.get("content", {}).get("application/json", {}).get("schema")
            resolver = RefResolver.from_schema(description)
            parameters = [_resolve(p, description) for p in operation.get("parameters", ())]
            pattern = re.sub(r"\{(ref|path|basehead)\}", "(.+)", path)
            found.append(
                Operation(
                    method.upper(),
                    path,
                    re.compile(re.sub(r"\{\w+\}", "([^/]+)", pattern) + r"\Z"),
                    Draft4Validator(schema, resolver=resolver) if schema else None,
                    {p["name"]: p["schema"] for p in parameters if p["in"] == "query"},
                    bool(content.get("required")),
                )
            )
    return tuple(sorted(found, key=lambda o: -len(o.path)))


def find(server: str, method: str, path: str) -> Operation | None:
    return next((o for o in operations(server) if o.method == method and o.pattern.match(path)), None)


def problems(operation: Operation, query: Mapping[str, str], body: Any) -> list[str]:
    """What GitHub would answer 422 to."""
    found = []
    for name, value in query.items():
        schema = operation.query.get(name)
        if schema is None:
            found.append(f"unknown query parameter {name}")
        elif schema.get("type") == "integer" and not value.isdigit():
            found.append(f"{name} is no integer")
        elif "enum" in schema and value not in schema["enum"]:
            found.append(f"{name} is not one of {schema['enum']}")
    if query.get("per_page", "30").isdigit() and int(query.get("per_page", "30")) > 100:
        found.append("per_page is above 100")
    if operation.body is None:
        if body is not None:
            found.append("no body is described")
    elif body is not None or operation.body_required:
        for error in operation.body.iter_errors(body):
            found.append(f"{'/'.join(map(str, error.absolute_path)) or 'body'}: {error.message[:300]}")
    return found


def _resolve(node: Any, description: Any) -> Any:
    while "$ref" in node:
        _, _, kind, name = node["$ref"].split("/", 3)
        node = description["components"][kind][name]
    return node


def _nullable(node: Any) -> Any:
    """OpenAPI 3.0's `nullable` as JSON Schema has it."""
    if isinstance(node, list):
        return [_nullable(item) for item in node]
    if not isinstance(node, dict):
        return node
    changed = {key: _nullable(value) for key, value in node.items()}
    if changed.get("nullable") is True and isinstance(changed.get("type"), str):
        changed["type"] = [changed["type"], "null"]
        if "enum" in changed:
            changed["enum"] = [*changed["enum"], None]
    return changed
