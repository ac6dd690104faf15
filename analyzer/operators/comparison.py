"""Comparisons, logic, tests for NaN and infinity, selection, bits."""

from __future__ import annotations

from analyzer.operators.declaration import (
    ASKS_FINITE,
    BOOLEAN,
    COMPARISON,
    DENSE,
    DETACHED,
    ELEMENTWISE,
    PIECEWISE_LINEAR,
    SELECTION,
    UNARY,
    operator,
)

ORDERS = COMPARISON | BOOLEAN | ELEMENTWISE | PIECEWISE_LINEAR | DETACHED

OPERATORS = (
    operator("Greater", (1, 7, 9, 13), tf="Greater", torch="gt", traits=ORDERS, keras="ops.greater"),
    operator("GreaterOrEqual", (12, 16), tf="GreaterEqual", torch="ge", traits=ORDERS, keras="ops.greater_equal"),
    operator("Less", (1, 7, 9, 13), tf="Less", torch="lt", traits=ORDERS, keras="ops.less"),
    operator("LessOrEqual", (12, 16), tf="LessEqual", torch="le", traits=ORDERS, keras="ops.less_equal"),
    operator("Equal", (1, 7, 11, 13, 19), tf="Equal", torch="eq", traits=ORDERS, keras="ops.equal"),
    operator("ApproximateEqual", tf="ApproximateEqual", torch="isclose", traits=BOOLEAN | ELEMENTWISE | DETACHED),
    operator("NotEqual", tf="NotEqual", torch="ne", traits=ORDERS, keras="ops.not_equal"),
    operator("Not", (1,), tf="LogicalNot", torch="logical_not", traits=BOOLEAN | UNARY | DETACHED),
    operator(
        "And",
        (1, 7),
        tf="LogicalAnd",
        torch="logical_and",
        traits=BOOLEAN | ELEMENTWISE | DETACHED,
        keras="ops.logical_and",
    ),
    operator(
        "Or",
        (1, 7),
        tf="LogicalOr",
        torch="logical_or",
        traits=BOOLEAN | ELEMENTWISE | DETACHED,
        keras="ops.logical_or",
    ),
    operator("Xor", (1, 7), tf="LogicalXor", torch="logical_xor", traits=BOOLEAN | ELEMENTWISE | DETACHED),
    operator("IsNaN", (9, 13, 20), tf="IsNan", traits=ASKS_FINITE | BOOLEAN | ELEMENTWISE | DETACHED),
    operator("IsInf", (10, 20), tf="IsInf", traits=ASKS_FINITE | BOOLEAN | ELEMENTWISE | DETACHED),
    operator("IsFinite", tf="IsFinite", traits=ASKS_FINITE | BOOLEAN | ELEMENTWISE | DETACHED),
    operator("Where", (9, 16), tf="SelectV2 Select", torch="where", traits=ELEMENTWISE | SELECTION | PIECEWISE_LINEAR),
    operator("MaskedFill", torch="masked_fill", traits=ELEMENTWISE | DENSE),
    operator("BitwiseAnd", (18,), tf="BitwiseAnd", traits=ELEMENTWISE, lacks="references"),
    operator("BitwiseOr", (18,), tf="BitwiseOr", traits=ELEMENTWISE, lacks="references"),
    operator("BitwiseXor", (18,), tf="BitwiseXor", traits=ELEMENTWISE, lacks="references"),
    operator("BitwiseNot", (18,), tf="Invert", torch="bitwise_not", traits=UNARY, lacks="references"),
    operator("BitShift", (11, 28), tf="LeftShift RightShift", traits=ELEMENTWISE, lacks="references"),
    operator("BitCast", (26,), tf="Bitcast", lacks="references"),
)
