"""Whether a value is of a type: ``isinstance`` and ``issubclass``."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.builtins.protocols import PLAIN, protocol_of_plain, protocol_of_tensor
from analyzer.tracing.language.dictionary_objects import inherits_dictionary, inherits_list
from analyzer.tracing.language.known_types import CLASSES, DEVICE
from analyzer.tracing.language.metaclasses import metaclass_of
from analyzer.tracing.language.packed_sequences import is_packed
from analyzer.tracing.language.refusal_kinds import REFUSAL, is_kind_of, may_refuse_shapes
from analyzer.tracing.language.rows import FRAME, Rows
from analyzer.tracing.language.tensor_kinds import NEVER_TENSORS, names_packed, never_of_class
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.truths import Test, is_unread
from analyzer.tracing.language.type_unions import UNION
from analyzer.tracing.language.values import (
    METACLASS,
    REGISTERED,
    Api,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Native,
    Object,
    Partial,
    SetV,
    SliceV,
    TupleV,
    Unknown,
    Value,
)
from analyzer.tracing.operators.pictures import NAMES as PICTURES
from analyzer.tracing.operators.pictures import is_picture
from analyzer.tracing.operators.torch_second_names import is_of_class
from analyzer.validity.terms import Cond, Poly


def isinstance_(c: Call) -> Value:
    value, kind = c.get(0), c.get(1)
    kinds = list(_kinds(kind))
    answers = [is_a(value, k) for k in kinds]
    if any(a is True for a in answers):
        return True
    if all(a is False for a in answers):
        return False
    if isinstance(value, Unknown) and value.reason == REFUSAL:
        return may_refuse_shapes(getattr(k, "name", "") for k in kinds)
    if isinstance(value, Unknown):
        key = ("isinstance", repr(kinds))
        if key not in value.items:
            names = tuple(k.name for k in kinds if isinstance(k, Native) and k.name in _NARROWING)
            names = names if len(names) == len(kinds) else ()
            c.tr.touch(value)
            value.items[key] = Test(
                value, "isinstance", names if all(map(_leaves_none_out, kinds)) else None, f"isinstance({value.label})"
            )
        return value.items[key]
    return c.tr.unknown("a type test", pytype="bool")


def _leaves_none_out(kind: Value) -> bool:
    """Whether None is none of them: a class of the program, of arrays or layers, or one of Python's own."""
    if isinstance(kind, Native):
        return kind.name not in ("NoneType", "object")
    return isinstance(kind, Class) or (isinstance(kind, Api) and kind.name.startswith(_ARRAYS_AND_LAYERS))


_ARRAYS_AND_LAYERS = ("torch.", "tf.", "keras.", "numpy.")


def _kinds(kind: Value) -> Iterator[Value]:
    """The types of a tuple, which may be nested, and of a union."""
    if isinstance(kind, Object) and kind.kind == UNION:
        yield from kind.data["types"]
    elif isinstance(kind, tuple):
        for part in kind:
            yield from _kinds(part)
    elif isinstance(kind, Api) and kind.name in _STAND_FOR:
        yield CLASSES[_STAND_FOR[kind.name]]
    else:
        yield kind


def _is_any_object(value: Api) -> bool:
    """Whether a name of Python's library may be that of any object: ``sys.maxsize``, ``tempfile.tempdir``."""
    return value.name.partition(".")[0] in sys.stdlib_module_names and (value.constant or not is_class(value.name))


_STAND_FOR = {
    "six.string_types": "str", "six.text_type": "str", "six.integer_types": "int", "six.binary_type": "bytes",
    "past.builtins.basestring": "str", "types.NoneType": "NoneType",
}  # fmt: skip


_NARROWING = ("int", "float", "str", "bool", "list", "dict")


_PARAMETERS = ("torch.nn.Parameter", "torch.nn.parameter.Parameter")


_STATISTICS = ("running_mean", "running_var", "grad", "tensor")


