"""Matrix products."""

from __future__ import annotations

from analyzer.operators.declaration import (
    BUILT_FOR_LAST_AXIS,
    CONTRACTION,
    DENSE,
    LINEAR,
    OTHER_LAYOUT,
    POLYNOMIAL,
    WEIGHTS,
    operator,
)

OPERATORS = (
    operator(
        "MatMul",
        (1, 9, 13),
        tf="MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 SparseMatMul",
        torch="matmul mm bmm mv dot",
        keras="Dot ops.matmul",
        traits=LINEAR | CONTRACTION | DENSE,
    ),
    operator(
        "Gemm",
        (1, 6, 7, 9, 11, 13),
        torch="Linear LazyLinear linear addmm",
        keras="Dense",
        traits=LINEAR | CONTRACTION | DENSE | WEIGHTS | BUILT_FOR_LAST_AXIS,
    ),
    operator("FusedMatMul", microsoft="FusedMatMul TransposeMatMul", traits=CONTRACTION),
    operator("MatMulNBits", microsoft="MatMulNBits", traits=CONTRACTION),
    operator(
        "Einsum",
        (12, 28),
        tf="Einsum",
        torch="einsum",
        keras="EinsumDense",
        traits=CONTRACTION | POLYNOMIAL | WEIGHTS | OTHER_LAYOUT,
    ),
    operator("Bilinear", torch="Bilinear", traits=WEIGHTS),
)
