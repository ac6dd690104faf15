"""Operators on images and boxes."""

from __future__ import annotations

from analyzer.operators.declaration import OTHER_LAYOUT, operator

OPERATORS = (
    operator(
        "NonMaxSuppression",
        (10, 11),
        tf="NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionV4 NonMaxSuppression",
        lacks="references",
    ),
    operator("AdjustContrastv2", tf="AdjustContrastv2 RGBToHSV HSVToRGB AdjustHue AdjustSaturation"),
    operator("ExtractImagePatches", tf="ExtractImagePatches", torch="Unfold unfold", traits=OTHER_LAYOUT),
)
