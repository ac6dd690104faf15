"""Parameters, activations and operations of a space against PyTorch's own counts: one less is invalid."""

from __future__ import annotations

import inspect
import json
import os
import random
import subprocess
import sys
from typing import Any

import pytest
import yaml

from analyzer.problem import UsageProblem
from analyzer.validity.architecture import ModelLayer
from analyzer.validity.decide import UNDECIDED, VALID_FOR_ALL, VALID_FOR_NONE, decide
from analyzer.validity.parameter_counts import weightless
from analyzer.validity.registry import all_specs
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


def drawn_sequence_layer(rng: random.Random) -> dict[str, Any]:
    """A layer that reads (batch, time, 8): recurrent, attention or transformer."""
    biased = rng.random() < 0.5
    kind = rng.choice(
        ["LSTM", "GRU", "RNN", "TransformerEncoderLayer", "InstanceNorm1d", "RMSNorm", "MultiheadAttention"]
    )
    match kind:
        case "TransformerEncoderLayer":
            return {"op": kind, "d_model": 8, "nhead": 2, "dim_feedforward": rng.randint(1, 9), "bias": biased}
        case "MultiheadAttention":
            return {"op": kind, "embed_dim": 8, "num_heads": rng.choice([1, 4]), "bias": biased, "batch_first": True}
        case "InstanceNorm1d":
            return {"op": kind, "num_features": 3, "affine": biased}
        case "RMSNorm":
            return {"op": kind, "normalized_shape": [8]}
    layer = {
        "op": kind,
        "input_size": 8,
        "hidden_size": rng.randint(3, 6),
        "num_layers": rng.randint(1, 3),
        "bias": biased,
    }
    if kind == "LSTM":
        layer["proj_size"] = rng.choice([0, 2])
    return layer | {"bidirectional": rng.random() < 0.5, "batch_first": True}


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


OTHERS = (
    {"op": "TransformerDecoderLayer", "d_model": 8, "nhead": 2, "dim_feedforward": 5},
    {"op": "TransformerDecoderLayer", "d_model": 8, "nhead": 2, "dim_feedforward": 5, "bias": False},
    {"op": "MultiheadAttention", "embed_dim": 8, "num_heads": 2, "kdim": 8, "vdim": 8, "add_bias_kv": True},
    *(
        {"op": f"{kind}Cell", "input_size": 8, "hidden_size": 3, "bias": b}
        for kind in ("LSTM", "GRU", "RNN")
        for b in (0, 1)
    ),
)


@pytest.mark.parametrize("layer", OTHERS, ids=lambda layer: "-".join(map(str, layer.values())))
def test_parameters_of_a_layer_with_several_operands_are_pytorch_s(layer: dict[str, Any]) -> None:
    torch = pytest.importorskip("torch")
    layer = {**layer, "bias": bool(layer.get("bias", True))}
    made = getattr(torch.nn, layer["op"])(**{k: v for k, v in layer.items() if k != "op"})
    count = sum(p.numel() for p in made.parameters())
    inputs = {"TransformerDecoderLayer": ["x", "x"], "MultiheadAttention": ["x", "x", "x"]}.get(layer["op"], ["x"])
    shape = [2, 8] if layer["op"].endswith("Cell") else [2, 3, 8]
    stack = [{"name": "one", **layer, "inputs": inputs}]
    assert verdict(shape, stack, {"parameters": count}).verdict == VALID_FOR_ALL
    assert verdict(shape, stack, {"parameters": count - 1}).verdict == VALID_FOR_NONE


def test_parameters_of_recurrent_and_attention_layers_are_pytorch_s() -> None:
    torch = pytest.importorskip("torch")
    rng = random.Random(23)
    for _ in range(60):
        layer = drawn_sequence_layer(rng)
        made = getattr(torch.nn, layer["op"])(**{k: v for k, v in layer.items() if k != "op"})
        count = sum(p.numel() for p in made.parameters())
        operands = {"inputs": ["x", "x", "x"]} if layer["op"] == "MultiheadAttention" else {}
        stack = [{"name": "one", **layer, **operands}]
        assert verdict([2, 3, 8], stack, {"parameters": count}).verdict == VALID_FOR_ALL, layer
        if count:
            assert verdict([2, 3, 8], stack, {"parameters": count - 1}).verdict == VALID_FOR_NONE, layer


