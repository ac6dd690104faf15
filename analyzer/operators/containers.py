"""Sequences, optionals, strings, tensor lists and variables."""

from __future__ import annotations

from analyzer.operators.declaration import STATEFUL, operator

OPERATORS = (
    operator("SequenceConstruct", (11,)),
    operator("SequenceEmpty", (11,), lacks="references"),
    operator("SequenceInsert", (11,)),
    operator("SequenceAt", (11,)),
    operator("SequenceErase", (11,)),
    operator("SequenceLength", (11,)),
    operator("SplitToSequence", (11, 24)),
    operator("ConcatFromSequence", (11,)),
    operator("Optional", (15, 28), lacks="types references"),
    operator("OptionalGetElement", (15, 18, 28), tf="OptionalGetValue", lacks="types references"),
    operator("OptionalHasElement", (15, 18, 28), lacks="types references"),
    operator("StringConcat", (20,), lacks="types references"),
    operator("StringNormalizer", (10,), lacks="types references"),
    operator("StringSplit", (20,), lacks="types references"),
    operator("RegexFullMatch", (20,), lacks="types references"),
    operator("TensorArrayV3", tf="TensorArrayV3 TensorArrayV2 TensorArray EmptyTensorList TensorListReserve"),
    operator("TensorArrayWriteV3", tf="TensorArrayWriteV3 TensorArrayWriteV2"),
    operator(
        "TensorArrayScatterV3", tf="TensorArrayScatterV3 TensorArrayScatterV2 TensorArrayUnpack TensorArraySplitV3"
    ),
    operator("TensorArrayReadV3", tf="TensorArrayReadV3 TensorArrayReadV2"),
    operator("TensorArrayGatherV3", tf="TensorArrayGatherV3 TensorArrayGatherV2 TensorArrayConcatV3"),
    operator("TensorArraySizeV3", tf="TensorArraySizeV3 TensorArraySizeV2 TensorListLength"),
    operator("TensorArrayGradV3", tf="TensorArrayGradV3"),
    operator("TensorListSetItem", tf="TensorListSetItem"),
    operator("TensorListPushBack", tf="TensorListPushBack"),
    operator("TensorListFromTensor", tf="TensorListFromTensor TensorListScatter TensorListScatterV2"),
    operator("TensorListGetItem", tf="TensorListGetItem TensorListPopBack"),
    operator("TensorListStack", tf="TensorListStack TensorListGather TensorListConcatV2"),
    operator("Assign", tf="Assign AssignVariableOp", traits=STATEFUL),
    operator("AssignAdd", tf="AssignAdd AssignAddVariableOp", traits=STATEFUL),
    operator("AssignSub", tf="AssignSub AssignSubVariableOp", traits=STATEFUL),
    operator("IsVariableInitialized", tf="IsVariableInitialized VarIsInitializedOp"),
)
