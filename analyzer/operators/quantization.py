"""Quantization and integer products."""

from __future__ import annotations

from analyzer.operators.conditions import DIVISION_BY_ZERO
from analyzer.operators.declaration import CONTRACTION, INTEGER_PRODUCT, QUANTIZES_INSIDE, RECURRENT, operator

OPERATORS = (
    operator("QuantizeLinear", (10, 13, 19, 21, 23, 24, 25, 28), unsafe=(DIVISION_BY_ZERO,), lacks="references"),
    operator("DequantizeLinear", (10, 13, 19, 21, 23, 24, 25, 28), lacks="references"),
    operator("DynamicQuantizeLinear", (11,), lacks="references"),
    operator("MatMulInteger", (10,), traits=CONTRACTION | INTEGER_PRODUCT, lacks="references"),
    operator("ConvInteger", (10,), traits=CONTRACTION | INTEGER_PRODUCT, lacks="references"),
    operator("QLinearMatMul", (10, 21), traits=CONTRACTION | INTEGER_PRODUCT, lacks="references"),
    operator("QLinearConv", (10,), traits=CONTRACTION | INTEGER_PRODUCT, lacks="references"),
    operator("QGemm", microsoft="QGemm", traits=CONTRACTION | INTEGER_PRODUCT),
    operator(
        "DynamicQuantizeMatMul",
        microsoft="DynamicQuantizeMatMul",
        traits=CONTRACTION | INTEGER_PRODUCT | QUANTIZES_INSIDE,
    ),
    operator("MatMulIntegerToFloat", microsoft="MatMulIntegerToFloat", traits=CONTRACTION | INTEGER_PRODUCT),
    operator(
        "DynamicQuantizeLSTM", microsoft="DynamicQuantizeLSTM", traits=RECURRENT | INTEGER_PRODUCT | QUANTIZES_INSIDE
    ),
    operator("QLinearAdd", microsoft="QLinearAdd QLinearMul"),
    operator("QLinearGlobalAveragePool", microsoft="QLinearGlobalAveragePool"),
    operator("QLinearAveragePool", microsoft="QLinearAveragePool"),
    operator("QLinearSigmoid", microsoft="QLinearSigmoid QLinearLeakyRelu QLinearSoftmax"),
    operator("QAttention", microsoft="QAttention", traits=CONTRACTION | INTEGER_PRODUCT),
    operator(
        "FakeQuantWithMinMaxVars",
        tf="""
    FakeQuantWithMinMaxVars FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVarsPerChannel QuantizeAndDequantizeV2
    QuantizeAndDequantizeV3
""",
    ),
)
