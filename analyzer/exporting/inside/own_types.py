"""Objects of a project's own classes that hold tensors, among the inputs or results of a model.

Tracers know tensors in lists, tuples and dicts, and what is registered with torch. A dataclass, a distribution or the
data of a graph is registered here by its attributes: those that hold tensors are its children, the others stay.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

DEPTH = 6  # of objects in attributes of objects


def register(values: Any, torch: Any) -> bool:
    """Makes the classes of what holds tensors known to torch; whether there were any that it did not know."""
    pytree = torch.utils._pytree
    kinds = {type(value) for value in _held(values, torch) if _is_own(value, torch)}
    for kind in kinds:

        def parts(value: Any) -> tuple[list[Any], Any]:
            own = _attributes(value)
            names = tuple(
                n for n, child in own.items() if any(isinstance(x, _stands_for(torch)) for x in _held(child, torch))
            )
            rest = {name: child for name, child in own.items() if name not in names}
            return [own[name] for name in names], _Rest(type(value), names, rest)

        def parts_with_keys(value: Any, parts: Any = parts) -> tuple[list[Any], Any]:
            children, rest = parts(value)
            return [(pytree.MappingKey(n), child) for n, child in zip(rest.names, children)], rest  # noqa: B905

        pytree.register_pytree_node(kind, parts, _put_together, flatten_with_keys_fn=parts_with_keys)
    return bool(kinds)


@dataclass(frozen=True, eq=False)
class _Rest:
    """What is no child: the class, the names of the children, and the other attributes."""

    kind: Any  # a class
    names: tuple[str, ...]
    attributes: dict[str, Any]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Rest) and (self.kind, self.names) == (other.kind, other.names)

    def __hash__(self) -> int:
        return hash((self.kind, self.names))

    def __deepcopy__(self, memo: Any) -> _Rest:
        return self  # whatever the attributes are


def _put_together(children: Any, rest: _Rest) -> Any:
    attributes = {**rest.attributes, **dict(zip(rest.names, children))}  # noqa: B905 - Python 3.9
    made = rest.kind.__new__(rest.kind)
    if isinstance(made, dict):
        made.update(attributes)
    else:
        vars(made).update(attributes)
    return made


def _attributes(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else dict(vars(value))


def _is_own(value: Any, torch: Any) -> bool:
    """Whether tracers would refuse a value that holds tensors: its class is made without arguments."""
    pytree, kind = torch.utils._pytree, type(value)
    if isinstance(value, (torch.Tensor, torch.nn.Module, tuple, ModuleType)) or kind in pytree.SUPPORTED_NODES:
        return False
    if not isinstance(value, dict) and (not hasattr(value, "__dict__") or inspect.isroutine(value)):
        return False
    if not isinstance(value, dict) and any("__new__" in vars(base) for base in kind.__mro__[:-1]):
        return False
    return _holds_tensors(value, torch)


def _holds_tensors(value: Any, torch: Any) -> bool:
    return any(isinstance(child, torch.Tensor) for child in _held(value, torch))


def _stands_for(torch: Any) -> tuple[Any, ...]:
    """Tensors, and what stands for one while operators are recorded."""
    return torch.Tensor, torch.fx.Proxy


def _held(value: Any, torch: Any, depth: int = 0) -> Iterator[Any]:
    """A value and all that it holds."""
    yield value
    if depth == DEPTH or isinstance(value, (*_stands_for(torch), torch.nn.Module, type, ModuleType)):
        return
    if isinstance(value, dict):
        children: Any = value.values()
    elif isinstance(value, (list, tuple)):
        children = value
    elif hasattr(value, "__dict__") and not inspect.isroutine(value):
        children = vars(value).values()
    else:
        return
    for child in list(children):
        yield from _held(child, torch, depth + 1)
