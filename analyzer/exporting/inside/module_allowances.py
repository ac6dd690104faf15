"""What code of modules does in ``forward`` that torch runs and its tracers refuse, although nothing changes by it."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def parts_that_stay(torch: Any) -> Iterator[None]:
    """``self.to(x.device)`` of a module that is there already is nothing; tracers refuse to swap its parameters."""
    kind = torch.nn.Module
    original = kind._apply

    def moved(self: Any, fn: Any, *rest: Any, **named: Any) -> Any:
        own = [*self.parameters(), *self.buffers()]
        with torch.no_grad():
            if all(_alike(fn(tensor), tensor) for tensor in own):
                return self
        return original(self, fn, *rest, **named)

    kind._apply = moved
    try:
        yield
    finally:
        kind._apply = original


def _alike(made: Any, tensor: Any) -> bool:
    return bool(made.device == tensor.device and made.dtype == tensor.dtype and made.layout == tensor.layout)


LISTINGS = ("named_parameters", "named_buffers")


@contextlib.contextmanager
def listings_with_duplicates(module: Any, torch: Any) -> Iterator[None]:
    """Tracers list the state of a module under all of its names, which a listing of its own may have no keyword for.

    Asked for what it has no keyword for, it is listed by ``nn.Module`` itself, by the places where a tracer finds each
    tensor. Whatever else asks gets the module's own listing.
    """
    kinds = {type(part) for part in module.modules()}
    before = []
    for kind in kinds:
        for name in LISTINGS:
            listing = getattr(kind, name)
            if not _takes(listing, None, prefix="", recurse=True, remove_duplicate=False):
                before.append((kind, name, vars(kind).get(name)))
                setattr(kind, name, _widened(listing, getattr(torch.nn.Module, name)))
    try:
        yield
    finally:
        for kind, name, own in before:
            if own is None:
                delattr(kind, name)
            else:
                setattr(kind, name, own)


def _takes(listing: Any, *args: Any, **named: Any) -> bool:
    try:
        inspect.signature(listing).bind(*args, **named)
    except TypeError:
        return False
    except ValueError:  # no signature is known
        return True
    return True


def _widened(own: Any, original: Any) -> Any:
    @functools.wraps(own)
    def listing(self: Any, *args: Any, **named: Any) -> Any:
        return (own if _takes(own, self, *args, **named) else original)(self, *args, **named)

    return listing


def masks_of_bytes(torch: Any) -> Any:
    """A mode under which a mask of bytes (deprecated, but run) is the mask of truth values that torch takes it for."""
    from torch.overrides import TorchFunctionMode

    tensor = torch.Tensor

    def truths(mask: Any) -> Any:
        return mask.bool() if isinstance(mask, tensor) and mask.dtype == torch.uint8 else mask

    class MasksOfBytes(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if function == torch.where and args:
                args = (truths(args[0]), *args[1:])
            elif function == tensor.where and len(args) > 1:
                args = (args[0], truths(args[1]), *args[2:])
            elif function == tensor.__getitem__:
                index = args[1]
                args = (args[0], tuple(map(truths, index)) if isinstance(index, tuple) else truths(index))
            return function(*args, **(kwargs or {}))

    return MasksOfBytes()


@contextlib.contextmanager
def buffers_without_a_value(torch: Any) -> Iterator[None]:
    """Buffers that ``forward`` gives their first value are written back nowhere.

    Caches are made so: ``self.register_buffer("mask", mask)``. The program has no input for them, and torch, which
    finds the inputs of buffers by counting all that a module has, would write into some other input or find none.
    Nothing that the run returns depends on it: buffers are written back after everything else.
    """
    try:
        tracing: Any = importlib.import_module("torch.export._trace")
        original = tracing.register_buffer_assignment_hook
    except (ImportError, AttributeError):  # another version, which is asked as it is
        yield
        return

    def hooked(module: Any, assigned: dict[str, str]) -> Any:
        return _WithInputsAlone(original(module, assigned), module, assigned)

    tracing.register_buffer_assignment_hook = hooked
    try:
        yield
    finally:
        tracing.register_buffer_assignment_hook = original


class _WithInputsAlone:
    """A hook on assignments; when it is removed, the module and the assignments have no buffer without an input."""

    def __init__(self, hook: Any, module: Any, assigned: dict[str, str]) -> None:
        self._hook, self._module, self._assigned = hook, module, assigned
        self._known = {name: value for name, value in module._buffers.items() if value is not None}

    def remove(self) -> None:
        self._hook.remove()
        for name in [name for name in self._assigned if name not in self._known]:
            del self._assigned[name]
        self._module._buffers.clear()
        self._module._buffers.update(self._known)


@contextlib.contextmanager
def buffers_stay(module: Any) -> Iterator[None]:
    """Buffers are afterwards what they were before: tracers leave tensors without values in those that they fill."""
    found = [(part._buffers, dict(part._buffers)) for part in module.modules()]
    try:
        yield
    finally:
        for held, before in found:
            held.clear()
            held.update(before)
