"""Quantization and integer products."""

from __future__ import annotations

from analyzer.operators.conditions import DIVISION_BY_ZERO
from analyzer.operators.declaration import CONTRACTION, operator

OPERATORS = (
    operator("QuantizeLinear", (10, 13, 19, 21, 23, 24, 25, 28), unsafe=(DIVISION_BY_ZERO,)),
    operator("DequantizeLinear", (10, 13, 19, 21, 23, 24, 25, 28)),
    operator("DynamicQuantizeLinear", (11,)),
    operator("MatMulInteger", (10,), traits=CONTRACTION),
    operator("ConvInteger", (10,), traits=CONTRACTION),
    operator("QLinearMatMul", (10, 21), traits=CONTRACTION),
    operator("QLinearConv", (10,), traits=CONTRACTION),
    operator(
        "FakeQuantWithMinMaxVars",
        tf="""
    FakeQuantWithMinMaxVars FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVarsPerChannel QuantizeAndDequantizeV2
    QuantizeAndDequantizeV3
""",
    ),
)
