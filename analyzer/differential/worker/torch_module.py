"""An entry point's PyTorch module with its example inputs, and with the weights that were exported."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np

from .contract import EngineError


def build_module(model: dict[str, Any], folder: Path) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
    """The module in inference mode, its positional and its named example inputs. Raises `EngineError` without any."""
    import torch
    from assay_inside.entry import build  # type: ignore[import-not-found]

    built = build(model["entry"], str(folder / model["root"]))
    module = built.torch_module()
    module.eval()
    inputs = built.inputs
    if inputs is None:
        examples = model.get("examples") or {}
        if not examples:
            raise EngineError("unsupported", "the entry point gives a module without example inputs")
        inputs = {n: torch.zeros(s["shape"], dtype=getattr(torch, s["dtype"])) for n, s in examples.items()}
        return module, tuple(inputs.values()), {}
    if isinstance(inputs, dict):
        return module, (), dict(inputs)
    return module, tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,), {}


def take_weights(module: Any, path: Path) -> list[str]:
    """Give `module` the exported weights: an entry point that initialises at random makes others each time.

    Returns notes.
    """
    import torch

    try:
        import onnx
        from onnx import numpy_helper

        from .onnx_model import mapped
    except ImportError:
        return ["PyTorch ran with the weights that the entry point makes, not with the exported ones."]
    stored = {i.name: i for i in onnx.load(str(path), load_external_data=False).graph.initializer}
    with torch.no_grad():
        for name, value in [*module.named_parameters(), *module.named_buffers()]:
            if name not in stored:
                continue
            beside = stored[name].data_location == onnx.TensorProto.EXTERNAL
            array = mapped(stored[name], path.parent) if beside else numpy_helper.to_array(stored[name])
            if tuple(array.shape) == tuple(value.shape):
                plain = array.astype(array.dtype if array.dtype.kind in "biuf" else np.float32, copy=not beside)
                value.copy_(torch.from_numpy(plain))
    return []


def unchecked_distributions(torch: Any) -> Any:
    """As for the export: distributions look at values to validate them, which no tracer can."""
    try:
        from assay_inside.allowances import unchecked_distributions as unchecked  # type: ignore[import-not-found]
    except ImportError:
        return contextlib.nullcontext()
    return unchecked(torch)


class Buffers:
    """A module's buffers as they were loaded: statistics and counters that a call may change."""

    def __init__(self, module: Any) -> None:
        self.kept = [
            (part, name, value, value.detach().clone(), value._version)
            for part in module.modules()
            for name, value in part._buffers.items()
            if value is not None
        ]

    def restore(self) -> None:
        """Only what was written to since is copied; a buffer that was replaced comes back itself."""
        import torch

        for index, (part, name, value, copy, version) in enumerate(self.kept):
            if part._buffers.get(name) is not value:
                part._buffers[name] = value
            if value._version != version:
                with torch.no_grad():
                    value.copy_(copy)
                self.kept[index] = (part, name, value, copy, value._version)


class Repacked:
    """Calls a module whose arguments are nested with tensors in a flat order."""

    def __init__(self, module: Any, args: Any, kwargs: Any) -> None:
        import torch

        self.module = module
        self.leaves, self.spec = torch.utils._pytree.tree_flatten((args, kwargs))

    def __call__(self, *tensors: Any) -> Any:
        import torch

        given = iter(tensors)
        leaves = [next(given) if isinstance(leaf, torch.Tensor) else leaf for leaf in self.leaves]
        args, kwargs = torch.utils._pytree.tree_unflatten(leaves, self.spec)
        return self.module(*args, **kwargs)
