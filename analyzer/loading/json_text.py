"""JSON out of model files."""

from __future__ import annotations

import json
from typing import Any

from analyzer.loading.files import shown
from analyzer.loading.limits import Limits
from analyzer.problem import TargetProblem


def read_json(data: bytes, what: str, limits: Limits) -> Any:
    """JSON of a stranger, refused if it is damaged or nested too deeply."""
    depth = deepest = 0
    in_string = escaped = False
    for byte in data:
        if escaped:
            escaped = False
        elif in_string:
            escaped = byte == 0x5C
            in_string = byte != 0x22
        elif byte == 0x22:
            in_string = True
        elif byte in b"{[":
            depth += 1
            deepest = max(deepest, depth)
        elif byte in b"}]":
            depth -= 1
    if deepest > 16 * limits.depth:
        raise TargetProblem(f"{what} is nested too deeply.")
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise TargetProblem(f"{what} is not valid JSON; it is damaged or cut off ({shown(error)}).") from None
