"""Operators of ONNX Runtime's own domain, ``com.microsoft``, written out in operators of the standard.

Optimised files are made of them. Each body follows its entry in ONNX Runtime's list of contributed operators, so far as
it decides which values occur. What has no body here stays unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

DOMAIN = "com.microsoft"
Shape = tuple[int | None, ...] | None


@dataclass(frozen=True)
class ContributedCall:
    """One node: its attributes, which inputs it has, their shapes, and which outputs are named."""

    attributes: dict[str, Any]
    given: tuple[bool, ...]
    shapes: tuple[Shape, ...]
    named: tuple[bool, ...]

    @property
    def single(self) -> bool:
        """Whether the first output alone is asked for."""
        return not any(self.named[1:])

    def has(self, place: int) -> bool:
        return place < len(self.given) and self.given[place]

    def shape(self, place: int) -> Shape:
        return self.shapes[place] if place < len(self.shapes) else None


def body_text(op: str, call: ContributedCall) -> str | None:
    """The function's text for `onnx.parser`; None where the operator, or this use of it, has no body."""
    if op not in BODIES or call.attributes.get("do_rotary"):
        return None
    made = BODIES[op](call)
    if made is None:
        return None
    names, lines, results = made
    outputs = ", ".join(results[: len(call.named)])
    head = f'<domain: "{DOMAIN}", opset_import: ["" : 23]>\n{op} ({", ".join(names)}) => ({outputs})'
    return head + " {\n" + "\n".join(lines) + "\n}"


Body = tuple[Sequence[str], list[str], Sequence[str]] | None  # names of inputs, statements, names of outputs


def _gelu(call: ContributedCall) -> Body:
    return ("x",), ["y = Gelu (x)"], ("y",)


def _bias_gelu(call: ContributedCall) -> Body:
    return ("x", "b"), ["s = Add (x, b)", "y = Gelu (s)"], ("y",)


def _fast_gelu(call: ContributedCall) -> Body:
    last = ['y = Gelu <approximate = "tanh"> (s)']
    if call.has(1):
        return ("x", "b"), ["s = Add (x, b)", *last], ("y",)
    return ("x",), ["s = Identity (x)", *last], ("y",)


def _fused_matmul(call: ContributedCall) -> Body:
    if call.attributes.get("transBatchA") or call.attributes.get("transBatchB"):
        return None
    lines, operands = [], []
    for place, (name, flag) in enumerate((("a", "transA"), ("b", "transB"))):
        shape = call.shape(place)
        if call.attributes.get(flag):
            if shape is None:
                return None
            axes = [*range(len(shape) - 2), len(shape) - 1, len(shape) - 2] if len(shape) > 1 else [0]
            lines.append(f"{name}t = Transpose <perm = {axes}> ({name})")
        operands.append(f"{name}t" if call.attributes.get(flag) else name)
    lines.append(f"m = MatMul ({', '.join(operands)})")
    return ("a", "b"), [*lines, *_scaled("y", "m", float(call.attributes.get("alpha", 1.0)))], ("y",)


def _scaled(result: str, value: str, factor: float) -> list[str]:
    if factor == 1.0:
        return [f"{result} = Identity ({value})"]
    return [
        f"{result}_f = Constant <value_float = {factor!r}> ()",
        f"{result}_k = CastLike ({result}_f, {value})",
        f"{result} = Mul ({value}, {result}_k)",
    ]


def _sum(call: ContributedCall, bias: int) -> list[str]:
    return ["s = Add (x, skip)", "t = Add (s, bias)" if call.has(bias) else "t = Identity (s)"]


def _skip_layer_norm(call: ContributedCall) -> Body:
    epsilon = float(call.attributes.get("epsilon", 1e-12))
    operands = "t, gamma, beta" if call.has(3) else "t, gamma"
    norm = f"y, mean, inverse = LayerNormalization <axis = -1, epsilon = {epsilon!r}> ({operands})"
    return ("x", "skip", "gamma", "beta", "bias"), [*_sum(call, 4), norm], ("y", "mean", "inverse", "t")


def _skip_rms_norm(call: ContributedCall) -> Body:
    if any(call.named[1:3]):
        return None
    epsilon = float(call.attributes.get("epsilon", 1e-12))
    norm = f"y = RMSNormalization <axis = -1, epsilon = {epsilon!r}> (t, gamma)"
    # Nobody reads the mean and the inverse.
    return ("x", "skip", "gamma", "bias"), [*_sum(call, 3), norm], ("y", "t", "t", "t")


