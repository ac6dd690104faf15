"""Identity of values and of types, and what an unknown value says to a constant."""

from __future__ import annotations

import builtins

from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.optional_packages import absent_package, whether_there
from analyzer.tracing.language.python_second_names import first_name
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.truths import Test, is_unread
from analyzer.tracing.language.values import Api, Class, Native, SetV, Unknown, Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.gradient_presence import whether_gradients
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly


def against_constant(tr: Tracer, subject: Unknown, operation: str, constant: Value, negated: bool) -> Value:
    """The test of an unknown value against a constant, one for each question: asked again it is the same."""
    if operation == "is" and subject.pytype in _never_is(constant):
        return negated
    key = (operation, constant, type(constant).__name__)
    test = subject.items.get(key)
    if not isinstance(test, Test):
        tr.touch(subject)
        test = subject.items[key] = Test(
            subject, operation, constant, f"{subject.label or 'value'} {operation} {constant!r}"
        )
    if not negated:
        return test
    opposite = Test(subject, operation, constant, f"{subject.label or 'value'} not {operation} {constant!r}")
    opposite.negated = True
    return opposite


def _names_type(name: str) -> bool:
    return name == "NoneType" or isinstance(vars(builtins).get(name), type)


def _never_is(constant: Value) -> tuple[str, ...]:
    """Types of which no value is None; of truths one is True, and so may any object be."""
    return ("int", "float", "str", "list", *(() if isinstance(constant, bool) else ("bool", "object")))


def same_type(left: Value, right: Value) -> bool | None:
    """Whether one of Python's types is another or a class; None where one is something else."""
    if not any(isinstance(v, Native) and _names_type(v.name) for v in (left, right)):
        return None
    if left is right:
        return True
    named = [v.name for v in (left, right) if isinstance(v, Native)]
    both = len({*named}) == 2 and all(map(_names_type, named))
    return False if both or isinstance(left, Class) or isinstance(right, Class) else None


def same_name(left: Value, right: Value) -> bool:
    """Whether two values are one; a framework has several names for one element type, and for one class of layers."""
    if not (isinstance(left, (Api, Native)) and isinstance(right, (Api, Native))):
        return left is right
    libraries = isinstance(left, Api) or isinstance(right, Api)
    if left is right or (libraries and first_name(left.name) == first_name(right.name)):
        return True
    if not (isinstance(left, Api) and isinstance(right, Api)):
        return False
    if all(v.name.startswith("torch.nn.") and _same_layer(left.name) == _same_layer(v.name) for v in (left, right)):
        return True
    homes = left.name.partition(".")[0] == right.name.partition(".")[0]
    return left == right or (homes and dtype_name(left) is not None and dtype_name(left) == dtype_name(right))


def is_any_value(value: Value) -> bool:
    """Whether it is a constant of a module of a library, which may equal anything: ``cv2.COLOR_BGR2RGB``.

    So is what Python says of a library's module or class: ``np.__name__``, ``np.ndarray.__module__``.
    """
    if isinstance(value, Api) and value.name.rpartition(".")[2].startswith("__"):
        return True
    if not isinstance(value, Api) or not (value.constant or _is_held_by_python(value.name)):
        return False
    return value.name.split(".")[-2].strip("_").islower() and dtype_name(value) is None


def _is_held_by_python(name: str) -> bool:
    """Whether it is part of an object that a module of Python's library holds: ``sys.__stdout__.encoding``."""
    home, _, last = name.rpartition(".")
    return home.startswith("sys.__std") and last.islower()


def _same_layer(name: str) -> str:
    """`torch.nn.Linear` of `torch.nn.modules.linear.Linear`."""
    last = name.rpartition(".")[2]
    return f"torch.nn.{last}" if name.startswith("torch.nn.modules.") and last[:1].isupper() else name


