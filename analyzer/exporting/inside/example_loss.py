"""The function of PyTorch that makes a loss infinite or NaN on the example that an entry point gives."""

from __future__ import annotations

import math
import traceback
from typing import Any

from .failure import Project


def losses(made: Any, torch: Any) -> list[Any]:
    """Results that are single floating-point numbers and have a gradient."""
    leaves = [x for x in torch.utils._pytree.tree_leaves(made) if isinstance(x, torch.Tensor)]
    return [x for x in leaves if x.is_floating_point() and x.requires_grad and x.dim() == 0]


def origin(module: Any, args: Any, kwargs: Any, project: Project, torch: Any) -> dict[str, Any]:
    """The first function that makes NaN of numbers, or else the first whose single number is infinite; its line.

    Infinite elements alone are no mistake: masks have them. Empty where no loss is without a number.
    """
    from torch.overrides import TorchFunctionMode, resolve_name

    class LossWatch(TorchFunctionMode):  # type: ignore[misc]
        """Looks at what each function is given and gives."""

        first_nan: dict[str, Any] | None = None
        first_infinite: dict[str, Any] | None = None

        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            made = func(*args, **(kwargs or {}))
            given, result = _numbers((args, kwargs), torch), _numbers(made, torch)
            if self.first_nan is None and _any_nan(result) and not _any_nan(given):
                self.first_nan = self.told(func)
            infinite = any(x.dim() == 0 and bool(x.isinf()) for x in result)
            if self.first_infinite is None and infinite and not any(x.dim() == 0 and bool(x.isinf()) for x in given):
                self.first_infinite = self.told(func)
            return made

        def told(self, func: Any) -> dict[str, Any] | None:
            frames = [(f.filename, f.lineno or 0) for f in traceback.extract_stack()]
            place = project.innermost(reversed(frames))
            name = (resolve_name(func) or getattr(func, "__name__", "")).rpartition(".")[2]
            return None if place is None else {"function": name, "place": list(place)}

    with LossWatch() as watch:
        found = losses(module(*args, **kwargs), torch)
    bad = [x.item() for x in found if not bool(torch.isfinite(x))]
    if not bad:
        return {}
    said = "NaN" if math.isnan(bad[0]) else "infinite" if bad[0] > 0 else "minus infinite"
    told = watch.first_nan if said == "NaN" else watch.first_infinite
    return {} if told is None else {**told, "loss": said}


def _numbers(value: Any, torch: Any) -> list[Any]:
    leaves = torch.utils._pytree.tree_leaves(value)
    return [x.detach() for x in leaves if type(x) in (torch.Tensor, torch.nn.Parameter) and x.is_floating_point()]


def _any_nan(found: list[Any]) -> bool:
    return any(bool(x.isnan().any()) for x in found)