def _embed(call: ContributedCall) -> Body:
    names = ("ids", "segments", "words", "places", "segment", "gamma", "beta", "mask", "where")
    lines = ["w = Gather (words, ids)"]
    if call.has(8):
        lines.append("p = Gather (places, where)")
    else:
        lines += ["n = Shape <start = 1, end = 2> (ids)", "zero = Constant <value_ints = [0]> ()"]
        lines.append("p = Slice (places, zero, n)")
    lines.append("s = Add (w, p)")
    segmented = call.has(1) and call.has(4)
    lines += ["g = Gather (segment, segments)", "t = Add (s, g)"] if segmented else ["t = Identity (s)"]
    epsilon = float(call.attributes.get("epsilon", 1e-12))
    lines.append(f"y = LayerNormalization <axis = -1, epsilon = {epsilon!r}> (t, gamma, beta)")
    if call.has(7):
        lines += ["one = Constant <value_ints = [1]> ()", "count = ReduceSum <keepdims = 0> (mask, one)"]
    else:
        lines += ["none = Constant <value = int32[1] {0}> ()", "b = Shape <start = 0, end = 1> (ids)"]
        lines.append("count = Expand (none, b)")
    return names, lines, ("y", "count", "t")


def _attended(call: ContributedCall, size: int, mask: int, added: int) -> list[str] | None:
    """From `q`, `k`, `v`, (batch, sequence, heads x size) each, to `y`; `mask` and `added`: places of inputs."""
    hidden = _hidden(call, mask)
    if hidden is None:
        return None
    heads, scale = int(call.attributes["num_heads"]), float(call.attributes.get("scale", 0.0))
    filler = float(call.attributes.get("mask_filter_value", -10000.0))
    lines = [
        f"split = Constant <value_ints = [0, 0, {heads}, -1]> ()",
        "joined = Constant <value_ints = [0, 0, -1]> ()",
    ]
    for name in "qkv":
        axes = [0, 2, 3, 1] if name == "k" else [0, 2, 1, 3]
        lines += [f"{name}4 = Reshape ({name}, split)", f"{name}h = Transpose <perm = {axes}> ({name}4)"]
    lines += ["products = MatMul (qh, kh)", *_scaled("scores", "products", scale or 1 / math.sqrt(size))]
    lines.append("biased = Add (scores, added)" if call.has(added) else "biased = Identity (scores)")
    lines += [f"low_f = Constant <value_float = {filler!r}> ()", "low = CastLike (low_f, scores)", *hidden]
    if call.attributes.get("unidirectional"):
        lines += ["next = Constant <value_int = 1> ()", "shape = Shape (scores)", "all = Expand (low, shape)"]
        lines += ["later = Trilu <upper = 1> (all, next)", "kept = Add (masked, later)"]
    else:
        lines.append("kept = Identity (masked)")
    lines += ["weights = Softmax <axis = -1> (kept)", "mixed = MatMul (weights, vh)"]
    return [*lines, "turned = Transpose <perm = [0, 2, 1, 3]> (mixed)", "y = Reshape (turned, joined)"]


def _hidden(call: ContributedCall, place: int) -> list[str] | None:
    """From `biased` to `masked`, with `low` added where a mask of whole numbers hides a key."""
    if not call.has(place):
        return ["masked = Identity (biased)"]
    shape, batch = call.shape(place), (call.shape(0) or (None,))[0]
    if shape is None or len(shape) > 3 or (len(shape) == 1 and (batch is None or shape[0] != batch)):
        return None
    if len(shape) == 1:  # lengths
        lines = ["last = Shape <start = 3, end = 4> (kh)", "axis0 = Constant <value_ints = [0]> ()"]
        lines += [
            "count = Squeeze (last, axis0)",
            "first = Constant <value_int = 0> ()",
            "step = Constant <value_int = 1> ()",
        ]
        lines += [
            "keys = Range (first, count, step)",
            "to = Constant <value_ints = [1]> ()",
            "wide = Cast <to = 7> (mask)",
        ]
        lines += ["ends = Unsqueeze (wide, to)", "hides = GreaterOrEqual (keys, ends)"]
    else:
        lines = ["none = Constant <value_int = 0> ()", "zero = CastLike (none, mask)", "hides = Equal (mask, zero)"]
    axes = "[1]" if len(shape) == 3 else "[1, 2]"
    lines += [f"heads = Constant <value_ints = {axes}> ()", "hiding = Unsqueeze (hides, heads)"]
    lines += ["nothing_f = Constant <value_float = 0.0> ()", "nothing = CastLike (nothing_f, biased)"]
    return [*lines, "filler = Where (hiding, low, nothing)", "masked = Add (biased, filler)"]