def identity(tr: Tracer, left: Value, right: Value, negated: bool) -> Value:
    """``left is right``, or ``is not`` where it is negated."""
    if isinstance(left, Unknown) and (right is None or isinstance(right, bool)):
        if right is None and (left.tensor is not None or left.term is not None):
            return negated
        return against_constant(tr, left, "is", right, negated)
    if right is None and (package := absent_package(left)) and not tr.frame.path.startswith(MARK):
        there = whether_there(tr, package)  # who asks can do without
        return against_constant(tr, there, "is", True, not negated) if isinstance(there, Unknown) else not negated
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return left is right if not negated and left is right else tr.unknown("a comparison", pytype="bool")
    if right is None and isinstance(left, Tensor) and "may be None" in left.tags and left.framework == "torch":
        return against_constant(tr, whether_gradients(tr), "is", True, not negated)
    if right is None and isinstance(left, Tensor) and "may be None" in left.tags:
        return tr.unknown("whether there is a gradient", pytype="bool")
    if right is None and isinstance(left, Poly) and any(tr.symbols.kind(s.name) in _MAYBE_NONE for s in left.symbols):
        return tr.unknown("whether a size is known", pytype="bool")
    if isinstance(left, Tensor) and isinstance(right, Tensor) and left is not right and left.memory is right.memory:
        return tr.unknown("whether they are one", pytype="bool")  # ``np.asarray(a) is a``
    if type(left) is type(right) and left is not right and _may_be_kept_once(left, right):
        return tr.unknown("whether they are one", pytype="bool")
    unread = left is not right and (is_unread(left) or is_unread(right))
    constants = is_any_value(left) and is_any_value(right) and not same_name(left, right)
    shared = _may_be_shared(left, right) or _may_be_shared(right, left)
    if unread or constants or shared or may_be_one(left, right):
        return tr.unknown("whether they are one", pytype="bool")
    same = same_name(left, right) or (isinstance(left, bool) and left == right and type(left) is type(right))
    return same is not negated


def may_be_one(left: Value, right: Value) -> bool:
    """Whether two names of libraries may stand for one object: many functions and errors have a second name."""
    if left == right or not all(isinstance(v, (Api, Native)) for v in (left, right)):
        return False
    if all(isinstance(v, Native) and v.name == REFERENCE for v in (left, right)):
        return True
    apis = [v for v in (left, right) if isinstance(v, Api)]
    if same_name(left, right) or all(dtype_name(v) is not None for v in (left, right)):
        return False
    functions = [v for v in apis if v.name.rpartition(".")[2].islower()]
    alike = len({v.name.rpartition(".")[2].lower() for v in (left, right)}) == 1
    return bool(functions) and (alike or not all(v.name.startswith(_DISTINCT) for v in apis))


_DISTINCT = ("torch.", "keras.")  # of these the second names are known


def _may_be_shared(value: Value, other: Value) -> bool:
    """Whether it is a number of NumPy that every expression gives as one object, as `other` may be.

    Those are its two truths, and the number that stands for all masked ones.
    """
    if isinstance(other, Api) and other.name == "numpy.ma.masked":
        return isinstance(value, Tensor)
    if not isinstance(value, Tensor) or value.framework != "numpy" or value.dims != () or value.dtype != "bool":
        return False
    truth = isinstance(other, Api) and other.name in ("numpy.True_", "numpy.False_")
    return truth or (isinstance(other, Tensor) and other.framework == "numpy" and other.dtype in ("bool", None))


def _may_be_kept_once(left: Value, right: Value) -> bool:
    """Whether two equal values that nothing changes may be one object: Python copies no tuple, text or frozen set."""
    if isinstance(left, (str, bytes, int, float, complex)):
        return not isinstance(left, bool) and bool(left == right)
    return isinstance(left, SetV) or (isinstance(left, tuple) and len(left) == len(right))


REFERENCE = "a reference"  # which Python makes once for each object
_MAYBE_NONE = ("batch", "lost", "asked")  # a size that Keras leaves open, and what this analysis took for one
