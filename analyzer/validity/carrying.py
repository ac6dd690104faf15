"""Values of small tensors through every operator that computes sizes: what the type of an operator does not say.

A tensor's `value` is a term for a scalar and the flat tuple of its elements (row-major) otherwise. Elements are whole
numbers (terms), `Quotient` of them in tensors of floating point, or conditions in Boolean ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from analyzer.validity.architecture import ModelLayer
from analyzer.validity.exact_numbers import (
    NotCarried,
    absolute,
    add,
    answer,
    c_remainder,
    chosen,
    divided,
    floor_remainder,
    floored,
    floored_quotient,
    largest,
    multiply,
    negative,
    number_of,
    parts,
    power,
    rounded_up,
    sign,
    smallest,
    truth,
    whole,
    whole_only,
)
from analyzer.validity.spec import TensorType
from analyzer.validity.specs.common import is_plain
from analyzer.validity.terms import Cond, all_of, any_of, choose, equal, negate, unequal

Values = npt.NDArray[np.object_]

MAX_VALUES = 64  # elements of a tensor that are followed as values


def carried(
    layer: ModelLayer, operands: Sequence[TensorType | None], outputs: tuple[TensorType, ...]
) -> tuple[TensorType, ...]:
    """`outputs` with the values that follow from those of the operands."""
    rule = _RULES.get(layer.operator)
    if rule is None or not outputs or any(t is not None and t.elements is not None for t in operands):
        return outputs
    try:
        found = rule(_Call(layer, operands, outputs))
    except NotCarried:
        return outputs
    arrays = found if isinstance(found, list) else [found]
    if len(arrays) != len(outputs):
        return outputs
    return tuple(_with_value(t, array) for t, array in zip(outputs, arrays, strict=True))


def _with_value(output: TensorType, array: Values) -> TensorType:
    if array.size > MAX_VALUES or output.shape is None or len(output.shape) != array.ndim:
        return output
    return replace(output, shape=array.shape, value=array.item() if array.ndim == 0 else tuple(array.reshape(-1)))


@dataclass(frozen=True)
class _Call:
    layer: ModelLayer
    operands: Sequence[TensorType | None]
    outputs: tuple[TensorType, ...]

    def attribute(self, name: str, default: Any = None) -> Any:
        return self.layer.hyperparameters.get(name, default)

    def given(self, index: int) -> bool:
        return index < len(self.operands) and self.operands[index] is not None

    def array(self, index: int) -> Values:
        """The elements of an operand in its shape."""
        tensor = self.operands[index] if index < len(self.operands) else None
        if tensor is None or tensor.value is None or tensor.shape is None:
            raise NotCarried
        flat = tensor.value if tensor.shape else (tensor.value,)
        flat = flat if isinstance(flat, tuple) else (flat,)
        if not all(is_plain(d) for d in tensor.shape) or math.prod(tensor.shape) != len(flat):
            raise NotCarried
        return _array(flat, tensor.shape)

    def numbers(self, index: int) -> tuple[int, ...]:
        """The elements of an operand that must be known numbers."""
        found = tuple(self.array(index).reshape(-1))
        if not all(is_plain(n) for n in found):
            raise NotCarried
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        """The first output's shape, which must be known."""
        shape = self.outputs[0].shape
        if shape is None or not all(is_plain(d) for d in shape) or math.prod(shape) > MAX_VALUES:
            raise NotCarried
        return shape

    @property
    def floating(self) -> bool:
        return (self.outputs[0].dtype or "").startswith(("float", "bfloat"))


def _array(flat: Sequence[Any], shape: Sequence[int]) -> Values:
    made = np.empty(len(flat), dtype=object)
    for index, item in enumerate(flat):
        made[index] = item
    return made.reshape(tuple(shape))


def _each(function: Callable[..., Any], *arrays: Values) -> Values:
    """`function` element by element, with broadcasting."""
    try:
        spread = np.broadcast_arrays(*arrays)
    except ValueError:
        raise NotCarried from None
    flat = [function(*items) for items in zip(*(a.reshape(-1) for a in spread), strict=True)]
    return _array(flat, spread[0].shape)


def _elementwise(function: Callable[..., Any]) -> Callable[[_Call], Values]:
    return lambda call: _each(function, *(call.array(i) for i in range(len(call.operands))))


def _folded(function: Callable[[Any, Any], Any]) -> Callable[[_Call], Values]:
    def rule(call: _Call) -> Values:
        result = call.array(0)
        for index in range(1, len(call.operands)):
            result = _each(function, result, call.array(index))
        return result

    return rule


def _remainder(call: _Call) -> Values:
    if call.attribute("fmod", 0):
        return _each(c_remainder, call.array(0), call.array(1))
    return _each(floor_remainder, call.array(0), call.array(1))


