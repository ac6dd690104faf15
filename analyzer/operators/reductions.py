"""Reductions along axes."""

from __future__ import annotations

from analyzer.operators.conditions import EMPTY_MEAN, EXTREMUM_OF_INFINITY, LOG_OF_NONPOSITIVE
from analyzer.operators.declaration import BOOLEAN, LINEAR, POLYNOMIAL, PRODUCT, operator

OPERATORS = (
    operator("ReduceSum", (1, 11, 13), tf="Sum", torch="sum", keras="ops.sum", traits=LINEAR),
    operator(
        "ReduceMean", (1, 11, 13, 18), tf="Mean", torch="mean", keras="ops.mean", traits=LINEAR, unsafe=(EMPTY_MEAN,)
    ),
    operator(
        "ReduceMax",
        (1, 11, 12, 13, 18, 20),
        tf="Max",
        torch="amax max",
        keras="ops.max",
        unsafe=(EXTREMUM_OF_INFINITY,),
    ),
    operator(
        "ReduceMin",
        (1, 11, 12, 13, 18, 20),
        tf="Min",
        torch="amin min",
        keras="ops.min",
        unsafe=(EXTREMUM_OF_INFINITY,),
    ),
    operator("Any", tf="Any", torch="any", keras="ops.any", traits=BOOLEAN),
    operator("All", tf="All", torch="all", keras="ops.all", traits=BOOLEAN),
    operator("ReduceProd", (1, 11, 13, 18), tf="Prod", torch="prod", keras="ops.prod", traits=PRODUCT | POLYNOMIAL),
    operator("ReduceLogSum", (1, 11, 13, 18, 28), unsafe=(LOG_OF_NONPOSITIVE,)),
    operator("ReduceLogSumExp", (1, 11, 13, 18, 28), torch="logsumexp", unsafe=(EXTREMUM_OF_INFINITY,)),
    operator("Variance", torch="var", keras="ops.var"),
    operator("StandardDeviation", torch="std", keras="ops.std"),
    operator("NanSum", torch="nansum"),
    operator("Median", torch="median", aten="median nanmedian"),
    operator("Mode", torch="mode", aten="mode"),
    operator("KthValue", aten="kthvalue"),
    operator("Histogram", aten="histc"),
)