def products(module: Any, *operands: Any) -> int:
    """PyTorch's count, with the fused kernels of recurrent layers and attention taken apart."""
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as flops, sdpa_kernel(SDPBackend.MATH), torch.backends.mkldnn.flags(False):
        module.train()(*operands)
    return int(flops.get_total_flops())


def test_operations_of_recurrent_and_attention_layers_are_pytorch_s() -> None:
    torch = pytest.importorskip("torch")
    rng = random.Random(29)
    layers = [drawn_sequence_layer(rng) for _ in range(40)] + [
        dict(layer) for layer in OTHERS if "Cell" not in layer["op"]
    ]
    for layer in layers:
        if "bias" in layer:
            layer["bias"] = bool(layer["bias"])
        made = getattr(torch.nn, layer["op"])(**{k: v for k, v in layer.items() if k != "op"})
        copies = {"MultiheadAttention": 3, "TransformerDecoderLayer": 2}.get(layer["op"], 1)
        count = products(made, *[torch.zeros(2, 3, 8)] * copies)
        stack = [{"name": "one", **layer, "inputs": ["x"] * copies}]
        assert verdict([2, 3, 8], stack, {"flops": count}).verdict == VALID_FOR_ALL, (layer, count)
        if count:
            assert verdict([2, 3, 8], stack, {"flops": count - 1}).verdict == VALID_FOR_NONE, (layer, count)


KERAS = (
    {"op": "Dense", "units": 5, "use_bias": False},
    {"op": "Dense", "units": 5},
    {"op": "Conv1D", "filters": 4, "kernel_size": 2, "groups": 2},
    {"op": "Conv1DTranspose", "filters": 5, "kernel_size": 2},
    {"op": "DepthwiseConv1D", "kernel_size": 2, "depth_multiplier": 3},
    {"op": "SeparableConv1D", "filters": 5, "kernel_size": 2, "depth_multiplier": 2},
    {"op": "BatchNormalization", "scale": False},
    {"op": "LayerNormalization"},
    {"op": "LayerNormalization", "rms_scaling": True},
    {"op": "GroupNormalization", "groups": 2},
    {"op": "MultiHeadAttention", "num_heads": 2, "key_dim": 3},
    {"op": "MultiHeadAttention", "num_heads": 2, "key_dim": 3, "value_dim": 5, "use_bias": False},
    {"op": "LSTM", "units": 3},
    {"op": "GRU", "units": 3},
    {"op": "GRU", "units": 3, "reset_after": False, "use_bias": False},
    {"op": "SimpleRNN", "units": 3, "return_sequences": True},
    {"op": "Flatten"},
    {"op": "MaxPooling1D", "pool_size": 2},
    {"op": "Dropout", "rate": 0.5},
    {"op": "Softmax"},
)


@pytest.mark.parametrize("layer", KERAS, ids=lambda layer: "-".join(map(str, layer.values())))
def test_parameters_of_a_keras_layer_are_keras_s(layer: dict[str, Any]) -> None:
    keras = pytest.importorskip("keras")
    made = getattr(keras.layers, layer["op"])(**{k: v for k, v in layer.items() if k != "op"})
    attends = layer["op"] == "MultiHeadAttention"
    made.build(*[(2, 6, 8)] * (2 if attends else 1))
    described = {"name": "one", **layer, **({"inputs": ["x", "x"]} if attends else {})}
    count = sum(v.numpy().size for v in made.trainable_variables)
    data = {
        "version": 1,
        "model": {"framework": "keras", "inputs": {"x": {"shape": ["b", 6, 8]}}, "layers": [described]},
        "hyperparameters": {"b": [1, 2]},
    }
    for limit, expected in ((count, VALID_FOR_ALL), *(((count - 1, VALID_FOR_NONE),) if count else ())):
        text = yaml.safe_dump({**data, "limits": {"parameters": limit}})
        assert decide(read_space(text, "costs.yml")).verdict == expected, (limit, layer)


