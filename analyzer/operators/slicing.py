"""Parts of a tensor, padding, reversal."""

from __future__ import annotations

from analyzer.operators.declaration import OTHER_LAYOUT, SELECTS, operator

TO_THE_END = 10**9  # an end from here on means the end of the axis: tf2onnx writes this one, others 2**31 - 1 or more

OPERATORS = (
    operator(
        "Slice",
        (1, 10, 11, 13),
        tf="Slice",
        torch="narrow slice",
        keras="Cropping1D Cropping2D Cropping3D",
        traits=SELECTS,
    ),
    operator("StridedSlice", tf="StridedSlice", traits=SELECTS),
    operator("Split", (1, 2, 11, 13, 18), torch="split split_with_sizes chunk", traits=SELECTS),
    operator("SplitAxisFirst", tf="Split"),
    operator("SplitV", tf="SplitV"),
    operator("TensorSplit", torch="tensor_split hsplit vsplit", traits=SELECTS | OTHER_LAYOUT),
    operator("Unpack", tf="Unpack", torch="unbind", traits=SELECTS),
    operator(
        "Pad",
        (1, 2, 11, 13, 18, 19, 21, 23, 24, 25),
        tf="Pad PadV2 MirrorPad",
        torch="""
    pad ConstantPad1d ZeroPad1d ConstantPad2d ZeroPad2d ConstantPad3d ZeroPad3d ReflectionPad1d ReflectionPad2d
    ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d CircularPad1d CircularPad2d CircularPad3d
""",
        keras="ZeroPadding1D ZeroPadding2D ZeroPadding3D",
    ),
    operator("Reverse", tf="ReverseV2 Reverse", torch="flip", keras="ops.flip"),
    operator("ReverseSequence", (10, 28), tf="ReverseSequence"),
)
