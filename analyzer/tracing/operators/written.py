"""Tensors whose elements the program itself writes, as `torch.ones(2)` does: what they are like is no free choice.

What depends on data goes one way or the other as the data has it, so that an error behind it is an error. Of elements
that the text of the program decides, one way alone is taken; this analysis computes few of them, so nothing is proved
behind a question about the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, ListV, Native, SliceV, Unknown, Value

_MADE = frozenset((
    "zeros", "ones", "empty", "eye", "identity", "zeros_like", "ones_like", "empty_like", "tril_indices",
    "triu_indices", "tri", "fill", "get_default_dtype", "is_grad_enabled", "floatx", "executing_eagerly", "is_tensor",
    "inside_function", "is_keras_tensor", "is_inference_mode_enabled", "is_autocast_enabled", "is_storage",
    "are_deterministic_algorithms_enabled", "is_deterministic_algorithms_warn_only_enabled",
))  # fmt: skip
_DRAWN = re.compile(
    r"Linear|Conv|Norm|Embedding|RNN|LSTM|GRU|Attention|Transformer|PReLU|Adaptive\w*Loss|Dropout|RReLU|\.Seq"
)
_OUTSIDE = ("rand", "load", "read", "from_file", "dropout", "bernoulli", "multinomial", "normal", "uniform", "sample",
            "shuffle", "permutation", "choice", "seed", "input", "Variable", "from_directory", "get_file")  # fmt: skip
_HOMES = ("torch.", "numpy.", "tf.", "keras.", "jax.")
_MACHINE = (".cuda.", ".distributed.", ".random.", ".hub.", ".backends.", ".io.", "torch.utils.", ".distributions.",
            ".datasets.", ".config.", ".mps.", ".memmap", ".optim.")  # fmt: skip
MOST_LOOKED_AT = 64  # elements of a list, and tensors behind one


def is_written(value: Value) -> bool:
    """Whether the program's text decides it wholly."""
    if isinstance(value, Tensor):
        return value.written
    if isinstance(value, (ListV, tuple)):
        items = value.items if isinstance(value, ListV) else value
        return not (isinstance(value, ListV) and value.open) and all(map(is_written, items[:MOST_LOOKED_AT]))
    if isinstance(value, SliceV):
        return all(map(is_written, (value.start, value.stop, value.step)))
    if isinstance(value, Unknown):
        return value.value is None and not value.known_source
    return value is None or value is Ellipsis or isinstance(value, (bool, int, float, complex, str, Api, Native))


def told_by_call(name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> bool:
    """Whether what a function of a library gives is decided by its arguments, and these by the program's text."""
    short = name.rpartition(".")[2]
    if not name.startswith(_HOMES) or any(part in name for part in _MACHINE) or _comes_from_outside(short):
        return False
    if short in _MADE:
        return True
    named_alone = all(isinstance(v, str) for v in args)  # a file, perhaps
    return bool(args) and not named_alone and all(map(is_written, (*args, *kwargs.values())))


def of_method(name: str, owner: Tensor, args: tuple[Value, ...], kwargs: dict[str, Value], result: Value) -> Value:
    """The same of a method of a tensor."""
    return result if _comes_from_outside(name) else of_operands((owner, *args, *kwargs.values()), result)


def of_operands(operands: Iterable[Value], result: Value) -> Value:
    """The same of an operator of Python's."""
    return mark(result) if all(map(is_written, operands)) else result


def origin_of_kind(value: Tensor, in_definition: bool) -> str:
    """The origin of an element type, a device or the like: free where a tensor that is given to the program has it."""
    pending, seen = [value], 0
    while pending and seen < MOST_LOOKED_AT:
        tensor = pending.pop()
        seen += 1
        if tensor.written:
            continue
        if tensor.sources:
            pending.extend(tensor.sources)
        elif "variable" not in tensor.tags or in_definition:
            return "data"
    return "imprecise"


def _comes_from_outside(name: str) -> bool:
    return any(part in name for part in _OUTSIDE)


def mark(result: Value) -> Value:
    """Say of a result, and of its parts, that the program's text decides it."""
    if isinstance(result, Tensor):
        result.written = True
    elif isinstance(result, Unknown):
        if result.origin == "data":
            result.origin = "imprecise"
        for held in result.attrs.values():
            mark(held)
    elif isinstance(result, (ListV, tuple)):
        for part in (result.items if isinstance(result, ListV) else result)[:MOST_LOOKED_AT]:
            mark(part)
    return result


def is_plain(layer: str) -> bool:
    """Whether a layer of the name computes the same of the same, whatever is drawn and trained."""
    return layer.startswith("torch.nn.") and not _DRAWN.search(layer)
