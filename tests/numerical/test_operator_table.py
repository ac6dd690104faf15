"""The published table of operators is the registry's, and the registry covers the standard."""

from __future__ import annotations

from pathlib import Path

from analyzer.numerical.transfer.registry import rules
from scripts.operators import standard_functions, table

NAMES = """
Abs Add AddN All Any ArgMax Assign AssignAdd AssignSub AvgPool BatchMatMul BatchToSpaceND SpaceToBatchND BiasAdd
BroadcastArgs Cast CheckNumerics Cholesky ClipByValue ConcatV2 Const Conv2D Conv2DBackpropInput
DepthwiseConv2dNative Diag DynamicStitch Enter Equal Exit ExpandDims FIFOQueueV2 Fill Floor FusedBatchNorm GatherNd
GatherV2 Greater GreaterEqual Identity IsFinite IteratorGetNext IteratorV2 LeakyRelu L2Loss Less LessEqual Lgamma
LinSpace LogicalAnd LogicalNot LogicalOr LogUniformCandidateSampler LoopCond MatMul MatrixDiag MatrixBandPart
MatrixDiagPart Max MaxPool Maximum Mean Merge Min Minimum Mul Multinomial Neg NonMaxSuppressionV3 NotEqual OneHot
OneShotIterator Pack Pad PaddingFIFOQueueV2 ParseSingleExample Placeholder PlaceholderWithDefault Pow Prod
QueueDequeueManyV2 RandomShuffle RandomShuffleQueueV2 RandomStandardNormal RandomUniform Range Rank ReadVariableOp
RealDiv Relu Relu6 Reshape ResizeArea ResizeBilinear ResizeNearestNeighbor ResourceGather ReverseV2 Round Rsqrt
Select Shape Sigmoid Sign Size Slice SparseToDense Split Sqrt Square SquaredDifference Squeeze StopGradient
StridedSlice Sub Sum Switch TensorArrayGatherV3 TensorArrayV3 TensorArrayReadV3 TensorArrayScatterV3
TensorArraySizeV3 TensorArrayWriteV3 Tile TopKV2 Transpose Unpack VarHandleOp Variable VariableV2 While ZerosLike
FloorMod IteratorToStringHandle NoOp RestoreV2 SaveV2 Sin Cos Log Log1p Softplus Exp Softmax Tanh Expm1 Reciprocal
FusedBatchNormV2 FusedBatchNormV3
"""
DEBAR = frozenset(NAMES.split())


def test_the_table_is_current() -> None:
    assert (Path(__file__).parents[2] / "docs" / "operators.md").read_text() == table(), (
        "run: python -m scripts.operators > docs/operators.md"
    )


def test_every_operator_of_the_standard_is_covered() -> None:
    from onnx import defs

    schemas = {(s.domain, s.name) for s in defs.get_all_schemas() if s.domain == ""}
    assert schemas <= rules().keys() | standard_functions()


def test_every_tensorflow_operator_of_the_literature_is_covered() -> None:
    known = {operator for domain, operator in rules() if domain == "tf"}
    assert known >= DEBAR, DEBAR - known


def test_every_rule_has_a_docstring_or_a_telling_name() -> None:
    for key, rule in rules().items():
        assert rule.function.__doc__ or len(rule.function.__name__) > 1, key