COUNTED = """
import json, sys
import keras, torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode
counts = []
for layer in json.load(sys.stdin):
    name = layer.pop("op")
    made = getattr(keras.layers, name)(**layer)
    operands = [keras.ops.zeros((2, 6, 8))] * (2 if name == "MultiHeadAttention" else 1)
    made(*operands)
    with FlopCounterMode(display=False) as flops, sdpa_kernel(SDPBackend.MATH), torch.no_grad():
        made(*operands)
    counts.append(flops.get_total_flops())
print(json.dumps(counts))
"""


def test_operations_of_keras_layers_are_those_that_pytorch_counts_below_them() -> None:
    pytest.importorskip("keras")
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, "-c", COUNTED], input=json.dumps(KERAS), capture_output=True, text=True, check=True,
        env={**os.environ, "KERAS_BACKEND": "torch"},
    )  # fmt: skip
    for layer, count in zip(KERAS, json.loads(done.stdout.splitlines()[-1]), strict=True):
        if layer["op"] == "SimpleRNN" or layer.get("reset_after") is False:
            count = count * 6 // 7  # of six steps Keras takes the first one twice, to learn the output's shape
        stack = [{"name": "one", **layer, "inputs": ["x"] * (2 if layer["op"] == "MultiHeadAttention" else 1)}]
        data = {
            "version": 1,
            "model": {"framework": "keras", "inputs": {"x": {"shape": [2, 6, 8]}}, "layers": stack},
            "hyperparameters": {"one": [1]},
        }
        for limit, expected in ((count, VALID_FOR_ALL), *(((count - 1, VALID_FOR_NONE),) if count else ())):
            text = yaml.safe_dump({**data, "limits": {"flops": limit}})
            assert decide(read_space(text, "costs.yml")).verdict == expected, (limit, layer)


@pytest.mark.parametrize("framework", ["torch", "keras"])
def test_what_counts_as_weightless_makes_no_weight(framework: str) -> None:
    library = pytest.importorskip("torch.nn" if framework == "torch" else "keras.layers")
    base = library.Module if framework == "torch" else library.Layer
    makes = ("Parameter(", "Parameter]") if framework == "torch" else ("add_weight(",)
    seen = 0
    for kind, name in all_specs():
        cls = getattr(library, name, None)
        if kind != framework or not isinstance(cls, type) or not issubclass(cls, base):
            continue
        if weightless(ModelLayer(name, name, framework, (), ())):
            seen += 1
            own = [c for c in cls.__mro__ if issubclass(c, base) and c is not base]
            assert not any(word in inspect.getsource(c) for c in own for word in makes), name
    assert seen > 30


def test_the_batch_that_fits() -> None:
    layers = [{"op": "Conv2d", "in_channels": 3, "out_channels": "c", "kernel_size": 3, "padding": 1}, {"op": "ReLU"}]
    domains = {"hyperparameters": {"c": [8, 16], "b": {"min": 1, "max": 64}}}
    found = verdict(["b", 3, 32, 32], layers, {"activations": "4 MB"}, **domains)
    assert (found.total, found.valid) == (128, 61 + 30)  # 65,536 and 131,072 bytes for each image
    assert "bytes of activations; the limit is 4000000" in found.failures[0].sentence


def test_what_is_not_known_is_undecided_and_what_is_no_limit_a_usage_error() -> None:
    layers = [{"op": "Bilinear", "in1_features": 4, "in2_features": 4, "out_features": 2, "inputs": ["x", "x"]}]
    assert verdict([2, 3, 4], layers, {"flops": 10**9}).verdict == UNDECIDED
    for limits in ({"speed": 3}, {"memory": "much"}, {"flops": True}):
        with pytest.raises(UsageProblem, match="is no limit"):
            verdict([2, 3, 4], layers, limits)
