"""Generated cases of single operators: operator x operator set x rank x attribute, for the sweep of the oracle.

A space gives an operator's attributes with the values each may take (the first is the default, None: left out) and a
function from chosen values to inputs. `cases` takes each attribute through all its values while the others keep their
first, then draws further combinations by seed. Combinations that no model may have are for the engines to refuse.
"""

# ruff: noqa: E501

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from onnx import helper

Arrays = dict[str, np.ndarray]
Draw = np.random.Generator
NEWEST = 22  # operator set; ONNX Runtime and OpenVINO both read it
OLDEST = 7  # ONNX Runtime reads none before

F, INT = np.float32, np.int64


@dataclass(frozen=True)
class Made:
    """Inputs of a node in order: what is fed, what is a constant (None: left out), and attributes that follow."""

    fed: Arrays
    constants: Mapping[str, np.ndarray | None] = field(default_factory=dict)
    outputs: int = 1
    more: Mapping[str, Any] = field(default_factory=dict)


Make = Callable[
    [Draw, dict[str, Any], int], Made | None
]  # None: no model may have these  # random numbers, attributes, operator set


@dataclass(frozen=True)
class Space:
    op: str
    label: str  # rank or form, for the count
    attributes: Mapping[str, Sequence[Any]]
    make: Make
    since: int = 1
    until: int = NEWEST + 1


@dataclass(frozen=True)
class Generated:
    opset: int
    node: onnx.NodeProto
    feeds: Arrays
    weights: Arrays
    space: Space


def cases(seed: int, draws: int, spaces: Sequence[Space] | None = None) -> Iterator[Generated]:
    """`draws`: random combinations of each space and operator set beyond one attribute at a time."""
    for space in ALL if spaces is None else spaces:
        for opset in opsets(space):
            rng = np.random.default_rng([seed, opset, zlib.crc32(f"{space.op} {space.label}".encode())])
            for chosen in _chosen(space.attributes, rng, draws):
                case = _case(space, opset, chosen, rng)
                if case is not None:
                    yield case


def opsets(space: Space) -> list[int]:
    """Those that defined or changed the operator, the first at least that engines read."""
    changed = {
        s.since_version for s in onnx.defs.get_all_schemas_with_history() if (s.name, s.domain) == (space.op, "")
    }
    low, high = max(space.since, OLDEST), min(space.until - 1, NEWEST)
    found = {max(version, low) for version in changed if version <= high}
    first = min(changed, default=low)
    return sorted(v for v in found if v >= first)


def _chosen(attributes: Mapping[str, Sequence[Any]], rng: Draw, draws: int) -> Iterator[dict[str, Any]]:
    first = {name: values[0] for name, values in attributes.items()}
    seen = [first]
    yield dict(first)
    for name, values in attributes.items():
        for value in values[1:]:
            seen.append({**first, name: value})
            yield dict(seen[-1])
    for _ in range(draws if len(attributes) > 1 else 0):
        drawn = {name: values[int(rng.integers(len(values)))] for name, values in attributes.items()}
        if "pads" in drawn and drawn.get("auto_pad") not in (None, "NOTSET"):
            drawn["pads"] = attributes["pads"][0]  # the standard allows one of the two
        if drawn not in seen:
            seen.append(drawn)
            yield dict(drawn)


def _case(space: Space, opset: int, chosen: dict[str, Any], rng: Draw) -> Generated | None:
    hidden = {k: chosen.pop(k) for k in list(chosen) if k.startswith("_")}  # of the inputs, no attributes
    made = space.make(rng, chosen | hidden, opset)
    if made is None:
        return None
    names = [n for n, a in {**made.fed, **made.constants}.items()]
    given = {**made.fed, **made.constants}
    inputs = [n if given[n] is not None else "" for n in names]
    while inputs and not inputs[-1]:
        inputs.pop()
    known = onnx.defs.get_schema(space.op, opset).attributes
    written = {n: v for n, v in {**chosen, **made.more}.items() if v is not None and n in known}
    node = helper.make_node(space.op, inputs, [f"y{i}" for i in range(made.outputs)], **written)
    weights = {n: a for n, a in made.constants.items() if a is not None}
    return Generated(opset, node, dict(made.fed), weights, space)


def floats(rng: Draw, *shape: int) -> np.ndarray:
    return rng.standard_normal(shape).astype(F)


def ints(*values: int) -> np.ndarray:
    return np.array(values, INT)


def _x(values: Callable[[Draw, tuple[int, ...]], np.ndarray], shape: tuple[int, ...]) -> Make:
    return lambda rng, chosen, opset: Made({"x": values(rng, shape)})


def _normal(rng: Draw, shape: tuple[int, ...]) -> np.ndarray:
    return np.asarray(2 * rng.standard_normal(shape)).astype(F)


