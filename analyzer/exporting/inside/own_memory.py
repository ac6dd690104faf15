"""What a model keeps of its own runs (a bank of features, a cached kernel) without the tensors that tracing made.

A tracer runs the model on tensors without values. A model that appends its results to a list, or keeps what it
computed first in an attribute, then holds such tensors, and every later run meets them.
"""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterator
from typing import Any

MOST_OBJECTS = 2000  # looked at
DEEPEST = 4  # tuples inside tuples
CONTAINERS = (list, dict, set, collections.deque)
OURS = ("torch", "builtins", "numpy", "collections", "functools")  # modules whose objects hold no memory of a model


@contextlib.contextmanager
def kept(module: Any, torch: Any) -> Iterator[None]:
    """Puts back, at the end, what the model held before, wherever it holds a tensor or number of a tracer now."""
    before = [(holder, _content(holder)) for holder in _holders(module, torch)]
    try:
        yield
    finally:
        for holder, content in before:
            now = _content(holder)
            if isinstance(holder, CONTAINERS):
                if any(_traced(item, torch) for item in (now.values() if isinstance(now, dict) else now)):
                    _refill(holder, content)
                continue
            for name, value in now.items():
                if _traced(value, torch) and name in content:
                    vars(holder)[name] = content[name]
                elif _traced(value, torch):
                    del vars(holder)[name]


def _holders(module: Any, torch: Any) -> list[Any]:
    """The module, its parts, and the containers and plain objects of its code that they hold."""
    seen: dict[int, Any] = {id(module): module}
    queue = [module]
    for holder in queue:  # grows while it is walked
        held = _content(holder)
        for item in held.values() if isinstance(held, dict) else held:
            if id(item) not in seen and len(seen) < MOST_OBJECTS and _holds(item, torch):
                seen[id(item)] = item
                queue.append(item)
    return queue


def _holds(item: Any, torch: Any) -> bool:
    if isinstance(item, (*CONTAINERS, torch.nn.Module)):
        return True
    plain = not isinstance(item, (type, torch.Tensor)) and isinstance(getattr(item, "__dict__", None), dict)
    return (
        plain
        and type(item).__module__.partition(".")[0] not in OURS
        and not callable(getattr(item, "__wrapped__", None))
    )


def _content(holder: Any) -> Any:
    """A copy of what a container or an object holds."""
    if isinstance(holder, dict):
        return dict(holder)
    return list(holder) if isinstance(holder, CONTAINERS) else dict(vars(holder))


def _refill(holder: Any, content: Any) -> None:
    holder.clear()
    if isinstance(holder, (dict, set)):
        holder.update(content)
    else:
        holder.extend(content)


def _traced(value: Any, torch: Any, depth: int = 0) -> bool:
    """Whether a value, or one inside its tuple, is a tensor or number of a tracer."""
    if isinstance(value, tuple):
        return depth < DEEPEST and any(_traced(item, torch, depth + 1) for item in value)
    if isinstance(value, torch.Tensor):
        return type(value).__module__.startswith(("torch._subclasses", "torch.fx")) or torch._is_functional_tensor(
            value
        )
    return isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool, torch.fx.Proxy))
