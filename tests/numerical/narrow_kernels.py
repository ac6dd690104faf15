"""Kernels of torch for dtypes that ONNX Runtime has none for on a CPU: bfloat16, and float8 through ml_dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from operator_catalogue import Case, Operand, v

Kernel = Callable[..., Any]


def kernels() -> dict[str, Kernel]:
    """ONNX operator -> the same in torch."""
    import torch
    import torch.nn.functional as f

    unary = {
        "Exp": torch.exp, "Log": torch.log, "Sqrt": torch.sqrt, "Sigmoid": torch.sigmoid, "Tanh": torch.tanh,
        "Relu": torch.relu, "Softplus": lambda x: f.softplus(x), "Erf": torch.erf, "Sin": torch.sin, "Cos": torch.cos,
        "Abs": torch.abs, "Neg": torch.neg, "Reciprocal": torch.reciprocal, "Floor": torch.floor, "Ceil": torch.ceil,
        "Round": torch.round, "Sign": torch.sign, "Elu": f.elu, "LeakyRelu": lambda x: f.leaky_relu(x, 0.01),
        "Gelu": f.gelu, "HardSwish": f.hardswish, "Mish": f.mish, "Softsign": f.softsign, "Selu": f.selu,
        "Softmax": lambda x: torch.softmax(x, -1), "LogSoftmax": lambda x: torch.log_softmax(x, -1),
        "Atan": torch.atan, "Asin": torch.asin, "Acos": torch.acos, "Sinh": torch.sinh, "Cosh": torch.cosh,
    }  # fmt: skip
    binary = {
        "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Div": torch.div, "Pow": torch.pow, "Max": torch.maximum,
        "Min": torch.minimum, "MatMul": torch.matmul,
    }  # fmt: skip
    reductions = {
        "ReduceSum": torch.sum, "ReduceMean": torch.mean, "ReduceMax": torch.amax, "ReduceMin": torch.amin,
        "ReduceLogSumExp": torch.logsumexp,
        "ReduceL2": lambda x, d, keepdim: torch.linalg.vector_norm(x, 2, d, keepdim),
    }  # fmt: skip
    found: dict[str, Kernel] = {**unary, **binary}
    for name, function in reductions.items():
        found[name] = lambda x, axes, function=function: function(x, [1], keepdim=True)
    found["LayerNormalization"] = lambda x, scale, bias: f.layer_norm(x, (x.shape[-1],), scale, bias, 1e-5)
    return found


def cases(dtype: str) -> list[Case]:
    """Every kernel on operands of one dtype."""
    axis = np.array([1], np.int64)
    found = []
    for op in kernels():
        x = v(3, 4, dtype=dtype)
        if op == "MatMul":
            found.append(Case(op, (x, v(4, 5, dtype=dtype))))
        elif op in ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min"):
            found += [Case(op, (x, v(4, dtype=dtype))), Case(op, (x, x))]
        elif op.startswith("Reduce"):
            found.append(Case(op, (x, axis)))
        elif op == "LayerNormalization":
            found.append(Case(op, (v(3, 8, dtype=dtype), v(8, dtype=dtype), v(8, dtype=dtype))))
        else:
            found.append(Case(op, (x,)))
    return found


def torch_runner(case: Case) -> Callable[[dict[str, np.ndarray]], list[np.ndarray]]:
    """Runs a case on torch in the dtype of its first operand; results as float32, which holds them exactly."""
    import torch

    torch.set_num_threads(1)
    kernel = kernels()[case.op]

    def run(feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        operands = []
        for position, operand in enumerate(case.operands):
            if isinstance(operand, Operand):
                wide = torch.from_numpy(feed[f"i{position}"].astype(np.float32))
                operands.append(wide.to(getattr(torch, operand.dtype)))
            else:
                operands.append(operand)
        return [kernel(*operands).to(torch.float32).numpy()]

    return run


def cast_cases() -> list[Case]:
    """To and from every 8-bit float."""
    found = []
    for name, number in (("float8_e4m3fn", 17), ("float8_e4m3fnuz", 18), ("float8_e5m2", 19), ("float8_e5m2fnuz", 20)):
        found += [Case("Cast", (v(3, 4),), {"to": number, "saturate": s}) for s in (0, 1)]
        found += [
            Case("Cast", (v(3, 4, dtype="bfloat16"),), {"to": number}),
            Case("Cast", (v(3, 4, dtype=name),), {"to": 1}),
        ]
        found += [Case(op, (v(3, 4, dtype=name),), a) for op, a in (("Transpose", {"perm": [1, 0]}), ("Identity", {}))]
    return found


def cast_runner(case: Case) -> Callable[[dict[str, np.ndarray]], list[np.ndarray]]:
    """The reference evaluator of `onnx`, with results as float32."""
    from onnx.reference import ReferenceEvaluator
    from sampling import model_of

    evaluator = ReferenceEvaluator(model_of(case))

    def run(feed: dict[str, np.ndarray]) -> list[np.ndarray]:
        return [np.asarray(o).astype(np.float32) for o in evaluator.run(None, feed)]

    return run
