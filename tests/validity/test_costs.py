"""Parameters, activations and operations of a space against PyTorch's own counts: one less is invalid."""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml

from analyzer.problem import UsageProblem
from analyzer.validity.decide import UNDECIDED, VALID_FOR_ALL, VALID_FOR_NONE, decide
from analyzer.validity.space_reader import read_space

MODELS = 200


def drawn(rng: random.Random) -> tuple[list[int], list[dict[str, Any]]]:
    """A stack that fits: the shape of its input, and its layers."""
    groups = rng.choice([1, 2])
    channels, side = groups * rng.randint(1, 4), rng.randint(7, 12)
    shape = [rng.randint(1, 3), channels, side, side]
    layers: list[dict[str, Any]] = []
    for _ in range(rng.randint(1, 4)):
        out = groups * rng.randint(1, 5)
        kernel: Any = rng.choice([1, 2, [1, 2], [2, 1]])
        kind = rng.choice(["Conv2d", "Conv2d", "ConvTranspose2d"])
        layers.append(
            {
                "op": kind,
                "in_channels": channels,
                "out_channels": out,
                "kernel_size": kernel,
                "groups": groups,
                "bias": rng.random() < 0.5,
            }
        )
        channels = out
        match rng.randint(0, 4):
            case 0:
                layers.append({"op": "BatchNorm2d", "num_features": out, "affine": rng.random() < 0.7})
            case 1:
                layers.append({"op": "GroupNorm", "num_groups": groups, "num_channels": out})
            case 2:
                layers.append({"op": "PReLU", "num_parameters": rng.choice([1, out])})
            case 3:
                layers.append({"op": "ReLU"})
    layers.append({"op": "AdaptiveAvgPool2d", "output_size": 2})
    layers.append({"op": "Flatten"})
    width = rng.randint(1, 6)
    layers.append({"op": "Linear", "in_features": 4 * channels, "out_features": width, "bias": rng.random() < 0.5})
    if rng.random() < 0.5:
        layers.append({"op": "LayerNorm", "normalized_shape": [width], "elementwise_affine": rng.random() < 0.5})
    return shape, layers


def counted(shape: list[int], layers: list[dict[str, Any]]) -> dict[str, int]:
    """PyTorch's counts."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    modules = [getattr(torch.nn, str(x["op"]))(**{k: v for k, v in x.items() if k != "op"}) for x in layers]
    model = torch.nn.Sequential(*modules)
    made: list[int] = []
    for module in modules:
        module.register_forward_hook(lambda _m, _i, output: made.append(output.numel() * output.element_size()))
    with FlopCounterMode(display=False) as flops, torch.no_grad():
        model(torch.zeros(shape))
    weights = sum(p.numel() for p in model.parameters())
    return {
        "parameters": weights,
        "activations": sum(made),
        "memory": 4 * weights + sum(made),
        "flops": flops.get_total_flops(),
    }


def verdict(shape: list[Any], layers: list[dict[str, Any]], limits: dict[str, Any], **more: Any) -> Any:
    data = {
        "version": 1,
        "model": {"framework": "torch", "inputs": {"x": {"shape": shape}}, "layers": layers},
        "hyperparameters": {"one": [1]},
        "limits": limits,
        **more,
    }
    return decide(read_space(yaml.safe_dump(data), "costs.yml"))


def test_counts_are_pytorch_s() -> None:
    pytest.importorskip("torch")
    rng = random.Random(17)
    for _ in range(MODELS):
        shape, layers = drawn(rng)
        for kind, count in counted(shape, layers).items():
            assert verdict(shape, layers, {kind: count}).verdict == VALID_FOR_ALL, (kind, count, shape, layers)
            if count:
                assert verdict(shape, layers, {kind: count - 1}).verdict == VALID_FOR_NONE, (kind, count, shape, layers)


def test_the_batch_that_fits() -> None:
    layers = [{"op": "Conv2d", "in_channels": 3, "out_channels": "c", "kernel_size": 3, "padding": 1}, {"op": "ReLU"}]
    domains = {"hyperparameters": {"c": [8, 16], "b": {"min": 1, "max": 64}}}
    found = verdict(["b", 3, 32, 32], layers, {"activations": "4 MB"}, **domains)
    assert (found.total, found.valid) == (128, 61 + 30)  # 65,536 and 131,072 bytes for each image
    assert "bytes of activations; the limit is 4000000" in found.failures[0].sentence


def test_what_is_not_known_is_undecided_and_what_is_no_limit_a_usage_error() -> None:
    layers = [{"op": "LSTM", "input_size": 4, "hidden_size": 4}]
    assert verdict([2, 3, 4], layers, {"parameters": 10**9}).verdict == UNDECIDED
    for limits in ({"speed": 3}, {"memory": "much"}, {"flops": True}):
        with pytest.raises(UsageProblem, match="is no limit"):
            verdict([2, 3, 4], layers, limits)
