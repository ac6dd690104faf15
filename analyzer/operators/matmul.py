"""Matrix products."""

from __future__ import annotations

from analyzer.operators.declaration import CONTRACTION, DENSE, LINEAR, WEIGHTS, operator

OPERATORS = (
    operator(
        "MatMul",
        (1, 9, 13),
        tf="MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 SparseMatMul",
        torch="matmul mm bmm mv dot",
        keras="Dot",
        traits=LINEAR | CONTRACTION | DENSE,
    ),
    operator(
        "Gemm",
        (1, 6, 7, 9, 11, 13),
        torch="Linear LazyLinear linear addmm",
        keras="Dense",
        traits=LINEAR | CONTRACTION | DENSE | WEIGHTS,
    ),
    operator("Einsum", (12, 28), tf="Einsum", torch="einsum", keras="EinsumDense", traits=CONTRACTION | WEIGHTS),
)
