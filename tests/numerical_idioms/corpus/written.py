"""An idiom of the literature on a small layer, as it is usually published, and its twin without what keeps it finite."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

Model = tuple[nn.Module, tuple[Tensor, ...]]


class Idiom(nn.Module):
    """`function(layer(features), *rest)`; with parameters it gets them by name."""

    def __init__(self, function: Callable[..., Any], layer: nn.Module, safe: bool, **parameters: float | Tensor):
        super().__init__()
        self.layer, self.function, self.safe = layer, function, safe
        self.named = {name: nn.Parameter(torch.as_tensor(value)) for name, value in parameters.items()}
        for name, value in self.named.items():
            self.register_parameter(name, value)

    def forward(self, features: Tensor, *rest: Tensor) -> Any:
        own = {name: getattr(self, name) for name in self.named}
        return self.function(self.layer(features), *rest, safe=self.safe, **own)


Made = Callable[[bool], Model]
IDIOMS: dict[str, Made] = {}


def idiom(
    *shape: int, batch: int = 5, rest: Callable[[], tuple[Tensor, ...]] = tuple, **parameters: float | Tensor
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a function an idiom: `shape` is (in, out) of a linear layer, or (in, out, size) of a convolution."""

    def declared(function: Callable[..., Any]) -> Callable[..., Any]:
        def made(safe: bool) -> Model:
            torch.manual_seed(0)
            if len(shape) == 3:
                layer: nn.Module = nn.Conv2d(shape[0], shape[1], 3, padding=1)
                features = 5 * torch.randn(2, shape[0], shape[2], shape[2])
            else:
                layer, features = nn.Linear(*shape), torch.randn(batch, shape[0])
            return Idiom(function, layer, safe, **parameters), (features, *rest())

        IDIOMS[function.__name__] = made
        return function

    return declared


class Together(nn.Module):
    """All idioms of a file, each with inputs of its own."""

    def __init__(self, models: list[Model]):
        super().__init__()
        self.parts = nn.ModuleList(model for model, _ in models)
        self.counts = [len(inputs) for _, inputs in models]

    def forward(self, *inputs: Tensor) -> tuple[Any, ...]:
        found, start = [], 0
        for part, count in zip(self.parts, self.counts, strict=True):
            found.append(part(*inputs[start : start + count]))
            start += count
        return tuple(found)


def together(safe: bool) -> Model:
    models = [made(safe) for made in IDIOMS.values()]
    return Together(models), tuple(value for _, inputs in models for value in inputs)


def entries(names: dict[str, Any]) -> None:
    """Adds entry points to a module's names: for each idiom, for its careless twin, for all together and their twins."""
    for name, made in IDIOMS.items():
        names[name] = lambda made=made: made(True)
        names[f"{name}_careless"] = lambda made=made: made(False)
    names["healthy"] = lambda: together(True)
    names["careless"] = lambda: together(False)
