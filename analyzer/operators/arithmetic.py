"""Sums, differences and products, element by element."""

from __future__ import annotations

from analyzer.operators.conditions import LOG_OF_NONPOSITIVE
from analyzer.operators.declaration import ELEMENTWISE, LINEAR, POLYNOMIAL, UNARY, operator

OPERATORS = (
    operator("Add", (1, 6, 7, 13, 14), tf="Add AddV2", torch="add", keras="Add ops.add", traits=ELEMENTWISE | LINEAR),
    operator(
        "Sub", (1, 6, 7, 13, 14), tf="Sub", torch="sub rsub", keras="Subtract ops.subtract", traits=ELEMENTWISE | LINEAR
    ),
    operator("BiasAdd", tf="BiasAdd BiasAddV1", traits=ELEMENTWISE | LINEAR),
    operator("Sum", (1, 6, 8, 13), tf="AddN AccumulateNV2", traits=ELEMENTWISE | LINEAR),
    operator("Mean", (1, 6, 8, 13), keras="Average", traits=ELEMENTWISE | LINEAR),
    operator(
        "Mul", (1, 6, 7, 13, 14), tf="Mul", torch="mul", keras="Multiply ops.multiply", traits=ELEMENTWISE | POLYNOMIAL
    ),
    operator("MulNoNan", tf="MulNoNan", traits=ELEMENTWISE),
    operator("SquaredDifference", tf="SquaredDifference", traits=ELEMENTWISE | POLYNOMIAL),
    operator("Xlogy", tf="Xlogy", traits=UNARY, unsafe=(LOG_OF_NONPOSITIVE,)),
    operator("Xlog1py", tf="Xlog1py", traits=ELEMENTWISE, unsafe=(LOG_OF_NONPOSITIVE,), pole=-1.0),
)
