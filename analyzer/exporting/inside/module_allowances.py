"""What code of modules does in ``forward`` that torch runs and its tracers refuse, although nothing changes by it."""

from __future__ import annotations

import contextlib
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