_TENSORS = ("torch.Tensor", "tf.Tensor", "numpy.ndarray", "torch.FloatTensor", "keras.KerasTensor")


_NUMBERS_OF_NUMPY = frozenset(f"numpy.{n}" for n in (
    "generic", "number", "integer", "signedinteger", "unsignedinteger", "inexact", "floating", "complexfloating",
    "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
    "float64", "complex64", "complex128", "character", "str_", "bytes_",
))  # fmt: skip


_OPEN_TO_PLAIN = ("collections", "numbers", "numpy", "torch.Size", "tf.TensorShape")


_CLASSES_IN_LOWER_CASE = ("torch.device", "torch.dtype", "torch.layout")


_BASES = re.compile(
    r"torch\.nn\.(RNN\w*Base|Hardtanh|Upsample|Container|NLLLoss|ConstantPad\dd)"
)  # of other public layers


def _is_layer(name: str, kind: str) -> bool | None:
    """Whether a layer of PyTorch's public names is one of another class; None where that is not known here."""
    if kind in ("torch.nn.Module", "torch.nn.modules.module.Module") and name.startswith("torch.nn."):
        return is_class(name) and name.rpartition(".")[2] not in _TENSOR_CLASSES
    if name == "torch.Tensor":
        return False if kind.startswith("torch.nn.") else None
    public = all(n.startswith("torch.nn.") and n.count(".") == 2 for n in (name, kind))
    return False if public and not _BASES.fullmatch(kind) and "Lazy" not in name else None


_TENSOR_CLASSES = ("Parameter", "Buffer", "UninitializedParameter", "UninitializedBuffer")


_OF_FUNCTION_NAMES = re.compile(
    r"(torch\.(nn\.(functional|init|utils)|special|fft|linalg|Tensor)|keras\.(activations|ops)|tf\.(nn|math|linalg))"
)


_CLASSES_OF_TORCH = (
    "device", "dtype", "layout", "memory_format", "qscheme", "finfo", "iinfo", "no_grad", "enable_grad",
    "set_grad_enabled", "inference_mode", "autocast",
)  # fmt: skip


def is_class(name: str) -> bool | None:
    """Whether a library's name is that of a class, as it is written and by where it lives; None where neither tells."""
    home, _, last = name.rpartition(".")
    if last.lstrip("_")[:1].isupper():
        return True
    if home == "torch" and last not in _CLASSES_OF_TORCH:
        return False
    return False if _OF_FUNCTION_NAMES.fullmatch(home) else None