def _cast(call: _Call) -> Values:
    source, dtype = call.array(0), call.outputs[0].dtype or ""
    if dtype == "bool":
        return _each(lambda v: v if isinstance(v, Cond) else answer(unequal(whole_only(v), 0)), source)
    as_number = _each(lambda v: choose(v, 1, 0) if isinstance(v, Cond) else v, source)
    if dtype.startswith(("int", "uint")):
        return _each(whole, as_number)
    if dtype.startswith(("float", "bfloat")):
        return as_number
    raise NotCarried


def _compared(function: Callable[[Any, Any], Any]) -> Callable[[_Call], Values]:
    def compare(a: Any, b: Any) -> Any:
        (x, d), (y, e) = parts(a), parts(b)
        return answer(function(x * e, y * d))

    return _elementwise(compare)


def _reduced(function: Callable[[Any, Any], Any]) -> Callable[[_Call], Values]:
    """A reduction of a vector (or scalar) over all there is."""

    def rule(call: _Call) -> Values:
        source = call.array(0)
        if source.ndim > 1 or not source.size:
            raise NotCarried
        result = source.reshape(-1)[0]
        for item in source.reshape(-1)[1:]:
            result = function(result, item)
        return _array([result], call.shape) if math.prod(call.shape) == 1 else source

    return rule


def _kept(call: _Call) -> Values:
    """The same elements in the output's shape."""
    source = call.array(0)
    if math.prod(call.shape) != source.size:
        raise NotCarried
    return source.reshape(call.shape)


def _concatenated(call: _Call) -> Values:
    tensorflow = call.layer.operator == "ConcatV2"
    count = len(call.operands) - tensorflow
    axis = call.numbers(count)[0] if tensorflow else call.attribute("axis", 1)
    arrays = [call.array(i) for i in range(count)]
    try:
        return np.concatenate(arrays, axis=axis)
    except ValueError:
        raise NotCarried from None


def _stacked(call: _Call) -> Values:
    try:
        return np.stack([call.array(i) for i in range(len(call.operands))], axis=call.attribute("axis", 0))
    except ValueError:
        raise NotCarried from None


def _unstacked(call: _Call) -> list[Values]:
    source, axis = call.array(0), call.attribute("axis", 0)
    return [np.asarray(part, dtype=object) for part in np.moveaxis(source, axis, 0)] if source.ndim > 1 else [
        _array([item], ()) for item in source
    ]  # fmt: skip


def _sliced(call: _Call) -> Values:
    source = call.array(0)
    if call.layer.operator == "Slice" and call.layer.framework == "tf":
        begins, sizes = call.numbers(1), call.numbers(2)
        return source[tuple(slice(b, None if n == -1 else b + n) for b, n in zip(begins, sizes, strict=True))]
    starts = call.numbers(1) if call.given(1) else call.attribute("starts")
    stops = call.numbers(2) if call.given(2) else call.attribute("ends")
    axes = call.numbers(3) if call.given(3) else call.attribute("axes") or range(len(starts))
    steps = call.numbers(4) if call.given(4) else (1,) * len(starts)
    cut = [slice(None)] * source.ndim
    for start, stop, axis, step in zip(starts, stops, axes, steps, strict=True):
        backwards = step < 0 and stop < -(2**31)
        cut[axis] = slice(start, None if backwards else stop, step)
    return source[tuple(cut)]


def _gathered(call: _Call) -> Values:
    axis = call.attribute("axis", 0)
    if call.layer.operator == "GatherV2":
        axis = call.numbers(2)[0] if call.given(2) else 0
    source, indices = call.array(0), call.array(1)
    if not all(is_plain(i) for i in indices.reshape(-1)):
        raise NotCarried
    try:
        picked = np.take(source, indices.astype(np.int64), axis=axis)
    except (IndexError, ValueError):
        raise NotCarried from None
    return picked if isinstance(picked, np.ndarray) else _array([picked], ())


def _split(call: _Call) -> list[Values]:
    source, axis = call.array(0), call.attribute("axis", 0)
    sizes = [t.shape[axis] if t.shape else None for t in call.outputs]
    if not all(is_plain(n) for n in sizes) or sum(n or 0 for n in sizes) != source.shape[axis]:
        raise NotCarried
    return list(np.split(source, np.cumsum([n or 0 for n in sizes])[:-1], axis=axis))


def _spread(call: _Call) -> Values:
    try:
        return np.broadcast_to(call.array(0), call.shape)
    except ValueError:
        raise NotCarried from None


def _tiled(call: _Call) -> Values:
    return np.tile(call.array(0), call.numbers(1))


