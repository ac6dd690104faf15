"""Models that compute with subclasses of tensors (``x.as_subclass(Vectors)``), which PyTorch's tracer refuses.

While such a model is traced, a tensor without data that becomes one of a subclass is of a class that is both: it has
the subclass's methods, and what is computed of it is of the subclass again, as `Tensor.__torch_function__` has it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

REFUSED = "already associated to a python object of type FakeTensor"  # what PyTorch says of them


def refused(error: BaseException | None) -> bool:
    """Whether a tracer failed because of a subclass."""
    return error is not None and REFUSED in str(error)


@contextlib.contextmanager
def followed(torch: Any) -> Iterator[None]:
    """Let tensors without data be of subclasses, until the context ends."""
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.overrides import get_default_nowrap_functions
    from torch.utils._pytree import tree_map_only

    as_subclass, handler = torch.Tensor.as_subclass, torch.Tensor.__dict__["__torch_function__"]
    made: dict[type, type] = {}

    def plain(value: Any) -> Any:
        """A tensor with data, of a subclass, as one that the tracer takes for a constant."""
        known = isinstance(value, (FakeTensor, torch.nn.Parameter)) or type(value) is torch.Tensor
        return value if known else as_subclass(value, torch.Tensor)

    def handling(own: type | None) -> Any:
        def handle(cls: type, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            args, kwargs = tree_map_only(torch.Tensor, plain, (args, kwargs or {}))
            with torch._C.DisableTorchFunctionSubclass():
                result = func(*args, **kwargs)
            return result if func in get_default_nowrap_functions() else torch._tensor._convert(result, own or cls)

        return classmethod(handle)

    def both(cls: type) -> type:
        if cls not in made:
            own = {"__torch_function__": handling(cls)} if cls.__torch_function__.__func__ is ours else {}  # type: ignore[attr-defined]
            made[cls] = type(cls)(cls.__name__, (cls, FakeTensor), own)
        return made[cls]

    def become(self: Any, cls: type) -> Any:
        if not isinstance(self, FakeTensor):
            return as_subclass(self, cls)
        with torch._C.DisableTorchFunctionSubclass():
            found = self.view_as(self)
        found.__class__ = FakeTensor if cls is torch.Tensor else both(cls)
        return found

    general = handling(None)
    ours = general.__func__
    torch.Tensor.as_subclass, torch.Tensor.__torch_function__ = become, general
    try:
        yield
    finally:
        torch.Tensor.as_subclass, torch.Tensor.__torch_function__ = as_subclass, handler
