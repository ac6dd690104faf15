"""ONNX operators with attributes and operand shapes, for sampling: what to run, not what to expect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

F32 = "float32"


@dataclass(frozen=True)
class Operand:
    """A sampled operand: shape, dtype, and a range that keeps it legal (indices, scales)."""

    shape: tuple[int, ...]
    dtype: str = F32
    within: tuple[float, float] | None = None


@dataclass(frozen=True)
class Case:
    """One operator with attributes; operands are sampled, constant arrays, or absent."""

    op: str
    operands: tuple[Any, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    outputs: int = 1
    opset: int = 20

    @property
    def name(self) -> str:
        attributes = ",".join(f"{k}={v}" for k, v in self.attributes.items())
        shapes = "x".join(str(o.shape) if isinstance(o, Operand) else "-" for o in self.operands)
        dtype = next((o.dtype for o in self.operands if isinstance(o, Operand)), "")
        return f"{self.op}({attributes}){shapes}:{dtype}"


def v(*shape: int, dtype: str = F32, within: tuple[float, float] | None = None) -> Operand:
    return Operand(shape, dtype, within)


def i64(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


UNARY = [
    "Abs",
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "Ceil",
    "Cos",
    "Cosh",
    "Elu",
    "Erf",
    "Exp",
    "Floor",
    "HardSigmoid",
    "HardSwish",
    "Identity",
    "LeakyRelu",
    "Log",
    "Mish",
    "Neg",
    "Reciprocal",
    "Relu",
    "Round",
    "Selu",
    "Sigmoid",
    "Sign",
    "Sin",
    "Sinh",
    "Softplus",
    "Softsign",
    "Sqrt",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
    "Gelu",
    "Celu",
    "Shrink",
    "LogSoftmax",
    "Softmax",
    "Hardmax",
    "IsNaN",
    "IsInf",
]
HALF_UNARY = [
    "Abs",
    "Ceil",
    "Cos",
    "Exp",
    "Floor",
    "Log",
    "Neg",
    "Relu",
    "Sigmoid",
    "Sqrt",
    "Tanh",
    "Softmax",
    "LogSoftmax",
    "Erf",
    "Elu",
    "LeakyRelu",
    "Softplus",
]
BINARY = [
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Pow",
    "Max",
    "Min",
    "PRelu",
    "Greater",
    "Less",
    "Equal",
    "GreaterOrEqual",
    "LessOrEqual",
]
SHAPES = (((3, 4), (3, 4)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((2, 3), ()))
REDUCTIONS = [
    "ReduceSum",
    "ReduceMean",
    "ReduceMax",
    "ReduceMin",
    "ReduceProd",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceSumSquare",
]


def catalogue() -> list[Case]:
    """All cases, in a fixed order."""
    cases = [Case(op, (v(3, 4),)) for op in UNARY]
    cases += [Case(op, (v(3, 4, dtype="float16"),)) for op in HALF_UNARY]
    cases += [Case(op, (v(3, 4, dtype="float64"),)) for op in ("Exp", "Log", "Sqrt", "Tanh", "Sin", "Neg", "Abs")]
    cases += [
        Case("Elu", (v(3, 4),), {"alpha": 2.5}),
        Case("LeakyRelu", (v(3, 4),), {"alpha": -0.5}),
        Case("LeakyRelu", (v(3, 4),), {"alpha": 3.0}),
        Case("Selu", (v(3, 4),), {"alpha": 2.0, "gamma": 3.0}),
        Case("Celu", (v(3, 4),), {"alpha": 2.0}),
        Case("HardSigmoid", (v(3, 4),), {"alpha": 0.5, "beta": 0.6}),
        Case("ThresholdedRelu", (v(3, 4),), {"alpha": 2.0}),
        Case("Gelu", (v(3, 4),), {"approximate": "tanh"}),
        Case("Shrink", (v(3, 4),), {"lambd": 1.5, "bias": 1.5}),
        Case("Shrink", (v(3, 4),), {"lambd": 1.5, "bias": 0.0}),
    ]
    for op in BINARY:
        shapes = SHAPES[:3] if op == "PRelu" else SHAPES
        for a, b in shapes:
            if op == "PRelu" and (a, b) == ((3, 1), (1, 4)):
                continue
            cases.append(Case(op, (v(*a), v(*b))))
    cases += [
        Case(op, (v(3, 4, dtype="float16"), v(4, dtype="float16"))) for op in ("Add", "Sub", "Mul", "Div", "Max", "Min")
    ]
    cases += [Case(op, (v(3, 4, dtype="int32"), v(4, dtype="int32"))) for op in ("Add", "Sub", "Mul")]
    cases += [
        Case("Div", (v(3, 4, dtype="int32"), v(4, dtype="int32", within=(1, 9)))),
        Case("Div", (v(3, 4, dtype="int32"), v(4, dtype="int32", within=(-9, -1)))),
        Case("Mod", (v(3, 4, dtype="int32"), v(4, dtype="int32", within=(1, 9)))),
        Case("Mod", (v(3, 4, dtype="int32"), v(4, dtype="int32", within=(-9, -1)))),
        Case("Mod", (v(3, 4), v(4)), {"fmod": 1}),
        Case("Sum", (v(3, 4), v(4), v(3, 1))),
        Case("Mean", (v(3, 4), v(4), v(3, 1))),
        Case("Max", (v(3, 4), v(4), v(3, 1))),
        Case("Clip", (v(3, 4), v(), v())),
        Case("Clip", (v(3, 4), np.float32(-1.0), np.float32(2.0))),
        Case("Clip", (v(3, 4), np.float32(0.25))),
        Case("Where", (v(3, 4, dtype="bool"), v(3, 4), v(4))),
        Case("Not", (v(3, 4, dtype="bool"),)),
        *(Case(op, (v(3, 4, dtype="bool"), v(4, dtype="bool"))) for op in ("And", "Or", "Xor")),
    ]
    cases += [Case("Pow", (v(3, 4), np.float32(e))) for e in (2, 3, -1, -2, 0.5, 0, 1.5, -0.5, 1)]
    exponents = ((0, 1, 2, 3), (-1, 0, 1, -2), (0.5, 2, -1, 3), (3, 1, 5, 7))
    cases += [
        Case("Pow", (v(3, 4), np.array(e, t)))
        for e in exponents
        for t in (np.float32, np.int32)
        if 0.5 not in e or t is np.float32
    ]
    cases += [Case("Pow", (v(3, 4), v(4, dtype="int32", within=w))) for w in ((0, 4), (-3, 3), (2, 3))]
    cases += [Case("Pow", (v(3, 4), v(4))), Case("Pow", (v(3, 4), v(4, within=(0.0, 4.0))))]
    for op in REDUCTIONS:
        for axes, kept in (((1,), 1), ((0,), 0), ((0, 1), 1)):
            axes_operand: tuple[Any, ...] = (i64(*axes),)
            cases.append(Case(op, (v(3, 4), *axes_operand), {"keepdims": kept}))
    cases += [Case("ReduceSum", (v(3, 40),), {"keepdims": 0}), Case("ReduceMean", (v(3, 40),), {"keepdims": 0})]
    cases += [
        Case("Softmax", (v(3, 4),), {"axis": 0}),
        Case("LogSoftmax", (v(3, 4),), {"axis": 0}),
        Case("Softmax", (v(2, 3, 4),), {"axis": 1}, opset=11),
    ]
    cases += [Case("CumSum", (v(3, 4), np.int64(1)), {"exclusive": e, "reverse": r}) for e in (0, 1) for r in (0, 1)]
    rng = np.random.default_rng(7)
    w = rng.normal(size=(4, 5)).astype(np.float32)
    cases += [
        Case("MatMul", (v(3, 4), v(4, 5))),
        Case("MatMul", (v(3, 4), w)),
        Case("MatMul", (w.T.copy(), v(4, 3))),
        Case("MatMul", (v(2, 3, 4), v(4, 5))),
        Case("MatMul", (v(2, 3, 4), w)),
        Case("MatMul", (v(4), w)),
        Case("MatMul", (v(4), v(4))),
        Case("Gemm", (v(3, 4), v(4, 5), v(5)), {"alpha": 0.5, "beta": 2.0}),
        Case("Gemm", (v(4, 3), v(5, 4), v(3, 5)), {"transA": 1, "transB": 1}),
        Case("Gemm", (v(3, 4), w.T.copy(), v(5)), {"transB": 1}),
        Case("Einsum", (v(3, 4), v(4, 5)), {"equation": "ij,jk->ik"}),
        Case("Einsum", (v(3, 3),), {"equation": "ii->i"}),
        Case("Einsum", (v(2, 3, 4), v(2, 5, 4)), {"equation": "bij,bkj->bik"}),
    ]
    k = rng.normal(size=(3, 2, 3, 3)).astype(np.float32)
    g = rng.normal(size=(4, 1, 3, 3)).astype(np.float32)
    cases += [
        Case("Conv", (v(1, 2, 5, 5), v(3, 2, 3, 3))),
        Case("Conv", (v(1, 2, 5, 5), k, v(3)), {"pads": [1, 1, 1, 1]}),
        Case("Conv", (v(1, 2, 5, 5), k), {"strides": [2, 2], "dilations": [2, 2], "pads": [1, 0, 1, 0]}),
        Case("Conv", (v(1, 4, 5, 5), g), {"group": 4, "auto_pad": "SAME_UPPER"}),
        Case("Conv", (v(1, 2, 7), v(3, 2, 3)), {"auto_pad": "VALID"}),
        Case("ConvTranspose", (v(1, 2, 3, 3), v(2, 3, 3, 3)), {"strides": [2, 2]}),
        Case("ConvTranspose", (v(1, 3, 3, 3), k), {"pads": [1, 1, 1, 1]}),
        Case("MaxPool", (v(1, 2, 5, 5),), {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0]}),
        Case("MaxPool", (v(1, 2, 5, 5),), {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1}),
        Case("AveragePool", (v(1, 2, 5, 5),), {"kernel_shape": [2, 2], "pads": [1, 1, 0, 0], "count_include_pad": 1}),
        Case("AveragePool", (v(1, 2, 5, 5),), {"kernel_shape": [3, 3]}),
        Case("GlobalAveragePool", (v(1, 2, 3, 3),)),
        Case("GlobalMaxPool", (v(1, 2, 3, 3),)),
        Case("LpPool", (v(1, 2, 5, 5),), {"kernel_shape": [2, 2], "p": 2}),
        Case("LRN", (v(1, 4, 3, 3),), {"size": 3, "alpha": 0.01, "beta": 0.75, "bias": 1.0}),
        Case("BatchNormalization", (v(2, 3, 2), v(3), v(3), v(3), v(3, within=(0.0, 5.0))), {"epsilon": 1e-3}),
        Case("LayerNormalization", (v(3, 8), v(8), v(8))),
        Case("LayerNormalization", (v(3, 8), np.ones(8, np.float32)), {"epsilon": 1e-12}),
        Case("InstanceNormalization", (v(2, 3, 4), v(3), v(3))),
        Case("LpNormalization", (v(3, 4),), {"axis": 1, "p": 2}),
        Case("LpNormalization", (v(3, 4),), {"axis": 1, "p": 1}),
        Case("MeanVarianceNormalization", (v(2, 2, 3, 3),)),
    ]
    cases += [
        Case("Transpose", (v(2, 3, 4),), {"perm": [2, 0, 1]}),
        Case("Reshape", (v(2, 3, 4), i64(4, -1))),
        Case("Reshape", (v(2, 3, 4), i64(2, 12))),
        Case("Reshape", (v(6), i64(3, 2))),
        Case("Flatten", (v(2, 3, 4),), {"axis": 2}),
        Case("Concat", (v(2, 3), v(2, 1), v(2, 2)), {"axis": 1}),
        Case("Split", (v(6, 2), i64(1, 3, 2)), {"axis": 0}, 3),
        Case("Slice", (v(6, 5), i64(1, 4), i64(5, 0), i64(0, 1), i64(2, -1))),
        Case("Squeeze", (v(2, 1, 3), i64(1))),
        Case("Unsqueeze", (v(2, 3), i64(0, 2))),
        Case("Expand", (v(2, 1), i64(3, 2, 4))),
        Case("Tile", (v(2, 3), i64(2, 2))),
        Case("Pad", (v(3, 4), i64(1, 0, 0, 2), np.float32(0.5))),
        Case("Pad", (v(3, 4), i64(1, 0, 0, 2)), {"mode": "edge"}),
        Case("Pad", (v(3, 4), i64(1, 0, 0, 2)), {"mode": "reflect"}),
        Case("Gather", (v(5, 3), i64(4, 0, 2)), {"axis": 0}),
        Case("Gather", (v(5, 3), v(4, dtype="int64", within=(-3, 2))), {"axis": 1}),
        Case("GatherElements", (v(3, 3), v(2, 3, dtype="int64", within=(0, 2))), {"axis": 0}),
        Case("GatherND", (v(3, 4), v(2, 2, dtype="int64", within=(0, 2)))),
        Case("ScatterElements", (v(3, 3), v(2, 3, dtype="int64", within=(0, 2)), v(2, 3)), {"axis": 0}),
        *(
            Case(
                "ScatterElements",
                (v(3, 3), v(2, 3, dtype="int64", within=(0, 2)), v(2, 3)),
                {"axis": 0, "reduction": r},
                1,
                18,
            )
            for r in ("add", "mul", "max", "min")
        ),
        Case("ScatterND", (v(4, 3), i64(0, 2).reshape(2, 1), v(2, 3))),
        Case("OneHot", (v(3, dtype="int64", within=(0, 4)), np.int64(5), v(2))),
        Case("ArgMax", (v(3, 4),), {"axis": 1}),
        Case("TopK", (v(3, 4), i64(2)), {"axis": 1}, 2),
        Case("Trilu", (v(3, 3),), {"upper": 1}),
        Case("DepthToSpace", (v(1, 4, 2, 2),), {"blocksize": 2}),
        Case("SpaceToDepth", (v(1, 1, 4, 4),), {"blocksize": 2}),
        Case("Resize", (v(1, 1, 3, 3), None, np.array([1, 1, 2, 2], np.float32)), {"mode": "nearest"}),
        Case("Resize", (v(1, 1, 3, 3), None, np.array([1, 1, 2, 2], np.float32)), {"mode": "linear"}),
        Case("Resize", (v(1, 1, 4, 4), None, np.array([1, 1, 2, 2], np.float32)), {"mode": "cubic"}),
        *(Case("Cast", (v(3, 4),), {"to": t}) for t in (10, 11, 7, 6, 9, 16)),
        Case("Cast", (v(3, 4, dtype="int32"),), {"to": 1}),
        Case("CastLike", (v(3, 4), np.float16(1))),
        Case("SoftmaxCrossEntropyLoss", (v(3, 4), v(3, dtype="int64", within=(0, 3)))),
        Case(
            "SoftmaxCrossEntropyLoss",
            (v(3, 4), v(3, dtype="int64", within=(0, 3)), v(4, within=(0.1, 2))),
            {"reduction": "sum"},
        ),
        Case("NegativeLogLikelihoodLoss", (v(3, 4), v(3, dtype="int64", within=(0, 3)))),
        Case(
            "NegativeLogLikelihoodLoss",
            (v(3, 4), v(3, dtype="int64", within=(0, 3)), v(4, within=(0.1, 2))),
            {"reduction": "none"},
        ),
        Case("QuantizeLinear", (v(3, 4), v(within=(0.01, 2.0)), np.uint8(128))),
        Case("DequantizeLinear", (v(3, 4, dtype="uint8", within=(0, 255)), v(within=(0.01, 2.0)), np.uint8(7))),
        Case("Det", (v(3, 3),)),
        Case("EyeLike", (v(3, 4),)),
        Case("DFT", (v(1, 4, 1), None, i64(1).reshape(())), {}),
        Case("BitwiseAnd", (v(3, 4, dtype="int32", within=(0, 99)), v(4, dtype="int32", within=(3, 50))), opset=18),
        Case("BitwiseXor", (v(3, 4, dtype="int32", within=(0, 99)), v(4, dtype="int32", within=(3, 50))), opset=18),
        Case("LSTM", (v(3, 1, 2), v(1, 12, 2), v(1, 12, 3), v(1, 24)), {"hidden_size": 3}, 3),
        Case("GRU", (v(3, 1, 2), v(1, 9, 2), v(1, 9, 3), v(1, 18)), {"hidden_size": 3}, 2),
        Case("GRU", (v(3, 1, 2), v(1, 9, 2), v(1, 9, 3), v(1, 18)), {"hidden_size": 3, "linear_before_reset": 1}, 2),
        Case("RNN", (v(3, 1, 2), v(1, 3, 2), v(1, 3, 3), v(1, 6)), {"hidden_size": 3}, 2),
        Case("RNN", (v(3, 1, 2), v(1, 3, 2), v(1, 3, 3), v(1, 6)), {"hidden_size": 3, "activations": ["Relu"]}, 2),
    ]
    return cases
