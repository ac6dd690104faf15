"""What layers of torch without weights compute: each is a function of elements that has its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from analyzer.tracing.language.values import Value
from analyzer.tracing.samples import torch_algebra, torch_elementwise
from analyzer.tracing.samples.arguments import Function

_ACTIVATIONS: Mapping[str, Function] = MappingProxyType(
    {
        **torch_elementwise.FUNCTIONS,
        "softmax": torch_algebra.FUNCTIONS["softmax"],
        "logsoftmax": torch_algebra.FUNCTIONS["log_softmax"],
    }
)
_HOME = re.compile(r"torch\.nn\.([A-Z]\w+)")


def function_of_layer(name: str, settings: Mapping[str, Value]) -> tuple[str, Function, dict[str, Value]] | None:
    """Such a function with its name and its settings; None for other layers."""
    named = _HOME.fullmatch(name)
    function = _ACTIVATIONS.get(named[1].lower()) if named is not None else None
    if named is None or function is None:
        return None
    return named[1].lower(), function, {key: value for key, value in settings.items() if key != "inplace"}
