"""What layers of torch without weights compute: each is a function of elements that has its name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.samples import torch_algebra, torch_elementwise
from analyzer.tracing.samples.arguments import Function
from analyzer.tracing.samples.sampler import Sampler

_ACTIVATIONS: Mapping[str, Function] = MappingProxyType(
    {
        **torch_elementwise.FUNCTIONS,
        "softmax": torch_algebra.FUNCTIONS["softmax"],
        "logsoftmax": torch_algebra.FUNCTIONS["log_softmax"],
    }
)
_HOME = re.compile(r"torch\.nn\.([A-Z]\w+)")


def applied(sampler: Sampler, name: str, settings: Mapping[str, Value], args: Sequence[Value], result: Value) -> Value:
    """`result`, what the rules know of the call of a layer, with its elements where the layer is such a function."""
    named = _HOME.fullmatch(name)
    function = _ACTIVATIONS.get(named[1].lower()) if named is not None else None
    if function is None or len(args) != 1 or result is args[0] or not isinstance(result, Tensor):
        return result
    given = {key: value for key, value in settings.items() if key != "inplace"}
    return sampler.computed(named[1].lower() if named else name, function, args, given, result)
