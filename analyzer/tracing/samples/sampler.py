"""Made-up elements of tensors: with them a run takes every branch and every size that values decide as a run does.

Nothing that such a run shows is proved: other numbers may lead elsewhere. Where the elements of a tensor are known
(`arange`, a mask compared from it) they are what the program has; where they are drawn at random or come from what this
analysis does not compute, they are drawn here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from analyzer.tracing.language.plain_data import NotPlain, as_value
from analyzer.tracing.language.tensors import COMPUTED, DRAWN, ESTIMATED, INVENTED, Tensor
from analyzer.tracing.language.values import Api, ListV, Native, SliceV, Unknown, Value
from analyzer.tracing.operators.element_types import OBJECTS, dtype_name
from analyzer.tracing.operators.element_values import are_truths
from analyzer.tracing.samples import numpy_functions, torch_choices, torch_creation, torch_functions, torch_shapes
from analyzer.tracing.samples.arrays import chosen, memory_of, places_of, quiet, write
from analyzer.tracing.samples.chance import Chance
from analyzer.tracing.samples.cost import MOST_ELEMENTS, affordable
from analyzer.tracing.samples.exactness import of_whole_numbers
from analyzer.tracing.samples.kinds import holds_floats, holds_tensors, is_device, is_sized, is_whole
from analyzer.tracing.samples.torch_layers import function_of_layer

MOST_WORK = 1 << 25  # elements that all arrays of a run have together: about a second of one core
_ASIDE = frozenset(("device", "requires_grad", "memory_format", "non_blocking", "layout", "pin_memory", "generator"))
_EXACT = frozenset(name for family in (torch_choices, torch_creation, torch_shapes) for name in family.FUNCTIONS)
_PLACES = frozenset((
    "argmax", "argmin", "argsort", "argwhere", "bucketize", "digitize", "kthvalue", "max", "median", "min",
    "multinomial", "nonzero", "searchsorted", "sort", "topk",
))  # fmt: skip
_TYPES = {"bfloat16": "float32", "string": "object"}


_SIGNS: dict[tuple[str, int], Callable[..., Any]] = {
    ("+", 2): np.add, ("-", 2): np.subtract, ("*", 2): np.multiply, ("/", 2): np.true_divide,
    ("//", 2): np.floor_divide, ("%", 2): np.mod, ("**", 2): np.power, ("@", 2): np.matmul, ("==", 2): np.equal,
    ("!=", 2): np.not_equal, ("<", 2): np.less, ("<=", 2): np.less_equal, (">", 2): np.greater,
    (">=", 2): np.greater_equal, ("&", 2): np.bitwise_and, ("|", 2): np.bitwise_or, ("^", 2): np.bitwise_xor,
    ("-", 1): np.negative, ("~", 1): np.invert, ("abs", 1): np.abs,
}  # fmt: skip


_WRITING: dict[str, Callable[..., Any]] = {
    "fill": np.full_like,
    "zero": np.zeros_like,
    "copy": lambda own, other: np.broadcast_to(other, own.shape),
}


class NotComputed(Exception):
    """A value has no elements that are known here."""


class Sampler:
    """The elements of the tensors of one run."""

    def __init__(self) -> None:
        self._chance = Chance()
        self._work = 0
        self.rests_on = COMPUTED  # the least meaning that a branch or a size so far rests on
        self._meaning = COMPUTED  # and what is computed now
        self._framework = "torch"  # of what is computed now
        self._placing = False  # whether it gives places in what it is given
        self._spoiled: dict[int, Any] = {}  # memory into which something unknown was written
        self.counted: set[str] = set()  # symbols of sizes that were computed after all
        self.asked = 0  # numbers that the program asked for and that are not computed as it does

    # ------------------------------------------------------------------ from values to arrays

    def of(self, tensor: Tensor) -> Any:
        """The elements of a tensor; drawn, and the same from then on, where nothing is known of them."""
        if tensor.array is not None and id(memory_of(tensor.array)) not in self._spoiled:
            self._meaning = max(self._meaning, tensor.meaning)
            return tensor.array
        dims = tensor.dims
        if dims is None or not is_sized(tensor):
            raise NotComputed
        if is_whole(tensor.value):
            tensor.array = np.array(tensor.value, np.int64).reshape(dims)
            return tensor.array
        if are_truths(tensor.value):
            tensor.array = np.array(tensor.value, np.bool_).reshape(dims)
            return tensor.array
        if tensor.dtype == OBJECTS:
            raise NotComputed
        self._spend(math.prod(dims))
        tensor.array = self._chance.elements(tensor.dtype or "float32", dims)
        tensor.meaning = INVENTED if tensor.array.dtype.kind in "ib" else DRAWN
        self._meaning = max(self._meaning, tensor.meaning)
        return tensor.array

    def _spend(self, elements: int) -> None:
        self._work += elements
        if elements > MOST_ELEMENTS or self._work > MOST_WORK:
            raise NotComputed

    def data(self, value: Value) -> Any:
        """A value as NumPy's functions take it. Raises NotComputed."""
        if isinstance(value, Tensor):
            return self.of(value)
        if isinstance(value, Unknown) and value.value is not None:
            value = value.value[0]
        if value is None or value is Ellipsis or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, ListV) and not value.open:
            return [self.data(v) for v in value.items]
        if isinstance(value, tuple):
            return tuple(self.data(v) for v in value)
        if isinstance(value, SliceV):
            return slice(*(self._number(v) for v in (value.start, value.stop, value.step)))
        if isinstance(value, (Api, Native)) and (kind := dtype_name(value)) is not None:
            return np.dtype(_TYPES.get(kind, kind))
        raise NotComputed

    def _number(self, value: Value) -> Any:
        found = self.data(value)
        if isinstance(found, np.ndarray):
            self.rests_on = max(self.rests_on, value.meaning if isinstance(value, Tensor) else COMPUTED)
            return found.reshape(()).item()
        return found

    def _single(self, value: Value) -> np.ndarray | None:
        """The one element of a tensor, whose meaning is kept; None where it is not computed, or there are others."""
        if not isinstance(value, Tensor) or value.graph:
            return None
        self._meaning = COMPUTED
        try:
            found = self.of(value)
        except NotComputed:
            return None
        return found if found.size == 1 else None

    def scalar(self, value: Value) -> Any:
        """The number or truth that a tensor of one element holds; None where it is not computed."""
        found = self._single(value)
        if found is None:
            return None
        self.rests_on = max(self.rests_on, self._meaning)
        self.asked += self._meaning > COMPUTED
        return found.reshape(()).item()

    def exact_truth(self, value: Value) -> bool | None:
        """The truth that a tensor of one element has whatever numbers are made up; None where it rests on those."""
        found = self._single(value)
        return bool(found) if found is not None and self._meaning == COMPUTED else None

    def extent(self, tensor: Tensor, ignored: Value = None) -> tuple[int, int] | None:
        """The least and the largest of integers that have a meaning; None where none are known."""
        self._meaning = COMPUTED
        try:
            found = self.of(tensor)
        except NotComputed:
            return None
        if self._meaning >= DRAWN or found.dtype.kind not in "iu":
            return None
        if isinstance(ignored, int):
            found = found[found != ignored]
        return (int(found.min()), int(found.max())) if found.size else None

    def listed(self, value: Tensor) -> Any:
        """What `tolist` gives; None where it is not computed."""
        self._meaning = COMPUTED
        try:
            found = as_value(self.of(value).tolist())
        except (NotComputed, NotPlain):
            return None
        self.rests_on = max(self.rests_on, self._meaning)
        return found

    # ------------------------------------------------------------------ from arrays to values

    def computed(
        self,
        name: str,
        function: Callable[..., Any] | None,
        args: Sequence[Value],
        kwargs: Mapping[str, Value],
        result: Value,
        exactly: bool = False,
    ) -> Value:
        """`result`, what the rules know of a call, with the elements that `function`, of this name, computes.

        `exactly`: to the last bit; arithmetic of floats is near to the program's, of small whole ones the same.
        """
        if function is None or not holds_tensors(result):
            return result
        self._meaning = COMPUTED
        try:
            given = [self.data(a) for a in args if not is_device(a)]
            named = {k: self.data(v) for k, v in kwargs.items() if k not in _ASIDE}
            if not affordable(name, given, named, result):
                return result
            with quiet():
                found = function(*given, **named)
            self._placing = name in _PLACES and bool(given) and holds_floats(given[0])
            if not exactly and holds_floats(found) and not of_whole_numbers(name, given, found):
                self._meaning = max(self._meaning, ESTIMATED)
            return self.attached(result, found)
        except NotComputed:
            return result
        except Exception:  # a call that the function does not foresee, or one that fails: the rules know better
            return result

    def attached(self, result: Value, found: Any) -> Value:
        """The elements given to the tensors of a result, whose unknown sizes become theirs."""
        if isinstance(result, Tensor):
            array = np.asarray(found)
            if array.dtype.kind not in "biuf" or array.size > MOST_ELEMENTS:
                return result
            self._spend(array.size)
            if result.dims is None or any(not isinstance(d, int) for d in result.dims):
                open_ones = [d for d in result.dims or () if not isinstance(d, int)]
                self.counted.update(symbol.name for size in open_ones for symbol in size.symbols)
                result.shape.dims = tuple(map(int, array.shape))
                self.rests_on = max(self.rests_on, self._meaning)
            if result.dims == array.shape:
                bounded = array.dtype.kind == "b" or (array.dtype.kind in "iu" and self._placing)
                known = self._meaning != DRAWN or not bounded  # places and truths have the range of any
                result.array, result.meaning = array, self._meaning if known else ESTIMATED
            return result
        if isinstance(result, tuple) and isinstance(found, (tuple, list)) and len(found) == len(result):
            for part, array in zip(result, found, strict=True):
                self.attached(part, array)
        elif isinstance(result, ListV) and isinstance(found, (tuple, list)) and len(found) == len(result.items):
            for part, array in zip(result.items, found, strict=True):
                self.attached(part, array)
        elif isinstance(result, Unknown):
            return self._made(result, found)
        return result

    def _made(self, otherwise: Value, found: Any) -> Value:
        """What was computed where the rules know nothing of the result."""
        if isinstance(found, bool):
            self.rests_on = max(self.rests_on, self._meaning)
            self.asked += self._meaning > COMPUTED
            return found
        if isinstance(found, (tuple, list)):
            return tuple(self._made(otherwise, part) for part in found)
        if isinstance(found, (np.ndarray, np.generic)) and found.dtype.kind in "biuf":
            self.rests_on = max(self.rests_on, self._meaning)
            return self.attached(Tensor(tuple(map(int, found.shape)), str(found.dtype), self._framework), found)
        return otherwise

    # ------------------------------------------------------------------ calls

    def call(self, name: str, args: Sequence[Value], kwargs: Mapping[str, Value], result: Value) -> Value:
        """A function of a library by its full name."""
        home, _, short = name.rpartition(".")
        if home == "math" and short in vars(math):
            return _number_of(lambda: getattr(math, short)(*map(self._number, args)), result)
        if home == "random":
            return self._of_python(short, args, kwargs, result)
        self._framework = "numpy" if home.startswith("numpy") else "torch"
        if home == "numpy.random":
            drawing = self._chance.of_numpy(short)
            return result if drawing is None else self._drawn(drawing, short, args, kwargs, result)
        if home == "numpy":
            return self.computed(short, numpy_functions.FUNCTIONS.get(short), args, kwargs, result)
        if home.startswith("torch"):
            drawing = self._chance.of_torch(short, result)
            if drawing is not None and isinstance(result, Tensor):
                given = args if short.startswith("rand") and not short.endswith("_like") else ()
                return self._drawn(drawing, short, given, kwargs, result)
            return self.computed(short, torch_functions.FUNCTIONS.get(short), args, kwargs, result, short in _EXACT)
        return result

    def method(
        self, owner: Tensor, name: str, args: Sequence[Value], kwargs: Mapping[str, Value], result: Value, trying: bool
    ) -> Value:
        """A method of a tensor. One that writes into it changes its elements, unless `trying`."""
        if owner.framework not in ("torch", "numpy") or owner.graph:
            return result
        self._framework = owner.framework
        if name == "item":
            found = self.scalar(owner)
            return result if found is None else found
        if name == "tolist":
            found = self.listed(owner)
            return result if found is None else found
        if name.endswith("_") and not name.endswith("__"):
            return self._written(owner, name[:-1], args, kwargs, result, trying)
        if owner.framework == "numpy":
            if name not in numpy_functions.METHODS:
                return result
            return self.computed(name, lambda own, *a, **k: getattr(own, name)(*a, **k), (owner, *args), kwargs, result)
        return self.computed(name, torch_functions.FUNCTIONS.get(name), (owner, *args), kwargs, result, name in _EXACT)

    def layer(self, name: str, settings: Mapping[str, Value], args: Sequence[Value], result: Value) -> Value:
        """The call of a layer; one without weights is a function of the elements."""
        found = function_of_layer(name, settings)
        if found is None or len(args) != 1 or result is args[0] or not isinstance(result, Tensor):
            return result
        return self.computed(found[0], found[1], args, found[2], result)

    def _written(
        self, owner: Tensor, name: str, args: Sequence[Value], kwargs: Mapping[str, Value], result: Value, trying: bool
    ) -> Value:
        if trying or owner.array is None:
            return result
        function = _WRITING.get(name)
        before, made = self._memory_of(owner), Tensor(owner.shape, owner.dtype)
        self.computed(name, function or torch_functions.FUNCTIONS.get(name), (owner, *args), kwargs, made)
        if not write(before, Ellipsis, made.array):
            self.spoil(owner)
        if made.array is None or made.array.shape != before.shape:
            owner.array = made.array
        elif isinstance(result, Tensor) and result is not owner:
            result.array = before
        owner.meaning = max(owner.meaning, made.meaning)
        return result

    def assign(self, owner: Tensor, index: Value, value: Value, trying: bool) -> None:
        """`owner[index] = value`."""
        if owner.array is None or trying:
            return
        try:
            self._meaning = owner.meaning
            place, given = self.data(index), self.data(value)
            owner.meaning = self._meaning
            if not write(owner.array, places_of(place), given):
                self.spoil(owner)
        except NotComputed:
            self.spoil(owner)

    def spoil(self, tensor: Tensor) -> None:
        """Something that is not known was written into it: its elements, and those of its views, are unknown."""
        if tensor.array is not None:
            root = memory_of(tensor.array)
            self._spoiled[id(root)] = root
            tensor.array = None

    def _memory_of(self, tensor: Tensor) -> Any:
        """Its elements, if they are those of now."""
        spoiled = tensor.array is not None and id(memory_of(tensor.array)) in self._spoiled
        return self.of(tensor) if spoiled else tensor.array

    def operated(self, sign: str, args: Sequence[Value], result: Value) -> Value:
        """Python's operators."""
        if any(isinstance(a, Tensor) and (a.graph or a.framework not in ("torch", "numpy")) for a in args):
            return result
        return self.computed(sign, _SIGNS.get((sign, len(args))), args, {}, result)

    def indexed(self, owner: Tensor, index: Value, result: Value) -> Value:
        """`owner[index]`."""
        if owner.framework not in ("torch", "numpy") or owner.graph:
            return result
        return self.computed("[]", chosen, (owner, index), {}, result, exactly=True)

    def in_place(self, target: Tensor, result: Tensor) -> None:
        """`target += …` writes into the array that other names may stand for."""
        known = target.array is not None and result.array is not None and target.array.shape == result.array.shape
        if known and write(target.array, Ellipsis, result.array):
            result.array = target.array
        elif target.array is not result.array:
            self.spoil(target)

    def write_result(self, target: Tensor, result: Tensor) -> None:
        """``out=target``: torch keeps the memory where the result fits into it, and takes new one where it does not."""
        if target.array is None or result.array is None or target.array.shape == result.array.shape:
            self.in_place(target, result)
            return
        made = result.array.astype(target.array.dtype)
        if target.array.flags.c_contiguous and target.array.size >= made.size:
            place = target.array.reshape(-1)[: made.size].reshape(made.shape)
            target.array = place if write(place, Ellipsis, made) else made
        else:
            target.array = made
        result.array = target.array

    # ------------------------------------------------------------------ chance

    def _drawn(
        self, function: Callable[..., Any], name: str, args: Sequence[Value], kwargs: Mapping[str, Value], result: Value
    ) -> Value:
        """What is drawn at random: other numbers in each run of the program."""

        def draw(*given: Any, **named: Any) -> Any:
            self._meaning = max(self._meaning, ESTIMATED)
            return function(*given, **named)

        kwargs = {k: v for k, v in kwargs.items() if k != "dtype" or dtype_name(v) is not None}  # others keep the range
        if name == "integers" and isinstance(result, Unknown):
            result = Tensor((), "int64", "numpy")  # no number of Python's
        if not isinstance(result, Unknown):
            return self.computed(name, draw, args, kwargs, result)
        self.rests_on = max(self.rests_on, ESTIMATED)
        return _number_of(lambda: draw(*map(self.data, args), **{k: self.data(v) for k, v in kwargs.items()}), result)

    def _of_python(self, name: str, args: Sequence[Value], kwargs: Mapping[str, Value], result: Value) -> Value:
        self.rests_on = max(self.rests_on, ESTIMATED)
        if (function := self._chance.number(name)) is not None:
            return _number_of(lambda: function(*map(self.data, args)), result)
        first = args[0] if args else None
        items = list(first.items) if isinstance(first, ListV) and not first.open else first
        if not isinstance(items, (list, tuple)):
            return result
        found = self._chance.chosen(name, items, args[1] if len(args) > 1 else kwargs.get("k"))
        return result if found is None else found

    def shuffled(self, tensor: Tensor) -> bool:
        """Whether its elements were put into another order, along its first axis."""
        try:
            elements = self.of(tensor)
        except NotComputed:
            return False
        if not elements.flags.writeable:
            return False
        self._chance.shuffle(elements)
        tensor.meaning = max(tensor.meaning, ESTIMATED)
        return True

    def shuffle(self, items: list[Value]) -> None:
        """Another order of a list's elements, in place."""
        self.rests_on = max(self.rests_on, ESTIMATED)
        self._chance.shuffle(items)


def _number_of(function: Callable[[], Any], otherwise: Value) -> Value:
    try:
        found = function()
    except Exception:  # an unknown argument, or one that Python refuses
        return otherwise
    found = found.item() if isinstance(found, np.generic) else found
    return found if isinstance(found, (bool, int, float)) else otherwise
