"""PyTorch models: built and run once under the recorder, or really."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from .numbers import PathCondition, parts_of, plain
from .torch_layers import TorchRecorder

Shapes = Callable[[], Sequence[tuple[str, list[Any], str]]]  # the name, shape and element type of each input


def recorder_of(trace: PathCondition, request: Mapping[str, Any]) -> TorchRecorder:
    return TorchRecorder(trace, request["specs"]["torch"], request["traits"])


def recorded(recorder: TorchRecorder, build: Callable[[], Any], shapes: Shapes) -> None:
    """Build the model and run it once. Raises what it raises."""
    torch.manual_seed(0)
    with torch.no_grad():
        with recorder:
            built = build()
        model, given = _parted(built)
        if given is None:
            inputs = [(name, _zeros(shape, dtype), shape) for name, shape, dtype in shapes()]
        else:
            inputs = [(f"x{i}", t, list(t.shape)) for i, t in enumerate(given)]
        if not isinstance(model, torch.nn.Module):
            raise TypeError(f"the function gave {type(model).__name__}, not an nn.Module")
        model.eval()
        recorder.named(model)
        with recorder:
            for name, tensor, shape in inputs:
                recorder.given(name, tensor, shape)
            recorder.forward()
            model(*(tensor for _, tensor, _ in inputs))


def really(build: Callable[[], Any], shapes: Shapes) -> None:
    """Build the model and run it. Raises what it raises."""
    with torch.no_grad():
        model, given = _parted(build())
        model.eval()(*(given if given is not None else [_zeros(shape, dtype) for _, shape, dtype in shapes()]))


def _parted(built: Any) -> tuple[Any, list[Any] | None]:
    """The model, and the example inputs that came with it."""
    if not (isinstance(built, tuple) and built and isinstance(built[0], torch.nn.Module)):
        return built, None
    examples = built[1]
    return built[0], list(parts_of(list(examples.values()) if isinstance(examples, dict) else examples))


def _zeros(shape: list[Any], dtype: str) -> torch.Tensor:
    return torch.zeros([int(plain(size)) for size in shape], dtype=getattr(torch, dtype))
