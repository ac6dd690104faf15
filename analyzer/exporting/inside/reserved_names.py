"""Parts, weights and buffers called as something that a traced module has of its own (``graph``, ``code``, ``meta``).

PyTorch copies what the outermost module holds into a module of ``torch.fx`` by name, where ``graph`` is the program. A
model of graphs calls a part so, and runs. While it is traced the part has another name, which the file takes back.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

_SCOPES = "pkg.torch.onnx.name_scopes"
_KINDS = ("_parameters", "_buffers", "_modules")


@contextlib.contextmanager
def renamed(module: Any, torch: Any) -> Iterator[dict[str, str]]:
    """While this lasts the module holds those under other names, and gives them under their own; new name -> own."""
    reserved = set(dir(torch.fx.GraphModule(torch.nn.Module(), torch.fx.Graph()))) - set(dir(torch.nn.Module()))
    held = [(kind, name) for kind in _KINDS for name in vars(module).get(kind) or () if name in reserved]
    if not held:
        yield {}
        return
    kind_of = type(module)
    given = {f"{name}_of_model": name for _, name in held}
    own = {"__module__": kind_of.__module__, "__qualname__": kind_of.__qualname__, "__doc__": kind_of.__doc__}
    module.__class__ = type(kind_of.__name__, (kind_of,), {**own, **{name: _at(new) for new, name in given.items()}})
    for kind, name in held:
        _rename(vars(module)[kind], {name: f"{name}_of_model"})
    try:
        yield given
    finally:
        module.__class__ = kind_of
        for kind, name in held:
            _rename(vars(module)[kind], {f"{name}_of_model": name})


def _at(name: str) -> property:
    def read(self: Any) -> Any:
        return getattr(self, name)

    def write(self: Any, value: Any) -> None:
        setattr(self, name, value)

    return property(read, write)


def _rename(held: dict[str, Any], names: dict[str, str]) -> None:
    """In place, every entry where it was."""
    entries = [(names.get(name, name), value) for name, value in held.items()]
    held.clear()
    held.update(entries)


def own(name: str, given: Mapping[str, str]) -> str:
    """``graph_of_model.0.weight`` as the model has it."""
    first, point, rest = name.partition(".")
    return given.get(first, first) + point + rest


def take_back(graph: Any, given: Mapping[str, str]) -> None:
    """The own names in an exported graph: of weights, and of the modules that its nodes are of."""
    for name, value in list(graph.initializers.items()) if given else ():
        if own(name, given) != name:
            del graph.initializers[name]
            value.name = own(name, given)
            graph.initializers[value.name] = value
    for node in graph.all_nodes() if given else ():
        scopes = node.metadata_props.get(_SCOPES)
        if scopes:
            node.metadata_props[_SCOPES] = repr([own(scope, given) for scope in ast.literal_eval(scopes)])