def is_a(value: Value, kind: Value) -> bool | None:
    if isinstance(value, Unknown) and value.pytype == "str" and getattr(kind, "name", "") == "type":
        return False
    if isinstance(kind, Unknown) or is_unread(value):
        return None
    if isinstance(value, Instance) and any(value.cls.find(name) for name in ("__class__", "__getattribute__")):
        return True if kind in value.cls.mro else None  # what it gives itself out to be counts too
    if isinstance(value, Unknown):
        return False if _never_of(value, kind) else None
    if isinstance(value, Api) and value.name.endswith(".__version__"):
        return None
    if isinstance(value, Object) and isinstance(kind, Api) and "classes" in value.data:
        return is_of_class(value.data["classes"], kind.name)
    if isinstance(value, Rows) and isinstance(kind, (Native, Api, Class)):
        named = kind.name in (value.kind, *(("pandas.core.frame.DataFrame",) if value.kind == FRAME else ()))
        return named or (None if kind.name.startswith(("collections", "typing", "pandas")) else False)
    if isinstance(value, Api) and isinstance(kind, (Native, Class)) and _is_any_object(value):
        return None
    if isinstance(kind, Native) and kind.name == "type" and isinstance(value, Api):
        return is_class(value.name)
    if is_picture(value) and isinstance(kind, Api) and (kind.name in PICTURES or kind.name in _TENSORS):
        return kind.name in PICTURES
    if isinstance(kind, Native):
        known = {
            "int": (int, Poly), "float": (float,), "str": (str,), "bool": (bool, Cond), "list": (ListV,),
            "tuple": (tuple, TupleV),
            "dict": (DictV,), "set": (SetV,), "type": (Class,), "slice": (SliceV,), "bytes": (bytes,),
            "NoneType": (type(None),), "range": (),
        }.get(kind.name)  # fmt: skip
        if known is None:
            return None
        if kind.name == "int" and isinstance(value, bool):
            return True
        if kind.name == "list" and isinstance(value, (SetV, TupleV)):
            return False
        if kind.name == "range":
            return False if value is None or isinstance(value, (*PLAIN, Tensor, Function, Class)) else None
        if isinstance(value, Tensor) and kind.name == "tuple":
            return is_packed(value)  # a packed sequence is a named tuple
        if isinstance(value, Tensor) and value.dims == () and kind.name in ("int", "float", "bool"):
            return False if _whole_in_array(value) else None
        return isinstance(value, known) if not isinstance(value, Instance) else _inherits(value, kind.name)
    if isinstance(kind, Class):
        if isinstance(value, Tensor):
            return False if never_of_class(kind) else None
        if isinstance(value, Instance):
            return True if kind in value.cls.mro else None if _takes_in(kind) else False
        return (
            (None if _takes_in(kind) else False)
            if isinstance(value, (int, float, str, bytes, tuple, ListV, DictV, Layer)) or value is None
            else False
            if (isinstance(value, (Function, Bound)) or _names_class(value)) and _takes_no_functions(kind)
            else None
        )
    if isinstance(kind, Api):
        plainly = _of_library(value, kind.name)
        if plainly is not None:
            return plainly
        if isinstance(value, Tensor):
            if names_packed(kind):
                return is_packed(value)
            if kind.name in _TENSORS and value.framework == "torch" and is_packed(value) is not False:
                return False if is_packed(value) else None
            if kind.name in _TENSORS:
                if value.framework == "numpy" and value.dims == () and kind.name == "numpy.ndarray":
                    return False if value.scalar else None  # sums and single elements are numbers, no arrays
                framework = "tf" if kind.name == "tf.Tensor" else "numpy" if kind.name.startswith("numpy") else "torch"
                return value.framework == framework if value.framework in ("torch", "numpy") else None
            if kind.name in _PARAMETERS and ("variable" in value.tags or value.framework == "unknown"):
                return None if value.sources or value.name in _STATISTICS else True
            if kind.name.startswith(("typing.", "collections.")):
                return protocol_of_tensor(value, kind.name)
            if kind.name in _NUMBERS_OF_NUMPY and (value.framework != "numpy" or value.dims):
                return False  # an array is none of them, a number of NumPy is
            return False if kind.name.startswith(NEVER_TENSORS) else None
        if isinstance(value, Layer):
            return True if value.name == kind.name else _is_layer(value.name, kind.name)
        if value is None or isinstance(value, (int, float, str, bytes, bool, ListV, DictV, tuple)):
            return False if _refuses_plain_values(kind.name) else None
        if isinstance(value, Instance):
            plain = value.cls.closed and not value.cls.library_bases and kind.name in _TENSORS
            return True if kind.name in value.cls.library_bases else False if plain else None
    return None


def _never_of(value: Unknown, kind: Value) -> bool:
    """Whether a value of which only the type is known is of no such class of the source: none inherits from devices."""
    if isinstance(kind, Native) and value.kind in _OF_NO_BUILTIN:
        return kind.name in _BUILTIN_KINDS
    if not isinstance(kind, Class) or not kind.closed:
        return False
    return value.kind == DEVICE or (value.pytype in _EXACT and f"builtins.{value.pytype}" not in kind.library_bases)


