"""What PyTorch itself does with an instance: the output shapes, or the reason why it refuses."""

from __future__ import annotations

import warnings
from typing import Any

Outputs = tuple[tuple[tuple[int, ...], str], ...]


def run(instance: Any) -> Outputs | str:
    """Shapes and element types, or the first line of PyTorch's complaint."""
    import torch

    torch.set_num_threads(1)
    tensors = [_tensor(s, d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)]
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            result = _call(instance.operator, tensors, dict(instance.hyperparameters))
    except Exception as error:
        return (str(error).strip().splitlines() or [type(error).__name__])[0]
    return tuple((tuple(t.shape), str(t.dtype).removeprefix("torch.")) for t in _flat(result))


def _tensor(shape: tuple[int, ...], dtype: str) -> Any:
    import torch

    return torch.zeros(shape, dtype=getattr(torch, dtype))


def _flat(result: Any) -> list[Any]:
    import torch

    if isinstance(result, torch.Tensor):
        return [result]
    return [t for item in result for t in _flat(item)] if isinstance(result, (tuple, list)) else []


def _call(operator: str, tensors: list[Any], parameters: dict[str, Any]) -> Any:
    import torch
    from torch import nn

    layer = getattr(nn, operator, None)
    if layer is not None and operator[0].isupper():
        module = layer(**parameters).eval()
        return module(*tensors)
    match operator:
        case "reshape":
            return tensors[0].reshape(parameters["shape"])
        case "cat" | "stack":
            return getattr(torch, operator)(tensors, dim=parameters["dim"])
        case "einsum":
            return torch.einsum(parameters["equation"], *tensors)
        case "permute":
            return tensors[0].permute(parameters["dims"])
        case "expand":
            return tensors[0].expand(parameters["size"])
        case "gather":
            return torch.gather(tensors[0], parameters["dim"], tensors[1])
    return getattr(torch, operator)(*tensors, **parameters)
