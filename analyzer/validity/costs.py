"""What a layer costs, as terms: parameters, elements of its outputs, floating point operations of one forward pass.

Counts are PyTorch's: `sum(p.numel() for p in model.parameters())`, and the operations that its
`torch.utils.flop_counter` counts (two for each multiplication and addition of a product of matrices or a convolution,
none for anything else).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.operators.declaration import SAME_SHAPE
from analyzer.operators.registry import names
from analyzer.validity.architecture import Layer
from analyzer.validity.spec import Category, Requirement, Rule, TensorType
from analyzer.validity.specs.common import size_of
from analyzer.validity.terms import Term, floor_div, product, total

LIMIT = Rule("limit", Category.ILLEGAL_VALUE, "the model has {value} {what}; the limit is {limit}")
NAMES = {
    "parameters": "parameters",
    "activations": "bytes of activations",
    "memory": "bytes of parameters and activations",
    "flops": "floating point operations",
}
BYTES = {"float64": 8, "int64": 8, "complex64": 8, "complex128": 16, "float16": 2, "bfloat16": 2, "int16": 2, "int8": 1,
         "uint8": 1, "bool": 1}  # fmt: skip
CONVOLUTIONS = {"Conv1d": 1, "Conv2d": 2, "Conv3d": 3}
TRANSPOSED = {"ConvTranspose1d": 1, "ConvTranspose2d": 2, "ConvTranspose3d": 3}
BATCHED = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")
FREE = frozenset((  # of functions, and of layers without parameters
    *names("torch", SAME_SHAPE), "Flatten", "Unflatten", "Identity", "MaxPool1d", "MaxPool2d", "MaxPool3d", "AvgPool1d",
    "AvgPool2d", "AvgPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool2d",
    "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "Softmax", "LogSoftmax", "GLU", "Upsample",
    "PixelShuffle", "PixelUnshuffle", "ChannelShuffle", "ZeroPad1d", "ZeroPad2d", "Unfold", "Fold", "LocalResponseNorm",
    "add", "sub", "mul", "div", "cat", "stack", "flatten", "view", "reshape", "permute", "transpose", "mean", "sum",
    "getitem", "squeeze", "unsqueeze", "split", "chunk", "pad", "softmax", "dropout", "interpolate", "expand", "repeat",
    "narrow", "select", "max_pool2d", "avg_pool2d", "adaptive_avg_pool2d", "zeros", "ones", "full", "arange",
)) - {"PReLU"}  # fmt: skip


def parameters(layer: Layer) -> Term | None:
    """The number of trainable parameters; None where it is not known."""
    a, operator = layer.hyperparameters, layer.operator
    bias = bool(a.get("bias", True))
    if operator == "Linear":
        return None if a.get("in_features") is None else a["in_features"] * a["out_features"] + bias * a["out_features"]
    if operator in CONVOLUTIONS or operator in TRANSPOSED:
        window = product(_each(a["kernel_size"], {**CONVOLUTIONS, **TRANSPOSED}[operator]))
        groups = a.get("groups", 1)
        first, second = (
            (a["out_channels"], a["in_channels"]) if operator in CONVOLUTIONS else (a["in_channels"], a["out_channels"])
        )
        return first * floor_div(second, groups) * window + bias * a["out_channels"]
    if operator in BATCHED:
        return 2 * a["num_features"] * bool(a.get("affine", True))
    if operator == "GroupNorm":
        return 2 * a["num_channels"] * bool(a.get("affine", True))
    if operator in ("LayerNorm", "RMSNorm"):
        shape = a["normalized_shape"]
        count = product(shape if isinstance(shape, tuple) else (shape,)) * bool(a.get("elementwise_affine", True))
        return count * (1 + bias) if operator == "LayerNorm" else count
    if operator == "Embedding":
        return a["num_embeddings"] * a["embedding_dim"]
    if operator == "PReLU":
        return a.get("num_parameters", 1)
    if operator == "Parameter":
        return product(a["shape"] if isinstance(a["shape"], tuple) else (a["shape"],))
    if operator == "Bilinear":
        return a["in1_features"] * a["in2_features"] * a["out_features"] + bias * a["out_features"]
    if operator == "MultiheadAttention" and a.get("kdim") is None and a.get("vdim") is None:
        return 4 * a["embed_dim"] * a["embed_dim"] + 4 * bias * a["embed_dim"]
    return 0 if operator in FREE or operator in ("matmul", "bmm", "mm") else None


def operations(layer: Layer, operands: Sequence[TensorType | None], output: TensorType) -> Term | None:
    """Floating point operations of one forward pass; None where they are not known."""
    a, operator = layer.hyperparameters, layer.operator
    if operator == "Linear" or operator in CONVOLUTIONS:
        if output.shape is None:
            return None
        if operator == "Linear":
            return 2 * size_of(output.shape) * a["in_features"]
        window = product(_each(a["kernel_size"], CONVOLUTIONS[operator]))
        return 2 * size_of(output.shape) * floor_div(a["in_channels"], a.get("groups", 1)) * window
    if operator in TRANSPOSED:
        x = operands[0]
        window = product(_each(a["kernel_size"], TRANSPOSED[operator]))
        if x is None or x.shape is None:
            return None
        return 2 * size_of(x.shape) * floor_div(a["out_channels"], a.get("groups", 1)) * window
    if operator in ("matmul", "bmm", "mm"):
        x = operands[0]
        if output.shape is None or x is None or not x.shape:
            return None
        return 2 * size_of(output.shape) * x.shape[-1]
    known = operator in FREE or operator in (
        *BATCHED,
        "GroupNorm",
        "LayerNorm",
        "RMSNorm",
        "Embedding",
        "PReLU",
        "Parameter",
    )
    return 0 if known else None


def _each(value: Any, count: int) -> tuple[Term, ...]:
    if not isinstance(value, (tuple, list)):
        return (value,) * count
    return tuple(value) * count if len(value) == 1 else tuple(value)


class Costs:
    """The sum over the layers of a model as they run."""

    def __init__(self) -> None:
        self._counts: dict[str, list[Term]] = {"parameters": [], "activations": [], "flops": []}
        self._unknown: dict[str, str] = {}
        self._seen: set[str] = set()  # parameters of a layer that runs again count once

    def add(self, layer: Layer, operands: Sequence[TensorType | None], outputs: Sequence[TensorType]) -> None:
        """Count one layer."""
        base = layer.name.partition("@")[0]
        own = 0 if base in self._seen else parameters(layer)
        self._seen.add(base)
        sizes = [size_of(t.shape) * BYTES.get(t.dtype or "", 4) if t.shape is not None else None for t in outputs]
        made = total(s for s in sizes if s is not None) if sizes and None not in sizes else None
        first = outputs[0] if outputs else TensorType()
        for kind, count in (("parameters", own), ("activations", made), ("flops", operations(layer, operands, first))):
            if count is None:
                self._unknown.setdefault(kind, layer.name)
            else:
                self._counts[kind].append(count)

    def value(self, kind: str) -> Term | None:
        """One count of the whole model; None where a layer's is not known."""
        if kind == "memory":
            weights, made = self.value("parameters"), self.value("activations")
            return None if weights is None or made is None else 4 * weights + made
        return None if kind in self._unknown else total(self._counts[kind])

    def requirement(self, kind: str, limit: int) -> Requirement | None:
        """The limit as a rule; None where the count is not known."""
        value = self.value(kind)
        if value is None:
            return None
        return Requirement(LIMIT, value <= limit, {"value": value, "what": NAMES[kind], "limit": limit})


def limits_of(data: Mapping[str, Any]) -> Mapping[str, int]:
    """``{memory: 24 GB, parameters: 5e6}`` as numbers. Raises ValueError with the key that is none."""
    units = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "K": 10**3, "M": 10**6, "G": 10**9,
             "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "T": 10**12}  # fmt: skip
    found = {}
    for key, value in data.items():
        number = str(value).strip()
        unit = number.lstrip("0123456789.+-eE_ ") if isinstance(value, str) else ""
        try:
            if key not in NAMES or isinstance(value, bool):
                raise ValueError
            found[str(key)] = int(float(number.removesuffix(unit)) * units[unit.upper()])
        except (ValueError, KeyError, OverflowError):
            raise ValueError(str(key)) from None
    return found