_EXACT = ("int", "float", "str", "bool")
_OF_NO_BUILTIN = frozenset((DEVICE, "pathlib.Path", "re.Match", "re.Pattern", "pywt.Wavelet"))  # nor inherit from one
_BUILTIN_KINDS = frozenset((
    "int", "float", "str", "bool", "list", "tuple", "dict", "set", "frozenset", "bytes", "complex", "slice", "range",
    "type", "NoneType",
))  # fmt: skip


def _refuses_plain_values(kind: str) -> bool:
    """Whether a name of a library is that of a class to which no value of Python's own types belongs.

    One that is not written as a class may be a tuple of them, ``six.string_types``, and may hold `str`.
    """
    if kind.startswith(_OPEN_TO_PLAIN) or ".types." in kind or "typing" in kind:
        return False
    name = kind.rpartition(".")[2]
    return kind in _CLASSES_IN_LOWER_CASE or (name.lstrip("_")[:1].isupper() and not name.isupper())


def _names_class(value: Value) -> bool:
    """Whether it is a class itself, and no object of one."""
    return isinstance(value, Class) or (isinstance(value, Api) and is_class(value.name) is True and not value.constant)


def _takes_no_functions(kind: Class) -> bool:
    """Whether no function or class can be of the class: nothing in it answers for itself who is of it, as protocols do.

    Classes are objects of `type` and of what inherits from it.
    """
    if any(isinstance(b, Native) or getattr(b, "name", "") == "builtins.type" for b in kind.mro):
        return False
    plain = all(b.startswith(("torch.", "collections.OrderedDict", "builtins.")) for b in kind.library_bases)
    return (
        kind.closed
        and plain
        and not _takes_in(kind)
        and not any(b.node.keywords for b in kind.mro if isinstance(b, Class))
    )


def _whole_in_array(value: Tensor) -> bool:
    """Whether it is a whole number or truth of NumPy: none of its types inherits from one of Python's."""
    return value.framework == "numpy" and (value.dtype or "").startswith(("int", "uint", "bool"))


def _inherits(value: Instance, kind: str) -> bool | None:
    """Whether an object of a class is of a builtin type."""
    if kind == "dict" and inherits_dictionary(value):
        return True
    if kind == "list" and inherits_list(value):
        return True
    if kind == "tuple" and value.cls.tuple:
        return True
    plain = value.cls.closed and set(value.cls.library_bases) <= {
        *MODULES,
        "collections.OrderedDict",
        "builtins.dict",
        "builtins.list",
    }
    return False if plain else None


_OF_FUNCTIONS = ("types.FunctionType", "types.LambdaType", "types.MethodType")


_TOWER = ("Integral", "Rational", "Real", "Complex", "Number")


def _of_tower(value: Value, kind: str) -> bool | None:
    """Whether a value is one of the numbers of `numbers`, as Python registers its own types there."""
    if kind not in _TOWER or isinstance(value, Tensor):
        known = isinstance(value, Tensor) and (value.framework == "torch" or bool(value.dims))
        return False if known and kind in _TOWER else None
    if isinstance(value, (int, Poly, Cond)):
        return True
    if isinstance(value, float):
        return kind in ("Real", "Complex", "Number")
    return False if value is None or isinstance(value, (str, bytes, tuple, TupleV, ListV, DictV, SetV)) else None


_ITERABLE = (str, bytes, tuple, ListV, DictV, Iterator_)


MODULES = ("torch.nn.Module", "torch.nn.modules.module.Module")