def _attention(call: ContributedCall) -> Body:
    weights = call.shape(1)
    width = weights[-1] if weights is not None else None
    heads = int(call.attributes.get("num_heads", 0))
    plain = not call.has(4) and call.single and not call.attributes.get("qkv_hidden_sizes")
    if width is None or not heads or width % (3 * heads) or not plain:
        return None
    each = width // 3
    lines = ["m = MatMul (x, w)", "p = Add (m, bias)" if call.has(2) else "p = Identity (m)"]
    lines += [f"sizes = Constant <value_ints = [{each}, {each}, {each}]> ()", "q, k, v = Split <axis = -1> (p, sizes)"]
    rest = _attended(call, each // heads, 3, 5)
    return None if rest is None else (("x", "w", "bias", "mask", "past", "added"), [*lines, *rest], ("y",))


def _several_heads(call: ContributedCall) -> Body:
    shapes = [call.shape(place) for place in range(3)]
    heads = int(call.attributes.get("num_heads", 0))
    width = shapes[0][-1] if shapes[0] is not None and len(shapes[0]) == 3 else None
    plain = call.single and all(s is not None and len(s) == 3 for s in shapes)
    if width is None or not heads or width % heads or not plain or any(call.has(p) for p in (3, 6, 7, 8, 9)):
        return None
    lines = _attended(call, width // heads, 4, 5)
    return None if lines is None else (("q", "k", "v", "bias", "mask", "added"), lines, ("y",))


def _fused_conv(call: ContributedCall) -> Body:
    kind = str(call.attributes.get("activation", ""))
    parameters = [float(p) for p in call.attributes.get("activation_params") or ()]
    activated = {
        "": "y = Identity (s)", "Relu": "y = Relu (s)", "Sigmoid": "y = Sigmoid (s)", "Tanh": "y = Tanh (s)",
        "LeakyRelu": f"y = LeakyRelu <alpha = {(parameters or [0.01])[0]!r}> (s)",
    }.get(kind)  # fmt: skip
    if activated is None:
        return None
    kept = ("auto_pad", "dilations", "group", "kernel_shape", "pads", "strides")
    told = [f"{n} = {_written(call.attributes[n])}" for n in kept if n in call.attributes]
    operands = "x, w, b" if call.has(2) else "x, w"
    lines = [f"c = Conv <{', '.join(told)}> ({operands})" if told else f"c = Conv ({operands})"]
    lines.append("s = Add (c, z)" if call.has(3) else "s = Identity (c)")
    return ("x", "w", "b", "z"), [*lines, activated], ("y",)


def _real(name: str, scale: str, zero: str, call: ContributedCall, place: int, axis: int = 0) -> str:
    """`name`_r: what bytes stand for; `place`: of the zero point."""
    return f"{name}_r = DequantizeLinear <axis = {axis}> ({name}, {scale}{f', {zero}' if call.has(place) else ''})"


def _bytes(value: str, scale: str, zero: str, call: ContributedCall, place: int) -> str:
    return f"y = QuantizeLinear ({value}, {scale}{f', {zero}' if call.has(place) else ''})"


def _dynamic_product(call: ContributedCall) -> Body:
    lines = [
        "q, s, z = DynamicQuantizeLinear (a)",
        "a_r = DequantizeLinear (q, s, z)",
        _real("b", "bs", "bz", call, 3, 1),
    ]
    lines += ["m = MatMul (a_r, b_r)", "y = Add (m, bias)" if call.has(4) else "y = Identity (m)"]
    return ("a", "b", "bs", "bz", "bias"), lines, ("y",)


def _scaled_product(call: ContributedCall) -> Body:
    lines = [_real("a", "as", "az", call, 4), _real("b", "bs", "bz", call, 5, 1), "m = MatMul (a_r, b_r)"]
    lines.append("y = Add (m, bias)" if call.has(6) else "y = Identity (m)")
    return ("a", "b", "as", "bs", "az", "bz", "bias"), lines, ("y",)


def _byte_gemm(call: ContributedCall) -> Body:
    lines = [
        _real("a", "as", "az", call, 2),
        _real("b", "bs", "bz", call, 5, 0 if call.attributes.get("transB") else 1),
    ]
    flags = ", ".join(f"{n} = {int(call.attributes.get(n, 0))}" for n in ("transA", "transB"))
    lines.append(f"p = Gemm <alpha = {float(call.attributes.get('alpha', 1.0))!r}, {flags}> (a_r, b_r)")
    if call.has(6):
        lines += ["both = Mul (as, bs)", *_scaled("step", "both", float(call.attributes.get("alpha", 1.0)))]
        lines += ["c_f = CastLike (c, step)", "c_r = Mul (c_f, step)", "m = Add (p, c_r)"]
    else:
        lines.append("m = Identity (p)")
    lines.append(_bytes("m", "ys", "yz", call, 8) if call.has(7) else "y = Identity (m)")
    return ("a", "as", "az", "b", "bs", "bz", "c", "ys", "yz"), lines, ("y",)


def _bytewise(op: str) -> Callable[[ContributedCall], Body]:
    def body(call: ContributedCall) -> Body:
        lines = [_real("a", "as", "az", call, 2), _real("b", "bs", "bz", call, 5), f"m = {op} (a_r, b_r)"]
        return ("a", "as", "az", "b", "bs", "bz", "cs", "cz"), [*lines, _bytes("m", "cs", "cz", call, 7)], ("y",)

    return body


def _on_bytes(function: Callable[[ContributedCall], str]) -> Callable[[ContributedCall], Body]:
    def body(call: ContributedCall) -> Body:
        lines = [_real("x", "xs", "xz", call, 2), f"m = {function(call)} (x_r)", _bytes("m", "ys", "yz", call, 4)]
        return ("x", "xs", "xz", "ys", "yz"), lines, ("y",)

    return body


def _byte_pool(call: ContributedCall) -> Body:
    if call.attributes.get("channels_last"):
        return None
    kept = ("auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides")
    told = [f"{n} = {_written(call.attributes[n])}" for n in kept if n in call.attributes]
    return _on_bytes(lambda c: f"AveragePool <{', '.join(told)}>")(call)


def _byte_mean(call: ContributedCall) -> Body:
    return None if call.attributes.get("channels_last") else _on_bytes(lambda c: "GlobalAveragePool")(call)


def _byte_softmax(call: ContributedCall) -> Body:
    """Before operator set 13 over all axes from `axis` on: as one axis only where that is the last."""
    shape, axis = call.shape(0), int(call.attributes.get("axis", -1))
    last = axis == -1 or (shape is not None and axis == len(shape) - 1)
    if int(call.attributes.get("opset", 13)) < 13 and not last:
        return None
    return _on_bytes(lambda c: f"Softmax <axis = {axis}>")(call)


def _written(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value if isinstance(value, int) else list(value))


BODIES: dict[str, Callable[[ContributedCall], Body]] = {
    "Gelu": _gelu,
    "BiasGelu": _bias_gelu,
    "FastGelu": _fast_gelu,
    "FusedMatMul": _fused_matmul,
    "TransposeMatMul": _fused_matmul,
    "SkipLayerNormalization": _skip_layer_norm,
    "SkipSimplifiedLayerNormalization": _skip_rms_norm,
    "EmbedLayerNormalization": _embed,
    "Attention": _attention,
    "MultiHeadAttention": _several_heads,
    "FusedConv": _fused_conv,
    "DynamicQuantizeMatMul": _dynamic_product,
    "MatMulIntegerToFloat": _scaled_product,
    "QGemm": _byte_gemm,
    "QLinearAdd": _bytewise("Add"),
    "QLinearMul": _bytewise("Mul"),
    "QLinearSigmoid": _on_bytes(lambda call: "Sigmoid"),
    "QLinearLeakyRelu": _on_bytes(lambda call: f"LeakyRelu <alpha = {float(call.attributes.get('alpha', 0.01))!r}>"),
    "QLinearSoftmax": _byte_softmax,
    "QLinearAveragePool": _byte_pool,
    "QLinearGlobalAveragePool": _byte_mean,
}
