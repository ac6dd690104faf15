"""The line of the project that made each node of a TensorFlow graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from . import creation
from .failure import Project


class Traced:
    """Watches TensorFlow trace: the graphs of functions that call each other, with the lines that made their nodes.

    A graph only refers to its functions by name, and what TensorFlow keeps of them there has lost their lines.
    """

    def __init__(self) -> None:
        self.graphs: list[Any] = []
        self._undo: Any = None

    def __enter__(self) -> Traced:
        try:
            from tensorflow.python.framework.func_graph import FuncGraph
        except ImportError:
            return self
        original, graphs = FuncGraph.__init__, self.graphs

        def watched(graph: Any, *positional: Any, **named: Any) -> None:
            original(graph, *positional, **named)
            graphs.append(graph)

        FuncGraph.__init__ = watched
        self._undo = lambda: setattr(FuncGraph, "__init__", original)
        return self

    def __exit__(self, *_: object) -> None:
        if self._undo is not None:
            self._undo()

    def called(self, name: str) -> Any:
        """The graph of the function that a node calls by `name` (``__inference_step_12`` for ``step``)."""
        middle = name.removeprefix("__inference_").rpartition("_")[0] if name.startswith("__inference_") else name
        return next((g for g in reversed(self.graphs) if g.name in (name, middle)), None)


def lines(graph: Any, project: Project, traced: Traced | None = None) -> dict[str, list[Any]]:
    """Node name -> [file, line] of the innermost line of the project that made it.

    Nodes of called functions stand under their own name, where that is free, and below the name of the call.
    """
    found: dict[str, list[Any]] = {}
    seen: set[int] = set()
    stack: list[tuple[Any, str]] = [(graph, "")]
    while stack:
        current, prefix = stack.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        for operation in current.get_operations():
            for attribute in operation.node_def.attr.values() if traced is not None else ():
                called = traced.called(attribute.func.name) if traced is not None and attribute.func.name else None
                if called is not None:
                    stack.append((called, operation.name))
            try:
                frames: Iterable[Any] = operation.traceback
            except Exception:
                continue
            place = project.innermost((frame[0], frame[1]) for frame in reversed(list(frames or ())))
            if place is not None:
                found.setdefault(operation.name, list(place))
                found.setdefault(f"{prefix}/{operation.name}".lstrip("/"), list(place))
    return found


def lines_of_names(names: set[str], project: Project) -> dict[str, list[Any]]:
    """The same for the nodes of a GraphDef, by the graphs that were made on the way to it."""
    found: dict[str, list[Any]] = {}
    for graph in creation.graphs():
        found = {**{n: place for n, place in lines(graph, project).items() if n in names}, **found}
    return found