def _unit(rng: Draw, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(-0.95, 0.95, shape).astype(F)


def _positive(rng: Draw, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(0.1, 5, shape).astype(F)


def _large(rng: Draw, shape: tuple[int, ...]) -> np.ndarray:
    return rng.uniform(1.1, 5, shape).astype(F)


def _odd(rng: Draw, shape: tuple[int, ...]) -> np.ndarray:
    values = _normal(rng, shape)
    return np.asarray(
        np.where(rng.random(shape) < 0.4, rng.choice([np.nan, np.inf, -np.inf, 0.5, -2.5], shape), values)
    ).astype(F)


SHAPES = ((), (5,), (2, 3), (2, 3, 4), (2, 3, 2, 2))


def elementwise() -> Iterator[Space]:
    alpha = {"alpha": [None, 0.3, 1.7]}
    kinds: dict[str, tuple[Any, dict[str, Sequence[Any]]]] = {
        "Abs": (_normal, {}), "Neg": (_normal, {}), "Ceil": (_normal, {}), "Floor": (_normal, {}), "Round": (_normal, {}),
        "Sign": (_normal, {}), "Exp": (_normal, {}), "Log": (_positive, {}), "Sqrt": (_positive, {}), "Reciprocal": (_positive, {}),
        "Sin": (_normal, {}), "Cos": (_normal, {}), "Tan": (_unit, {}), "Asin": (_unit, {}), "Acos": (_unit, {}), "Atan": (_normal, {}),
        "Sinh": (_normal, {}), "Cosh": (_normal, {}), "Tanh": (_normal, {}), "Asinh": (_normal, {}), "Acosh": (_large, {}),
        "Atanh": (_unit, {}), "Erf": (_normal, {}), "Relu": (_normal, {}), "Sigmoid": (_normal, {}), "Softplus": (_normal, {}),
        "Softsign": (_normal, {}), "HardSwish": (_normal, {}), "Mish": (_normal, {}), "Identity": (_normal, {}),
        "Elu": (_normal, alpha), "Celu": (_normal, alpha), "LeakyRelu": (_normal, {"alpha": [None, 0.0, 0.3, 1.7, -0.5]}),
        "ThresholdedRelu": (_normal, alpha), "Selu": (_normal, {**alpha, "gamma": [None, 0.4, 1.5]}),
        "HardSigmoid": (_normal, {"alpha": [None, 0.4, -0.3], "beta": [None, 0.1, 0.9]}),
        "Shrink": (_normal, {"bias": [None, 0.3, -0.2], "lambd": [None, 0.2, 1.1]}),
        "Gelu": (_normal, {"approximate": [None, "none", "tanh"]}), "IsNaN": (_odd, {}),
        "IsInf": (_odd, {"detect_positive": [None, 0], "detect_negative": [None, 0]}),
        "NonZero": (lambda r, s: np.rint(r.standard_normal(s)).astype(F), {}),
        "Shape": (_normal, {"start": [None, 1, -2, 7], "end": [None, 1, -1, -9]}), "Size": (_normal, {}),
    }  # fmt: skip
    for op, (values, attributes) in kinds.items():
        for shape in SHAPES[1:] if op == "NonZero" else SHAPES:
            yield Space(op, f"rank {len(shape)}", attributes, _x(values, shape))
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        for shape in SHAPES[2:]:
            axes = [None, *range(len(shape)), -1]
            yield Space(op, f"rank {len(shape)}", {"axis": axes}, _x(_normal, shape))
    for op in ("Not",):
        yield Space(op, "rank 2", {}, _x(lambda r, s: r.random(s) < 0.5, (2, 3)))
    for to in ("FLOAT", "INT32", "INT64", "UINT8", "INT8", "BOOL", "FLOAT16", "DOUBLE"):
        code = getattr(onnx.TensorProto, to)
        for name, values in (
            ("float", lambda r, s: np.abs(5 * r.standard_normal(s)).astype(F)),
            ("int", lambda r, s: r.integers(0, 99, s)),
        ):
            yield Space("Cast", f"{name} to {to}", {"to": [code]}, _x(values, (3, 4)))

    def clip(rng: Draw, chosen: dict[str, Any], opset: int) -> Made:
        low, high = chosen["_low"], chosen["_high"]
        if opset < 11:
            return Made({"x": _normal(rng, (3, 4))}, more={"min": low, "max": high})
        bounds = {n: None if v is None else np.array(v, F) for n, v in (("low", low), ("high", high))}
        return Made({"x": _normal(rng, (3, 4))}, bounds)

    yield Space("Clip", "rank 2", {"_low": [None, -0.5, 0.7], "_high": [None, 0.4, 1.5]}, clip)


def broadcasting() -> Iterator[Space]:
    pairs = (((2, 3), (2, 3)), ((2, 3, 4), (4,)), ((2, 1, 4), (3, 1)), ((), (2, 3)), ((3,), (2, 1)))
    numbers: dict[str, Sequence[type]] = {
        "Add": (F, np.int32, INT), "Sub": (F, np.int32, INT), "Mul": (F, np.int32, INT), "Div": (F, np.int32, INT), "Pow": (F, np.int32),
        "Less": (F, np.int32), "Greater": (F, INT), "LessOrEqual": (F, np.int32), "GreaterOrEqual": (F, INT), "Equal": (F, INT, np.int32, bool),
        "PRelu": (F,), "Max": (F, np.int32), "Min": (F, np.int32), "Mean": (F,), "Sum": (F,), "And": (bool,), "Or": (bool,), "Xor": (bool,),
        "BitwiseAnd": (np.int32,), "BitwiseOr": (np.int32,), "BitwiseXor": (np.int32,),
    }  # fmt: skip

    def some(rng: Draw, kind: type, shape: tuple[int, ...], op: str, second: bool) -> np.ndarray:
        if kind is bool:
            return rng.random(shape) < 0.5
        if kind is F:
            return _positive(rng, shape) if op == "Pow" and not second else _normal(rng, shape)
        low = 1 if second and op == "Div" else 0 if op == "Pow" else -6
        return rng.integers(low, 4 if op == "Pow" else 7, shape).astype(kind)

    for op, types in numbers.items():
        for kind in types:
            for first, second in pairs:

                def two(
                    rng: Draw, chosen: Any, opset: int, kind: type = kind, op: str = op, a: Any = first, b: Any = second
                ) -> Made:
                    return Made({"x": some(rng, kind, a, op, False), "z": some(rng, kind, b, op, True)})

                if op != "PRelu" or len(second) <= len(first):
                    yield Space(op, f"{kind.__name__} {first} {second}", {}, two)
        if op in ("Max", "Min", "Mean", "Sum"):

            def three(rng: Draw, chosen: Any, opset: int) -> Made:
                return Made({"x": _normal(rng, (2, 3)), "z": _normal(rng, (3,)), "u": _normal(rng, (2, 1))})

            yield Space(op, "three", {}, three)
    for kind in (F, np.int32, INT):
        for fmod in (0, 1):

            def mod(rng: Draw, chosen: Any, opset: int, kind: type = kind) -> Made:
                x = _normal(rng, (3, 4)) * 3 if kind is F else rng.integers(-9, 9, (3, 4)).astype(kind)
                z = (
                    _large(rng, (4,)) * rng.choice([-1, 1], 4)
                    if kind is F
                    else rng.choice([-4, -3, 2, 5], 4).astype(kind)
                )
                return Made({"x": x, "z": z.astype(kind)})

            yield Space("Mod", f"{kind.__name__} fmod {fmod}", {"fmod": [fmod]}, mod)
    for direction in ("LEFT", "RIGHT"):
        yield Space(
            "BitShift",
            direction,
            {"direction": [direction]},
            lambda r, c, o: Made(
                {"x": r.integers(0, 200, (3, 4)).astype(np.uint8), "z": r.integers(0, 5, (4,)).astype(np.uint8)}
            ),
        )
    for a, b, c in (((2, 3), (2, 3), (2, 3)), ((3,), (2, 1), (1, 3)), ((2, 3), (), (3,))):
        yield Space(
            "Where",
            f"{a} {b} {c}",
            {},
            lambda r, ch, o, a=a, b=b, c=c: Made({"q": r.random(a) < 0.5, "x": floats(r, *b), "z": floats(r, *c)}),
        )
    for a, b in (
        ((3,), (3,)),
        ((2, 3), (3, 4)),
        ((3,), (3, 2)),
        ((2, 3), (3,)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((2, 2, 3), (2, 3, 2)),
    ):
        yield Space("MatMul", f"{a} {b}", {}, lambda r, ch, o, a=a, b=b: Made({"x": floats(r, *a), "z": floats(r, *b)}))
    for equation, shapes in (
        ("ij,jk->ik", ((2, 3), (3, 4))), ("bij,bjk->bik", ((2, 3, 4), (2, 4, 5))), ("ij->ji", ((2, 3),)), ("ij->i", ((2, 3),)),
        ("...ij,...jk->...ik", ((2, 3, 4), (2, 4, 5))), ("ii->i", ((3, 3),)), ("ij,ij->", ((2, 3), (2, 3))), ("i,j", ((2,), (3,))),
        ("bhid,bhjd->bhij", ((1, 2, 3, 4), (1, 2, 5, 4))),
    ):  # fmt: skip
        yield Space(
            "Einsum",
            equation,
            {"equation": [equation]},
            lambda r, ch, o, s=shapes: Made({n: floats(r, *each) for n, each in zip("xzu", s, strict=False)}),
        )


def reductions() -> Iterator[Space]:
    for op in ("Max", "Mean", "Min", "Sum", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"):
        name = f"Reduce{op}"
        moved = 13 if op == "Sum" else 18
        for shape in SHAPES[1:]:
            rank = len(shape)
            axes = [None, [0], [-1], list(range(rank)), [rank - 1, 0] if rank > 1 else [0], []]

            def reduce(
                rng: Draw, chosen: dict[str, Any], opset: int, op: str = op, moved: int = moved, shape: Any = shape
            ) -> Made:
                x = _positive(rng, shape) if op == "LogSum" else _normal(rng, shape)
                along = chosen["_axes"]
                if along is not None:
                    along = list(dict.fromkeys(a % x.ndim for a in along)) if opset < 11 else along
                if opset < moved:
                    return Made({"x": x}, more={"axes": along or None})
                return Made({"x": x}, {"a": None if along is None else ints(*along)})

            yield Space(
                name, f"rank {rank}", {"_axes": axes, "keepdims": [None, 0], "noop_with_empty_axes": [None, 1]}, reduce
            )
    for op in ("ArgMax", "ArgMin"):
        for shape in SHAPES[1:]:

            def arg(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape) -> Made:
                return Made({"x": np.rint(2 * rng.standard_normal(shape)).astype(F)})  # ties

            yield Space(
                op,
                f"rank {len(shape)}",
                {"axis": [None, *range(1, len(shape)), -1], "keepdims": [None, 0], "select_last_index": [None, 1]},
                arg,
            )
    for shape in SHAPES[1:]:

        def cumsum(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape) -> Made:
            return Made({"x": floats(rng, *shape)}, {"a": np.array(chosen["_axis"], INT)})

        yield Space(
            "CumSum",
            f"rank {len(shape)}",
            {"_axis": [0, *range(1, len(shape)), -1], "exclusive": [None, 1], "reverse": [None, 1]},
            cumsum,
        )
        for largest in (1, 0):

            def topk(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape) -> Made:
                axis = chosen["axis"] if chosen["axis"] is not None else -1
                k = max(1, shape[axis] - 1)
                x = {"x": rng.permutation(int(np.prod(shape))).reshape(shape).astype(F)}
                return Made(x, outputs=2, more={"k": k}) if opset < 10 else Made(x, {"k": ints(k)}, 2)

            yield Space(
                "TopK",
                f"rank {len(shape)} largest {largest}",
                {"axis": [None, 0, *range(1, len(shape))], "largest": [largest]},
                topk,
            )


def windows() -> Iterator[Space]:
    for n in (1, 2, 3):
        pads = [None, [1] * 2 * n, [*([0] * n), *([1] * n)], [*([1] * n), *([0] * n)]]
        shared: dict[str, Sequence[Any]] = {
            "kernel_shape": [[2] * n, [3] * n, [2, 3, 2][:n]], "strides": [None, [2] * n, list(range(1, n + 1))],
            "pads": pads, "auto_pad": [None, "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"], "dilations": [None, [2] * n], "ceil_mode": [None, 1],
        }  # fmt: skip
        sizes = (6, 7, 5)[:n]

        def pool(rng: Draw, chosen: dict[str, Any], opset: int, sizes: Any = sizes, outputs: int = 1) -> Made:
            return Made({"x": floats(rng, 2, 3, *sizes)}, outputs=outputs)

        def with_places(rng: Draw, chosen: dict[str, Any], opset: int, sizes: Any = sizes) -> Made:
            return Made({"x": floats(rng, 2, 3, *sizes)}, outputs=2)

        yield Space("MaxPool", f"{n}-D", shared, pool)
        yield Space("MaxPool", f"{n}-D with indices", {**shared, "storage_order": [None, 1]}, with_places, since=8)
        yield Space("AveragePool", f"{n}-D", {**shared, "count_include_pad": [None, 1]}, pool)
        yield Space("LpPool", f"{n}-D", {**shared, "p": [None, 1, 3]}, pool)
        for op in ("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"):
            yield Space(op, f"{n}-D", {"p": [None, 1, 3]} if op == "GlobalLpPool" else {}, pool)
        yield Space(
            "LRN",
            f"{n}-D",
            {"size": [3, 1, 2, 5], "alpha": [None, 0.5], "beta": [None, 0.4], "bias": [None, 2.0]},
            pool,
        )

        def conv(rng: Draw, chosen: dict[str, Any], opset: int, n: int = n, sizes: Any = sizes) -> Made:
            group, kernel = chosen["group"] or 1, chosen["kernel_shape"] or [3] * n
            weights = {"w": floats(rng, 4, 4 // group, *kernel), "b": floats(rng, 4) if chosen["_bias"] else None}
            return Made({"x": floats(rng, 2, 4, *sizes)}, weights)

        kernels = [[3] * n, None, [2] * n, list(range(1, n + 1))]
        yield Space(
            "Conv",
            f"{n}-D",
            {
                **{k: v for k, v in shared.items() if k != "ceil_mode"},
                "kernel_shape": kernels,
                "group": [None, 2, 4],
                "_bias": [1, 0],
            },
            conv,
        )

        def transposed(rng: Draw, chosen: dict[str, Any], opset: int, n: int = n, sizes: Any = sizes) -> Made:
            group, kernel = chosen["group"] or 1, chosen["kernel_shape"] or [3] * n
            weights = {"w": floats(rng, 4, 3, *kernel), "b": floats(rng, 3 * group) if chosen["_bias"] else None}
            return Made({"x": floats(rng, 2, 4, *sizes)}, weights)

        strides = [None, [2] * n, [3] * n]
        turned = {
            "kernel_shape": kernels, "strides": strides, "pads": pads, "auto_pad": [None, "SAME_UPPER", "SAME_LOWER", "VALID"],
            "dilations": [None, [2] * n], "group": [None, 2], "output_padding": [None, [1] * n],
            "output_shape": [None, [2 * s for s in sizes]], "_bias": [1, 0],
        }  # fmt: skip
        yield Space("ConvTranspose", f"{n}-D", turned, transposed)


def resampling() -> Iterator[Space]:
    modes = {
        "coordinate_transformation_mode": [
            None,
            "half_pixel",
            "asymmetric",
            "pytorch_half_pixel",
            "align_corners",
            "half_pixel_symmetric",
            "tf_half_pixel_for_nn",
        ]
    }
    for n, by in itertools.product((1, 2, 3), ("scales", "sizes")):
        sizes = (6, 5, 4)[:n]
        factors = [[1.7] * n, [2.0] * n, [0.6] * n, [0.5] * n, list((1.5, 0.7, 2.0)[:n])]

        def resize(
            rng: Draw, chosen: dict[str, Any], opset: int, n: int = n, by: str = by, sizes: Any = sizes
        ) -> Made | None:
            where = chosen["coordinate_transformation_mode"]
            known = {"half_pixel_symmetric": opset >= 19, "tf_half_pixel_for_nn": opset < 13 and chosen["mode"] is None}
            if (opset < 11 and chosen["mode"] == "cubic") or (opset >= 11 and not known.get(where or "", True)):
                return None
            x, scale = {"x": floats(rng, 2, 3, *sizes)}, chosen["_factors"]
            if opset < 11:
                return Made(x, {"s": np.array([1, 1, *scale], F)})
            axes = chosen.get("axes") if opset >= 18 else None
            front: list[Any] = [] if axes else [1, 1]
            roi = np.zeros(0, F) if opset < 13 else None
            if by == "scales":
                return Made(x, {"r": roi, "s": np.array([*front, *scale], F)})
            wanted = [max(1, int(s * f)) for s, f in zip(sizes, scale, strict=True)]
            first = [] if axes else [2, 3]
            return Made(x, {"r": roi, "s": np.zeros(0, F) if opset < 13 else None, "t": ints(*first, *wanted)})

        spaces: dict[str, Sequence[Any]] = {
            "mode": [None, "linear", "cubic"], "_factors": factors, **modes,
            "nearest_mode": [None, "round_prefer_ceil", "floor", "ceil"], "cubic_coeff_a": [None, -0.5], "exclude_outside": [None, 1],
            "antialias": [None, 1], "axes": [None, list(range(2, 2 + n))],
        }  # fmt: skip
        if by == "sizes":
            spaces = {**spaces, "keep_aspect_ratio_policy": [None, "not_larger", "not_smaller"]}
        yield Space("Resize", f"{n}-D {by}", spaces, resize, since=10 if by == "scales" else 11)
        if by == "scales":

            def upsample(rng: Draw, chosen: dict[str, Any], opset: int, sizes: Any = sizes) -> Made:
                scale = [1.0, 1.0, *chosen["_factors"]]
                x = {"x": floats(rng, 2, 3, *sizes)}
                return Made(x, more={"scales": scale}) if opset < 9 else Made(x, {"s": np.array(scale, F)})

            yield Space(
                "Upsample",
                f"{n}-D",
                {"mode": [None, "linear"], "_factors": [[2.0] * n, [1.5] * n, [3.0] * n]},
                upsample,
                until=10,
            )
    for n in (2, 3):

        def grid(rng: Draw, chosen: dict[str, Any], opset: int, n: int = n) -> Made:
            return Made({"x": floats(rng, 2, 3, *(4, 5, 3)[:n]), "g": 1.2 * _unit(rng, (2, *(3, 2, 4)[:n], n))})

        new = {"mode": [None, "linear", "nearest", "cubic"]}
        old = {"mode": [None, "bilinear", "nearest", "bicubic"]}
        rest = {"padding_mode": [None, "border", "reflection"], "align_corners": [None, 1]}
        yield Space("GridSample", f"{n}-D", {**new, **rest}, grid, since=20)
        if n == 2:
            yield Space("GridSample", f"{n}-D", {**old, **rest}, grid, since=16, until=20)

    def roi(rng: Draw, chosen: dict[str, Any], opset: int) -> Made:
        boxes = np.array([[0, 0, 4, 4], [1, 2, 5, 5.5]], F)
        return Made({"x": floats(rng, 2, 2, 6, 6)}, {"r": boxes, "i": ints(0, 1)})

    yield Space("RoiAlign", "2-D", {
        "output_height": [2, 3], "output_width": [2, 1], "sampling_ratio": [2, None, 3], "spatial_scale": [None, 0.5], "mode": [None, "max"],
        "coordinate_transformation_mode": [None, "output_half_pixel"],
    }, roi)  # fmt: skip
    for mode in ("DCR", "CRD"):
        yield Space("DepthToSpace", mode, {"blocksize": [2, 1], "mode": [mode]}, _x(_normal, (2, 8, 2, 3)))
    yield Space("SpaceToDepth", "2-D", {"blocksize": [2, 1]}, _x(_normal, (2, 3, 4, 6)))
    yield Space(
        "AffineGrid",
        "2-D",
        {"align_corners": [None, 1]},
        lambda r, c, o: Made({"x": floats(r, 2, 2, 3)}, {"s": ints(2, 3, 4, 5)}),
    )
    yield Space(
        "AffineGrid",
        "3-D",
        {"align_corners": [None, 1]},
        lambda r, c, o: Made({"x": floats(r, 1, 3, 4)}, {"s": ints(1, 2, 3, 4, 2)}),
    )


def recurrent() -> Iterator[Space]:
    for op, gates, states, usual in (
        ("LSTM", 4, 2, ["Sigmoid", "Tanh", "Tanh"]),
        ("GRU", 3, 1, ["Sigmoid", "Tanh"]),
        ("RNN", 1, 1, ["Tanh"]),
    ):
        for direction in ("forward", "reverse", "bidirectional"):
            ways = 2 if direction == "bidirectional" else 1

            def cell(
                rng: Draw,
                chosen: dict[str, Any],
                opset: int,
                gates: int = gates,
                states: int = states,
                ways: int = ways,
                op: str = op,
            ) -> Made:
                turned = bool(chosen["layout"]) and opset >= 14
                start = lambda: floats(rng, *((2, ways, 3) if turned else (ways, 2, 3))) if chosen["_state"] else None  # noqa: E731
                more: dict[str, np.ndarray | None] = {
                    "w": floats(rng, ways, gates * 3, 4), "r": floats(rng, ways, gates * 3, 3),
                    "b": floats(rng, ways, gates * 6) if chosen["_bias"] else None,
                    "l": np.array([3, 5], np.int32) if chosen["_lengths"] else None, "h": start(),
                }  # fmt: skip
                if op == "LSTM":
                    more |= {"c": start(), "p": floats(rng, ways, 9) if chosen["_peepholes"] else None}
                kinds = chosen.get("activations")
                extra = {"hidden_size": 3, "activations": None if kinds is None else list(kinds) * ways}
                return Made({"x": floats(rng, *((2, 5, 4) if turned else (5, 2, 4)))}, more, 1 + states, extra)

            others = [
                None,
                *([[*usual[:-1], "Relu"], ["HardSigmoid", *usual[1:]]] if op != "RNN" else [["Relu"], ["Sigmoid"]]),
            ]
            space: dict[str, Sequence[Any]] = {
                "direction": [direction], "layout": [None, 1], "_state": [0, 1], "_bias": [1, 0], "_lengths": [0, 1], "activations": others,
                "clip": [None, 0.5],
            }  # fmt: skip
            if op == "LSTM":
                space |= {"_peepholes": [0, 1], "input_forget": [None, 1]}
            if op == "GRU":
                space |= {"linear_before_reset": [None, 1]}
            yield Space(op, direction, space, cell)


def moving() -> Iterator[Space]:
    for shape in SHAPES[1:]:
        rank = len(shape)
        label = f"rank {rank}"
        x: Make = _x(_normal, shape)
        yield Space("Transpose", label, {"perm": [None, list(range(rank)), [*range(1, rank), 0]]}, x)
        yield Space("Flatten", label, {"axis": [None, 0, rank, -1]}, x)
        yield Space(
            "Concat",
            label,
            {"axis": [0, *range(1, rank), -1]},
            lambda r, c, o, s=shape: Made({n: floats(r, *s) for n in "xzu"}),
        )

        def pad(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape) -> Made:
            rank, amounts = len(shape), chosen["_pads"]
            around = {
                "ends": [1] * 2 * rank,
                "start": [1] * rank + [0] * rank,
                "cut": [-1] * rank + [0] * rank,
                "both": [1] * rank + [-1] * rank,
                "none": [0] * 2 * rank,
            }
            widths = around[amounts]
            if opset < 11:
                return Made({"x": floats(rng, *shape)}, more={"pads": widths, "value": 1.5})
            axes = ints(*range(rank)) if chosen["_axes"] and opset >= 18 else None
            return Made(
                {"x": floats(rng, *shape)},
                {"p": ints(*widths), "v": np.array(2.5, F) if chosen["_value"] else None, "a": axes},
            )

        if min(shape) > 1:
            yield Space(
                "Pad",
                label,
                {
                    "mode": [None, "reflect", "edge", "wrap"],
                    "_pads": ["ends", "start", "cut", "both", "none"],
                    "_value": [0, 1],
                    "_axes": [0, 1],
                },
                pad,
            )

        def cut(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape) -> Made:
            axis, (start, end, step) = chosen["_axis"], chosen["_range"]
            if opset < 10:
                return Made(
                    {"x": floats(rng, *shape)}, more={"starts": [start], "ends": [end], "axes": [axis % len(shape)]}
                )
            return Made(
                {"x": floats(rng, *shape)}, {"s": ints(start), "e": ints(end), "a": ints(axis), "t": ints(step)}
            )

        yield Space(
            "Slice",
            label,
            {
                "_axis": [0, *range(1, rank), -1],
                "_range": [(0, 1, 1), (1, 99, 1), (-1, -99, -1), (-2, 99, 1), (99, -99, -2), (0, 99, 2)],
            },
            cut,
        )

        def split(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape) -> Made:
            axis = chosen["axis"] or 0
            size = shape[axis]
            x = {"x": floats(rng, *shape)}
            parts = [1, size - 1] if size > 1 else [1]
            if opset < 13:
                return Made(x, outputs=len(parts), more={"split": parts})
            if chosen["_number"] and opset >= 18:
                return Made(x, outputs=len(parts), more={"num_outputs": len(parts)})
            return Made(x, {"s": ints(*parts)}, len(parts))

        yield Space("Split", label, {"axis": [None, *range(1, rank), -1], "_number": [0, 1]}, split)
        yield Space(
            "Tile",
            label,
            {"_r": [[2] * rank, [1] * rank, list(range(1, rank + 1))]},
            lambda r, c, o, s=shape: Made({"x": floats(r, *s)}, {"r": ints(*c["_r"])}),
        )
        yield Space("Expand", label, {}, lambda r, c, o, s=shape: Made({"x": floats(r, *s)}, {"r": ints(2, *s)}))
        yield Space(
            "Reshape",
            label,
            {"_to": [[-1], [0, -1]], "allowzero": [None]},
            lambda r, c, o, s=shape: Made({"x": floats(r, *s)}, {"r": ints(*c["_to"])}),
        )

        def unsqueeze(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape) -> Made:
            axes = chosen["_axes"]
            return (
                Made({"x": floats(rng, *shape)}, more={"axes": axes})
                if opset < 13
                else Made({"x": floats(rng, *shape)}, {"a": ints(*axes)})
            )

        yield Space("Unsqueeze", label, {"_axes": [[0], [0, rank + 1], [-1], [rank]]}, unsqueeze)

        def squeeze(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape) -> Made:
            x, axes = {"x": floats(rng, 1, *shape, 1)}, chosen["_axes"]
            return Made(x, more={"axes": axes}) if opset < 13 else Made(x, {"a": None if axes is None else ints(*axes)})

        yield Space("Squeeze", label, {"_axes": [[0], [-1], [0, rank + 1], None]}, squeeze)
        for op in ("Gather", "GatherElements"):

            def gather(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape, op: str = op) -> Made:
                size = shape[chosen["axis"] or 0]
                sizes = shape if op == "GatherElements" else (2, 3)
                return Made({"x": floats(rng, *shape)}, {"i": rng.integers(-size if opset >= 11 else 0, size, sizes)})

            yield Space(op, label, {"axis": [None, *range(1, rank), -1]}, gather)

        def scatter(rng: Draw, chosen: dict[str, Any], opset: int, shape: Any = shape) -> Made:
            axis = chosen["axis"] or 0
            order = np.argsort(rng.random(shape), axis)
            return Made({"x": floats(rng, *shape)}, {"i": order, "v": floats(rng, *shape)})

        yield Space(
            "ScatterElements",
            label,
            {"axis": [None, *range(1, rank), -1], "reduction": [None, "add", "mul", "max", "min"]},
            scatter,
        )
        yield Space("Compress", label, {"axis": [None, *range(rank), -1]}, lambda r, c, o, s=shape: Made(
            {"x": floats(r, *s)}, {"c": np.arange(int(np.prod(s)) if c["axis"] is None else s[c["axis"]]) % 2 == 0}))  # fmt: skip
        if rank > 1:
            yield Space("Trilu", label, {"upper": [None, 0], "_k": [None, 1, -1, 9]}, lambda r, c, o, s=shape: Made(
                {"x": floats(r, *s)}, {"k": None if c["_k"] is None else np.array(c["_k"], INT)}))  # fmt: skip
    for axes in ([2, 3], [-1]):
        yield Space("CenterCropPad", f"axes {axes}", {"axes": [axes], "_to": [[3, 5], [6, 2]]}, lambda r, c, o: Made(
            {"x": floats(r, 2, 3, 4, 5)}, {"s": ints(*c["_to"][: len(c["axes"])])}))  # fmt: skip
    for kind in (F, np.int32):
        yield Space("OneHot", kind.__name__, {"axis": [None, 0, 1, -2]}, lambda r, c, o, k=kind: Made(
            {"x": r.integers(-3, 4, (3, 4))}, {"d": np.array(5, INT), "v": np.array([1, 3], k)}))  # fmt: skip
        yield Space("Range", kind.__name__, {"_r": [(0, 7, 2), (5, -3, -2), (1, 1, 1)]}, lambda r, c, o, k=kind: Made(
            {}, {n: np.array(v, k) for n, v in zip("sld", c["_r"], strict=True)}))  # fmt: skip
    yield Space("EyeLike", "rank 2", {"k": [None, 1, -1], "dtype": [None, 1, 7]}, _x(_normal, (3, 4)))
    yield Space("ReverseSequence", "rank 3", {"batch_axis": [None, 0], "time_axis": [None, 1], "_r": [0]}, lambda r, c, o: Made(
        {"x": floats(r, 3, 3, 2)}, {"l": ints(2, 3, 1)}))  # fmt: skip
    for depth in (1, 2, 3):
        yield Space("GatherND", f"depth {depth}", {"batch_dims": [None, 1] if depth < 3 else [None]}, lambda r, c, o, d=depth: Made(
            {"x": floats(r, 2, 3, 4)}, {"i": r.integers(0, 2, (2, d))}))  # fmt: skip
        yield Space("ScatterND", f"depth {depth}", {"reduction": [None, "add", "mul", "max", "min"]}, lambda r, c, o, d=depth: Made(
            {"x": floats(r, 2, 3, 4)}, {"i": np.stack([r.permutation(2) for _ in range(d)], -1).astype(INT), "v": floats(r, 2, *(3, 4)[d - 1 :])}))  # fmt: skip
    yield Space("Unique", "rank 2", {"axis": [None, 0, 1], "sorted": [None, 0]}, lambda r, c, o: Made(
        {"x": r.integers(0, 3, (4, 3)).astype(F)}, outputs=4))  # fmt: skip


def normalising() -> Iterator[Space]:
    for n in (0, 1, 2, 3):
        sizes = (4, 3, 2)[:n]

        def batch(rng: Draw, chosen: dict[str, Any], opset: int, sizes: Any = sizes) -> Made:
            return Made(
                {"x": floats(rng, 2, 3, *sizes)},
                {"s": floats(rng, 3), "b": floats(rng, 3), "m": floats(rng, 3), "v": _positive(rng, (3,))},
            )

        yield Space("BatchNormalization", f"{n}-D", {"epsilon": [None, 0.1], "momentum": [None, 0.5]}, batch)
        if n:

            def instance(rng: Draw, chosen: dict[str, Any], opset: int, sizes: Any = sizes, c: int = 3) -> Made:
                return Made({"x": floats(rng, 2, c, *sizes)}, {"s": floats(rng, c), "b": floats(rng, c)})

            yield Space("InstanceNormalization", f"{n}-D", {"epsilon": [None, 0.1]}, instance)
            yield Space("GroupNormalization", f"{n}-D", {"num_groups": [2, 1, 4], "epsilon": [None, 0.1]}, lambda r, c, o, s=sizes: Made(
                {"x": floats(r, 2, 4, *s)}, {"s": floats(r, 4 if o >= 21 else c["num_groups"]), "b": floats(r, 4 if o >= 21 else c["num_groups"])}))  # fmt: skip
        shape = (2, 3, *sizes)
        yield Space(
            "LpNormalization",
            f"rank {len(shape)}",
            {"axis": [None, *range(len(shape))], "p": [None, 1]},
            _x(_normal, shape),
        )
        yield Space("LayerNormalization", f"rank {len(shape)}", {"axis": [None, *range(len(shape))], "epsilon": [None, 0.1], "_bias": [1, 0]}, lambda r, c, o, s=shape: Made(
            {"x": floats(r, *s)}, {"s": floats(r, *s[-1 if c["axis"] is None else c["axis"] :]), "b": floats(r, *s[-1 if c["axis"] is None else c["axis"] :]) if c["_bias"] else None}))  # fmt: skip
    yield Space("MeanVarianceNormalization", "rank 4", {"axes": [None, [1], [0, 1], [2, 3]]}, _x(_normal, (2, 3, 4, 5)))
    yield Space("Dropout", "inference", {"ratio": [None, 0.3]}, _x(_normal, (2, 3)), until=12)
    for transposed in itertools.product((None, 1), (None, 1)):
        yield Space("Gemm", f"{transposed}", {
            "transA": [transposed[0]], "transB": [transposed[1]], "alpha": [None, 0.5], "beta": [None, 0.3, 0.0], "_c": [(4,), (2, 1), (2, 4), (), None],
        }, lambda r, c, o, t=transposed: Made(
            {"x": floats(r, *((3, 2) if t[0] else (2, 3))), "z": floats(r, *((4, 3) if t[1] else (3, 4)))},
            {"c": None if c["_c"] is None and o >= 11 else floats(r, *(c["_c"] or (4,)))}))  # fmt: skip
    for op in ("SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"):
        for rest in ((), (3,), (2, 3)):
            yield Space(op, f"rank {2 + len(rest)}", {"reduction": [None, "sum", "none"], "ignore_index": [None, 1], "_weights": [0, 1]}, lambda r, c, o, s=rest: Made(
                {"x": floats(r, 3, 4, *s), "t": r.integers(0, 4, (3, *s))}, {"w": _positive(r, (4,)) if c["_weights"] else None}))  # fmt: skip


def quantising() -> Iterator[Space]:
    for kind in (np.uint8, np.int8):
        for axis in (None, 0, 1, -1):
            count = 1 if axis is None else (3, 4)[axis]
            scale = lambda r, n=count: (_positive(r, (n,)) / 10).reshape(() if n == 1 else (n,))  # noqa: E731
            zero = lambda r, k=kind, n=count: r.integers(3, 9, n).astype(k).reshape(() if n == 1 else (n,))  # noqa: E731
            yield Space("QuantizeLinear", f"{kind.__name__} axis {axis}", {"axis": [axis]}, lambda r, c, o, s=scale, z=zero: Made(
                {"x": floats(r, 3, 4)}, {"s": s(r), "z": z(r)}), since=10 if axis is None else 13)  # fmt: skip
            yield Space("DequantizeLinear", f"{kind.__name__} axis {axis}", {"axis": [axis]}, lambda r, c, o, s=scale, z=zero, k=kind: Made(
                {"x": r.integers(0, 99, (3, 4)).astype(k)}, {"s": s(r), "z": z(r)}), since=10 if axis is None else 13)  # fmt: skip
    yield Space("DynamicQuantizeLinear", "rank 2", {}, lambda r, c, o: Made({"x": floats(r, 3, 4)}, outputs=3))
    yield Space("MatMulInteger", "rank 2", {"_zero": [0, 1]}, lambda r, c, o: Made(
        {"x": r.integers(0, 99, (2, 3)).astype(np.uint8), "z": r.integers(0, 99, (3, 4)).astype(np.uint8)},
        {"a": np.array(7, np.uint8), "b": np.array(3, np.uint8)} if c["_zero"] else {}))  # fmt: skip
    for n in (1, 2):
        yield Space("ConvInteger", f"{n}-D", {"pads": [None, [1] * 2 * n], "strides": [None, [2] * n], "dilations": [None, [2] * n], "group": [None, 2], "_zero": [0, 1]}, lambda r, c, o, n=n: Made(
            {"x": r.integers(0, 99, (1, 4, *[5] * n)).astype(np.uint8)},
            {"w": r.integers(0, 99, (4, 4 // (c["group"] or 1), *[3] * n)).astype(np.uint8), "a": np.array(7, np.uint8) if c["_zero"] else None}))  # fmt: skip


FAMILIES: Mapping[str, Callable[[], Iterator[Space]]] = {
    "elementwise": elementwise, "broadcasting": broadcasting, "reductions": reductions, "windows": windows, "resampling": resampling,
    "recurrent": recurrent, "moving": moving, "normalising": normalising, "quantising": quantising,
}  # fmt: skip
ALL = tuple(space for family in FAMILIES.values() for space in family())