def _of_library(value: Value, kind: str) -> bool | None:
    """Whether a value is of one of the library's kinds that say it plainly."""
    if kind == "functools.partial":
        return isinstance(value, Partial)
    if kind.startswith("numbers."):
        return _of_tower(value, kind.rpartition(".")[2])
    if kind in _OF_FUNCTIONS:  # no class inherits from them
        if value is None or isinstance(value, (*PLAIN, Tensor, Layer, Instance, Class)):
            return False
        return True if isinstance(value, Function) and not value.decorated and "Method" not in kind else None
    if kind == "numpy.ndarray" and (value is None or isinstance(value, PLAIN)):
        return False
    if kind in ("collections.abc.Iterable", "typing.Iterable", "collections.abc.Sequence", "typing.Sequence"):
        if value is None or isinstance(value, (bool, int, float, Poly, Function, Class)):
            return False
        iterable = _ITERABLE if kind.endswith("Iterable") else (str, bytes, tuple, ListV)
        return True if isinstance(value, iterable) and not isinstance(value, SetV) else None
    if kind.rpartition(".")[0] in ("collections.abc", "typing"):
        told = protocol_of_plain(value, kind.rpartition(".")[2])
        if told is not None:
            return told
    if kind in ("collections.abc.Callable", "typing.Callable"):
        return True if isinstance(value, (Function, Class, Partial, Native, Bound, Layer)) else None
    if kind in MODULES and isinstance(value, Layer):
        return value.name.startswith("torch.nn.")
    if not kind.startswith("torch.nn.") or kind.rpartition(".")[2].startswith("_"):
        return None
    if isinstance(value, Layer) and value.name == kind.replace("torch.nn.", "torch.nn.Lazy"):
        return True
    if isinstance(value, Layer) and value.name != kind and kind not in MODULES:
        return None if _may_derive(value.name, kind) else False
    if isinstance(value, Instance) and value.cls.closed and set(value.cls.library_bases) <= set(MODULES):
        return kind in MODULES and bool(value.cls.library_bases)
    return None


def _may_derive(name: str, kind: str) -> bool:
    """Whether a class of torch's layers may inherit from another: lazy ones do, and some that only fix arguments."""
    own, base = name.rpartition(".")[2], kind.rpartition(".")[2]
    return "Lazy" in own or "Norm" in own or "Upsampl" in own or base in ("Hardtanh", "RNNBase") or base in own


def _takes_in(kind: Class) -> bool:
    """Whether a class may say itself what is one of its objects, or other classes were registered for it."""
    own = kind.find("__subclasshook__") or kind.find("__instancecheck__")
    of_kind = metaclass_of(kind)
    if of_kind is not None and (of_kind.find("__instancecheck__") or of_kind.find("__subclasscheck__")):
        return True
    if any(ast.unparse(base).partition("[")[0].rpartition(".")[2] == "Protocol" for base in kind.node.bases):
        return True  # every class that has what it asks for
    return bool(own) or any(isinstance(b, Unknown) and b.reason in (METACLASS, REGISTERED) for b in kind.mro)


# homes of classes that ask what a class has, or that others are registered for
_ABSTRACT = ("collections.abc.", "typing.", "numbers.", "contextlib.Abstract", "os.PathLike", "io.", "importlib.")


def issubclass_(c: Call) -> Value:
    cls, kinds = c.get(0), c.get(1)
    if isinstance(cls, Class):
        answers = [True if k in cls.mro else None if not isinstance(k, (Class, Api)) or not cls.closed
                   or (isinstance(k, Class) and _takes_in(k))
                   or (isinstance(k, Api) and (cls.library_bases or k.name.startswith(_ABSTRACT))) else False
                   for k in (kinds if isinstance(kinds, tuple) else (kinds,))]  # fmt: skip
        if any(answers):
            return True
        if None not in answers:
            return False
    names = [getattr(k, "name", "") for k in _kinds(kinds)]
    if isinstance(cls, Unknown) and cls.reason == REFUSAL:
        return may_refuse_shapes(names)
    if isinstance(cls, Api) and (known := is_kind_of(cls.name, names)) is not None:
        return known
    if isinstance(cls, Api) and isinstance(kinds, Api) and (told := _is_layer(cls.name, kinds.name)) is not None:
        return told or cls.name == kinds.name
    return c.tr.unknown("a test", "imprecise", pytype="bool")
