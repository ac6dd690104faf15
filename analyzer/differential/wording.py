"""How numbers, oracles and engines' own messages are written in findings."""

from __future__ import annotations

import math
import re


def oracle_title(name: str) -> str:
    if name.startswith("reference"):
        return "the float64 ONNX reference"
    if name == "majority":
        return "the other engines"
    if name.startswith("none"):
        return name.removeprefix("none (").removesuffix(" disagrees)")
    if "float64" in name:
        return "the float64 run"
    return name


NOISE = re.compile(
    r"(Exception from \S+:\d+:|Check '[^']*' failed at \S+:\d+:|FrontEnd API failed with \w+:"
    r"|\[ONNXRuntimeError\] : \d+ : [A-Z_]+ :|\S+\.cc:\d+ [^:]*(?=:))\s*:?\s*"
)


def plain(message: str, longest: int = 120) -> str:
    """An engine's message on one line, without the places in its own sources, cut between words."""
    return shortened(NOISE.sub("", " ".join(message.split())), longest)


def shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return text[: longest - 2].rsplit(" ", 1)[0].rstrip(",;:(") + " …"


def number(value: float) -> str:
    if math.isnan(value):
        return "–"
    return "infinity (NaN, Inf or shape)" if math.isinf(value) else f"{value:.3g}"


def json_number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
