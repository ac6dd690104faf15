"""Running sums, positions of extrema, segment reductions."""

from __future__ import annotations

from analyzer.operators.declaration import DENSE, DETACHED, EXTREME_OF_NONE, PRODUCT, operator

OPERATORS = (
    operator("CumSum", (11, 14), tf="Cumsum", torch="cumsum", keras="ops.cumsum", traits=DENSE),
    operator("CumProd", (26,), tf="Cumprod", torch="cumprod", traits=PRODUCT, lacks="references"),
    operator("LogCumSumExp", tf="CumulativeLogsumexp", aten="logcumsumexp", torch="logcumsumexp", traits=DENSE),
    operator("CumMax", aten="cummax"),
    operator("CumMin", aten="cummin"),
    operator("ArgMax", (1, 11, 12, 13), tf="ArgMax", torch="argmax", traits=DETACHED),
    operator("ArgMin", (1, 11, 12, 13), tf="ArgMin", torch="argmin", traits=DETACHED),
    operator("SegmentSum", tf="SegmentSum UnsortedSegmentSum SparseSegmentSum SegmentMean SegmentMax"),
    operator("SegmentExtreme", tf="UnsortedSegmentMax UnsortedSegmentMin", traits=EXTREME_OF_NONE),
)
