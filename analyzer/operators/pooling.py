"""Pooling, resampling and sampling windows."""

from __future__ import annotations

from analyzer.operators.declaration import LINEAR, operator

OPERATORS = (
    operator(
        "MaxPool",
        (1, 8, 10, 11, 12, 22),
        tf="MaxPool MaxPoolV2 MaxPool3D MaxPoolWithArgmax",
        torch="MaxPool1d max_pool1d MaxPool2d max_pool2d MaxPool3d max_pool3d",
        keras="MaxPooling1D MaxPool1D MaxPooling2D MaxPool2D MaxPooling3D MaxPool3D",
    ),
    operator(
        "AveragePool",
        (1, 7, 10, 11, 19, 22),
        tf="AvgPool AvgPool3D",
        torch="AvgPool1d avg_pool1d AvgPool2d avg_pool2d AvgPool3d avg_pool3d",
        keras="AveragePooling1D AvgPool1D AveragePooling2D AvgPool2D AveragePooling3D AvgPool3D",
        traits=LINEAR,
    ),
    operator(
        "GlobalAveragePool",
        (1, 22),
        keras="""
    GlobalAveragePooling1D GlobalAvgPool1D GlobalAveragePooling2D GlobalAvgPool2D GlobalAveragePooling3D
    GlobalAvgPool3D
""",
        traits=LINEAR,
    ),
    operator(
        "GlobalMaxPool",
        (1, 22),
        keras="""
    GlobalMaxPooling1D GlobalMaxPool1D GlobalMaxPooling2D GlobalMaxPool2D GlobalMaxPooling3D GlobalMaxPool3D
""",
    ),
    operator("LpPool", (1, 2, 11, 18, 22), lacks="references"),
    operator("GlobalLpPool", (1, 2, 22), lacks="references"),
    operator("MaxUnpool", (9, 11, 22), lacks="references"),
    operator(
        "Resize",
        (10, 11, 13, 18, 19),
        torch="Upsample UpsamplingNearest2d UpsamplingBilinear2d interpolate",
        keras="UpSampling1D UpSampling2D UpSampling3D Resizing",
    ),
    operator("Upsample", (1, 7, 9, 10), lacks="references"),
    operator("ResizeBilinear", tf="ResizeBilinear"),
    operator("ResizeNearestNeighbor", tf="ResizeNearestNeighbor"),
    operator("ResizeArea", tf="ResizeArea"),
    operator("ResizeBicubic", tf="ResizeBicubic"),
    operator("CropAndResize", tf="CropAndResize"),
    operator("MaxRoiPool", (1, 22), lacks="references"),
    operator("RoiAlign", (10, 16, 22), lacks="references"),
    operator("GridSample", (16, 20, 22), lacks="references"),
    operator("Col2Im", (18,), torch="Fold fold", lacks="references"),
    operator(
        "AdaptiveAveragePool",
        torch="""
    AdaptiveAvgPool1d adaptive_avg_pool1d AdaptiveAvgPool2d adaptive_avg_pool2d AdaptiveAvgPool3d
    adaptive_avg_pool3d
""",
        keras="AdaptiveAveragePooling1D AdaptiveAveragePooling2D AdaptiveAveragePooling3D",
    ),
    operator(
        "AdaptiveMaxPool",
        torch="AdaptiveMaxPool1d AdaptiveMaxPool2d adaptive_max_pool2d AdaptiveMaxPool3d",
        keras="AdaptiveMaxPooling1D AdaptiveMaxPooling2D AdaptiveMaxPooling3D",
    ),
)
