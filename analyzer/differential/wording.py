"""How numbers, judges and engines' own messages are written in findings."""

from __future__ import annotations

import math


def judge_title(name: str) -> str:
    if name.startswith("reference"):
        return "the float64 ONNX reference"
    if name == "majority":
        return "the other engines"
    if name.startswith("none"):
        return name.removeprefix("none (").removesuffix(" disagrees)")
    if "float64" in name:
        return "the float64 run"
    return name


def plain(message: str) -> str:
    return " ".join(message.split())[:120]


def number(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "infinity (NaN, Inf or shape)" if math.isinf(value) else f"{value:.3g}"


def json_number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
