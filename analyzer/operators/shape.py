"""Layout: the same elements in another shape or order."""

from __future__ import annotations

from analyzer.operators.declaration import DENSE, OTHER_LAYOUT, RANDOM, RESHAPES, SELECTS, operator

OPERATORS = (
    operator(
        "Reshape",
        (1, 5, 13, 14, 19, 21, 23, 24, 25),
        tf="Reshape",
        torch="reshape view _unsafe_view unflatten Unflatten",
        keras="Reshape ops.reshape",
        traits=SELECTS | RESHAPES,
    ),
    operator(
        "Flatten", (1, 9, 11, 13, 21, 23, 24, 25), torch="Flatten flatten", keras="Flatten", traits=SELECTS | RESHAPES
    ),
    operator(
        "Transpose",
        (1, 13, 21, 23, 24, 25),
        tf="Transpose",
        torch="permute transpose swapaxes swapdims t",
        keras="Permute ops.transpose",
        traits=SELECTS | OTHER_LAYOUT,
    ),
    operator("ConjugateTranspose", tf="ConjugateTranspose", torch="adjoint", traits=OTHER_LAYOUT),
    operator("MoveAxis", torch="moveaxis movedim", traits=SELECTS | OTHER_LAYOUT),
    operator("Rotate90", torch="rot90", traits=SELECTS | OTHER_LAYOUT),
    operator("AsStrided", torch="as_strided", traits=SELECTS | OTHER_LAYOUT),
    operator("ToSparse", torch="to_sparse", traits=OTHER_LAYOUT),
    operator("InvertPermutation", tf="InvertPermutation"),
    operator("Roll", tf="Roll", torch="roll"),
    operator("RandomShuffle", tf="RandomShuffle", traits=RANDOM | DENSE, torch="randperm", aten="randperm"),
    operator(
        "Unsqueeze",
        (1, 11, 13, 21, 23, 24, 25),
        tf="ExpandDims",
        torch="unsqueeze",
        keras="ops.expand_dims",
        traits=SELECTS | RESHAPES,
    ),
    operator("Squeeze", (1, 11, 13, 21, 23, 24, 25), tf="Squeeze", torch="squeeze", traits=SELECTS | RESHAPES),
    operator("Expand", (8, 13), tf="BroadcastTo", torch="expand broadcast_to", traits=SELECTS),
    operator("Tile", (1, 6, 13), tf="Tile", torch="repeat tile", keras="RepeatVector", traits=SELECTS | DENSE),
    operator(
        "DepthToSpace",
        (1, 11, 13, 28),
        tf="DepthToSpace",
        torch="PixelShuffle pixel_shuffle",
        traits=SELECTS,
        lacks="references",
    ),
    operator(
        "SpaceToDepth",
        (1, 13, 28),
        tf="SpaceToDepth",
        torch="PixelUnshuffle pixel_unshuffle",
        traits=SELECTS,
        lacks="references",
    ),
    operator("BatchToSpace", tf="BatchToSpaceND BatchToSpace"),
    operator("SpaceToBatch", tf="SpaceToBatchND SpaceToBatch"),
    operator("CenterCropPad", (18,), lacks="references"),
    operator("Crop", keras="CenterCrop RandomCrop"),
    operator("ChannelShuffle", torch="ChannelShuffle channel_shuffle"),
)
