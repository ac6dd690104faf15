"""Names of values in an exported graph that are taken twice.

PyTorch's exporter names parameters and buffers as their modules do (``mean``), inputs as the arguments of ``forward``
and results after their operators (``mean`` too). In memory these are different values; in a file one name is one value,
so that the file does not load, or a parameter is read in the place of an input.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def make_unique(graph: Any) -> None:
    """Renames values of an ``onnx_ir`` graph and its inner graphs until each has a name of its own.

    Inputs keep theirs, which configurations speak of; parameters come next (``self.mean`` beside an input ``mean``),
    results last (``mean_1``).
    """
    used = {value.name for value in graph.inputs}
    results = [value for value in _results(graph) if value.name]
    named = used | set(graph.initializers) | {value.name for value in results}
    for name, value in list(graph.initializers.items()):
        if name in used and value not in graph.inputs:
            _rename_initializer(graph, value, _free(f"self.{name}", named))
        used.add(value.name)
    for value in results:
        if value.name in used:
            value.name = _free(value.name, named)
        used.add(value.name)


def _rename_initializer(graph: Any, value: Any, name: str) -> None:
    """The graph finds its initializers by their names."""
    graph.initializers.pop(value.name, None)
    value.name = name
    graph.initializers[name] = value


def _free(name: str, named: set[str]) -> str:
    """The name, or with the first number behind it, that nothing has; it is taken with that."""
    number, free = 0, name
    while free in named:
        number += 1
        free = f"{name}_{number}"
    named.add(free)
    return free


def _results(graph: Any) -> Iterator[Any]:
    """What nodes compute, and what inner graphs read or hold, in the order of the graph."""
    for node in graph:
        for attribute in node.attributes.values():
            for inner in _inner_graphs(attribute):
                yield from inner.inputs
                yield from inner.initializers.values()
                yield from _results(inner)
        yield from node.outputs


def _inner_graphs(attribute: Any) -> list[Any]:
    kind = getattr(getattr(attribute, "type", None), "name", "")
    if kind == "GRAPH":
        return [attribute.value]
    return list(attribute.value) if kind == "GRAPHS" else []