def _filled(call: _Call) -> Values:
    """ConstantOfShape: its attribute, 0 by default."""
    tensor = call.attribute("value")
    number = 0 if tensor is None else number_of(float(tensor.numpy().reshape(-1)[0]))
    if number is None:
        raise NotCarried
    return _array([number] * math.prod(call.shape), call.shape)


def _filled_with(call: _Call) -> Values:
    return _array([call.array(1).item()] * math.prod(call.shape), call.shape)


def _ranged(call: _Call) -> Values:
    numbers = range(*(call.numbers(i)[0] for i in range(3)))
    if len(numbers) > MAX_VALUES:
        raise NotCarried
    return _array(list(numbers), (len(numbers),))


def _accumulated(call: _Call) -> Values:
    source = call.array(0)
    if source.ndim != 1 or call.attribute("exclusive", 0) or call.attribute("reverse", 0):
        raise NotCarried
    found: list[Any] = []
    for item in source:
        found.append(item if not found else add(found[-1], item))
    return _array(found, source.shape)


def _transposed(call: _Call) -> Values:
    order = call.numbers(1) if call.layer.framework == "tf" else call.attribute("perm")
    return np.transpose(call.array(0), order)


def _many(names: str, rule: Callable[[_Call], Values | list[Values]]) -> dict[str, Callable[[_Call], Any]]:
    return dict.fromkeys(names.split(), rule)


_RULES: Mapping[str, Callable[[_Call], Any]] = {
    **_many("Add AddV2", _elementwise(add)),
    **_many("Sub", _elementwise(lambda a, b: add(a, negative(b)))),
    **_many("Mul", _elementwise(multiply)),
    **_many("Div RealDiv", lambda c: _each(lambda a, b: divided(a, b, c.floating), c.array(0), c.array(1))),
    **_many("TruncateDiv", lambda c: _each(lambda a, b: divided(a, b, False), c.array(0), c.array(1))),
    **_many("FloorDiv", _elementwise(floored_quotient)),
    **_many("FloorMod", _elementwise(floor_remainder)),
    **_many("Mod", _remainder),
    **_many("Max Maximum", _folded(largest)),
    **_many("Min Minimum", _folded(smallest)),
    **_many("Sum", lambda c: _reduced(add)(c) if c.layer.framework == "tf" else _folded(add)(c)),
    **_many("AddN", _folded(add)),
    **_many("Neg", _elementwise(negative)),
    **_many("Abs", _elementwise(absolute)),
    **_many("Sign", _elementwise(sign)),
    **_many("Floor", _elementwise(floored)),
    **_many("Ceil", _elementwise(rounded_up)),
    **_many("Pow", _elementwise(power)),
    **_many("Square", _elementwise(lambda a: multiply(a, a))),
    **_many("Cast CastLike", _cast),
    **_many("Equal", _compared(equal)),
    **_many("NotEqual", _compared(unequal)),
    **_many("Greater", _compared(lambda a, b: a > b)),
    **_many("GreaterOrEqual GreaterEqual", _compared(lambda a, b: a >= b)),
    **_many("Less", _compared(lambda a, b: a < b)),
    **_many("LessOrEqual LessEqual", _compared(lambda a, b: a <= b)),
    **_many("And LogicalAnd", _elementwise(lambda a, b: answer(all_of(truth(a), truth(b))))),
    **_many("Or LogicalOr", _elementwise(lambda a, b: answer(any_of(truth(a), truth(b))))),
    **_many("Not LogicalNot", _elementwise(lambda a: answer(negate(truth(a))))),
    **_many("Where SelectV2 Select", _elementwise(chosen)),
    **_many("ReduceProd Prod", _reduced(multiply)),
    **_many("ReduceSum", _reduced(add)),
    **_many("ReduceMax", _reduced(largest)),
    **_many("ReduceMin", _reduced(smallest)),
    **_many("Identity Reshape Squeeze Unsqueeze ExpandDims Flatten StopGradient Snapshot", _kept),
    **_many("Concat ConcatV2", _concatenated),
    **_many("Pack", _stacked),
    **_many("Unpack", _unstacked),
    **_many("Slice", _sliced),
    **_many("Gather GatherV2", _gathered),
    **_many("Split", lambda c: _split(c) if c.layer.framework == "onnx" else _not_followed()),
    **_many("Expand BroadcastTo", _spread),
    **_many("Tile", _tiled),
    **_many("ConstantOfShape", _filled),
    **_many("Fill", _filled_with),
    **_many("Range", _ranged),
    **_many("CumSum Cumsum", _accumulated),
    **_many("Transpose", _transposed),
}


def _not_followed() -> Any:
    raise NotCarried
