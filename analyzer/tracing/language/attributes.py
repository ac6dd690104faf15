"""Attributes of every kind of value but objects and classes, see `object_attributes`."""

from __future__ import annotations

import ast
import builtins
from dataclasses import replace
from typing import Any

from analyzer.tracing.imports.lazy_modules import LazyScope, provide
from analyzer.tracing.imports.module_hooks import from_hook
from analyzer.tracing.imports.modules import api_attribute, api_of, home_of, provided, submodule
from analyzer.tracing.language.attribute_hooks import READER
from analyzer.tracing.language.code_objects import code_of
from analyzer.tracing.language.evaluation import ATTRIBUTES, call, get_attribute
from analyzer.tracing.language.generic_functions import registration
from analyzer.tracing.language.known_types import attribute_of, class_of
from analyzer.tracing.language.metaclasses import plain_call
from analyzer.tracing.language.namespaces import ScopeNames
from analyzer.tracing.language.object_attributes import read_by_base
from analyzer.tracing.language.qualified_names import qualified_name
from analyzer.tracing.language.setting_attributes import set_attribute
from analyzer.tracing.language.signatures import refuse
from analyzer.tracing.language.tensors import OpenSize, Size, Tensor
from analyzer.tracing.language.values import (
    COMPLETE,
    Api,
    Bound,
    Class,
    DefaultDict,
    DequeV,
    DictV,
    Fields,
    Function,
    Instance,
    Iterator_,
    Layer,
    ListV,
    Module,
    Native,
    Object,
    Partial,
    SliceV,
    Unknown,
    Value,
)
from analyzer.tracing.operators import layer_attribute, tensor_attribute
from analyzer.tracing.operators.keras_models import model_attribute
from analyzer.tracing.operators.registered_tensors import registered_tensors
from analyzer.tracing.operators.torch_hook_rules import table_of_hooks
from analyzer.tracing.paths.problems import PyRaise
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.used_as_tensors import is_used_as_array
from analyzer.validity.terms import Poly

ATTRIBUTES.of(Api)(api_attribute)


@ATTRIBUTES.of(Module)
def _of_module(tr: Tracer, value: Module, name: str, node: ast.AST | None) -> Value:
    ruled = api_of(value, name)
    if ruled is not None:
        return ruled
    if name == "__dict__":
        return names_of_module(tr, value)
    if provided(tr, value, name):
        return value.scope.names[name]
    found = from_hook(tr, value, name)
    return submodule(tr, value, name, node) if found is None else found[0]


def names_of_module(tr: Tracer, module: Module) -> DictV:
    """`vars(module)`: all that its top level binds; more where it takes over the names of others."""
    scope = module.scope
    if isinstance(scope, LazyScope):
        for name in scope.binding:
            provide(tr, scope, name)
        return DictV(scope.names, bool(scope.stars))
    return ScopeNames(scope, not module.complete)


@ATTRIBUTES.of(Tensor)
def _of_tensor(tr: Tracer, value: Tensor, name: str, node: ast.AST | None) -> Value:
    own = tr.shared.set_on_libraries.items.get(f"torch.Tensor.{name}") if value.framework == "torch" else None
    if own is not None:
        return Bound(value, own[0]) if isinstance(own[0], Function) else tr.unknown(f"attribute {name}", "foreign")
    return class_of(value) if name == "__class__" else tensor_attribute(tr, value, name, node)


@ATTRIBUTES.of(Layer)
def _of_layer(tr: Tracer, value: Layer, name: str, node: ast.AST | None) -> Value:
    if name in ("_parameters", "_buffers") and value.name.startswith("torch."):
        return registered_tensors(tr, value, name)
    if (hooks := table_of_hooks(tr, value, name)) is not None:
        return hooks
    if name == "__dict__":
        tr.forget([value])  # what is written into it is not followed
    return class_of(value) if name == "__class__" else layer_attribute(tr, value, name)


@ATTRIBUTES.of(Object)
def _of_object(tr: Tracer, value: Object, name: str, node: ast.AST | None) -> Value:
    if name in value.attrs:
        return value.attrs[name]
    if name == "__class__":
        return class_of(value)
    if name == "__dict__" and value.data.get(COMPLETE):
        tr.touch(value)
        value.data[COMPLETE] = False  # what is written through it is not seen
    if value.data.get(COMPLETE) and not hasattr(object, name):
        raise PyRaise("AttributeError", f"the object has no attribute {name!r}")
    known = model_attribute(value, name) if value.kind in ("model", "sequential") else None
    return Bound(value, name) if known is None else known


def _forget_results(tr: Tracer, function: Function) -> None:
    """What a function that remembers has given is computed anew."""
    tr.touch(tr.results)
    tr.results.items = {key: v for key, v in tr.results.items.items() if key[0] is not function}


@ATTRIBUTES.of(Function)
def _of_function(tr: Tracer, value: Function, name: str, node: ast.AST | None) -> Value:
    if value.imitates is not None and name in ("__name__", "__qualname__", "__module__", "__doc__", "__wrapped__"):
        if (own := f"attribute {name}") in value.options:
            return value.options[own]
        return value.imitates if name == "__wrapped__" else get_attribute(tr, value.imitates, name)
    if name in ("__name__", "__qualname__"):
        told = value.name if name == "__name__" else qualified_name(tr, value)
        return value.options.get(f"attribute {name}", told)
    if name == "__module__":
        return home_of(value)
    if value.versions is not None and name in ("register", "dispatch", "registry"):
        return registration(value) if name == "register" else tr.unknown(f"attribute {name}")
    if value.remembers and name == "cache_clear":
        return Native(name, lambda c: _forget_results(c.tr, value))
    if name == "__code__":
        return code_of(value)
    if name == "__dict__":
        if "attribute __dict__" in value.options:
            return value.options["attribute __dict__"]
        marks = {k.partition(" ")[2]: v for k, v in value.options.items() if k.startswith("attribute ")}
        return DictV({k: v for k, v in marks.items() if not k.startswith("__")}, True)
    if name in ("__defaults__", "__kwdefaults__") and not (value.decorated or value.wrapped or value.imitates):
        if name == "__defaults__":
            return value.defaults or None
        return DictV(value.kw_defaults) if value.kw_defaults else None
    if value.kind == "property" and name in ("fget", "fset"):
        return replace(value, kind="") if name == "fget" else value.setter
    if name == "__isabstractmethod__" and _is_abstract(value):
        return True
    if name == "__doc__" and "attribute __doc__" not in value.options:
        return None if isinstance(value.node, ast.Lambda) else ast.get_docstring(value.node)
    return value.options.get(f"attribute {name}", tr.unknown(f"attribute {name}"))


@ATTRIBUTES.of(Partial)
def _of_partial(tr: Tracer, value: Partial, name: str, node: ast.AST | None) -> Value:
    return {"func": value.function, "args": value.args}.get(name, tr.unknown(f"attribute {name}"))


@ATTRIBUTES.of(type(None))
def _of_none(tr: Tracer, value: None, name: str, node: ast.AST | None) -> Value:
    if hasattr(None, name):
        return class_of(value) if name == "__class__" else tr.unknown(f"attribute {name}")
    raise PyRaise("AttributeError", f"None has no attribute {name}")


@ATTRIBUTES.of(str, bytes, int, float, tuple, ListV, DictV, Iterator_, Poly)
def _of_plain(tr: Tracer, value: Any, name: str, node: ast.AST | None) -> Value:
    if name == "__class__":
        return class_of(value)
    if isinstance(value, Size) and name in ("rank", "ndims"):
        return len(value)
    if isinstance(value, DefaultDict) and name == "default_factory":
        return tr.unknown(f"attribute {name}") if isinstance(value.factory, int) else value.factory
    if isinstance(value, ListV) and name == "maxlen":
        return value.most if isinstance(value, DequeV) else tr.unknown(f"attribute {name}")
    if isinstance(value, Fields) and name in value.names:
        return value[value.names.index(name)]
    if isinstance(value, Iterator_) and value.length is not None and name in ("start", "stop", "step"):
        return value.bounds[("start", "stop", "step").index(name)]
    if isinstance(value, (int, str)) and name == "value":
        return value  # a member of an enumeration that is a number or a text too
    if isinstance(value, (int, str)) and name.startswith("_") and not hasattr(value, name):
        return tr.unknown(f"attribute {name}")  # of such a member
    if type(value) is tuple and node is not None and not hasattr(tuple, name):
        refuse(tr, "python/missing-attribute", "AttributeError", f"a tuple has no attribute `{name}`", node)
    return Bound(value, name)


def _is_abstract(function: Function) -> bool:
    marks = getattr(function.node, "decorator_list", [])
    return any(ast.unparse(mark).rpartition(".")[2].startswith("abstract") for mark in marks)


def function_lacks(value: Value, name: str) -> bool:
    """Whether a function, or a method, of the source has no attribute of the name."""
    function = value.function if isinstance(value, Bound) else value
    if not isinstance(function, Function) or function.decorated or function.wrapped is not None:
        return False
    if name == "__isabstractmethod__":
        return not _is_abstract(function)
    return f"attribute {name}" not in function.options and not hasattr(function_lacks, name)


@ATTRIBUTES.of(SliceV)
def _of_slice(tr: Tracer, value: SliceV, name: str, node: ast.AST | None) -> Value:
    return getattr(value, name, None)


@ATTRIBUTES.of(object)
def _of_any(tr: Tracer, value: Value, name: str, node: ast.AST | None) -> Value:
    return tr.unknown(f"attribute {name}")


_BUILTIN_NAMES = frozenset((*vars(builtins), *vars(dict), *vars(list), "NoneType"))


@ATTRIBUTES.of(Native)
def _of_native(tr: Tracer, value: Native, name: str, node: ast.AST | None) -> Value:
    """What is asked of a builtin type: its methods, which take the object first."""
    if name == "__name__":  # one that is modelled may go by another name here than in its library
        return value.name if value.name in _BUILTIN_NAMES else tr.unknown("a name", pytype="str")
    if value.name in ("object", "type") and name == "__setattr__":

        def run(c: Any) -> Value:
            if isinstance(c.get(1), str):
                set_attribute(c.tr, c.get(0), c.get(1), c.get(2), plainly=True)
            return None

        return Native(name, run)
    if value.name == "object" and name == READER:
        return Native(
            name,
            lambda c: (
                read_by_base(c.tr, c.get(0), c.get(1))
                if isinstance(c.get(0), Instance) and isinstance(c.get(1), str)
                else c.tr.unknown("an attribute")
            ),
        )
    if value.name == "type" and name == "__call__":
        return Native(
            name,
            lambda c: (
                call(c.tr, plain_call(c.get(0)), c.args[1:], c.kwargs, c.node, c.open_args)
                if isinstance(c.get(0), Class)
                else c.tr.unknown("an object")
            ),
        )
    if value.name == "object" and name == "__new__":
        return Native(name, lambda c: Instance(c.get(0), c.tr.site(c.node)) if isinstance(c.get(0), Class) else None)
    if value.name in ("str", "list", "dict", "set", "int", "float", "tuple", "bytes"):
        if name == "fromkeys":
            return Bound(DictV(), name)
        if name == "maketrans":
            return Bound("", name)
        if name.startswith("_"):
            return tr.unknown(f"attribute {name}")
        return Native(name, lambda c: call(c.tr, get_attribute(c.tr, c.get(0), name), c.args[1:], c.kwargs, c.node))
    return tr.unknown(f"attribute {name}")


@ATTRIBUTES.of(Unknown)
def _of_unknown(tr: Tracer, value: Unknown, name: str, node: ast.AST | None) -> Value:
    if name in ("shape",) and value.pytype != "object" and (value.tensor is not None or name not in value.attrs):
        tensor = value.tensor
        if tensor is not None:
            return get_attribute(tr, tensor, name)
        tr.touch(value)
        tensor = tr.tensor_of(value, _framework(tr, value))
        return OpenSize(tensor)
    if value.tensor is not None and name in ("ndim", "T", "dtype", "device", "size", "dim"):
        return get_attribute(tr, value.tensor, name)
    if name not in value.attrs:
        tr.touch(value)
        label = f"{value.label}.{name}" if value.label else name
        value.attrs[name] = attribute_of(value, name, label)
    return value.attrs[name]


def _framework(tr: Tracer, value: Unknown) -> str:
    """Of a value whose shape is asked: an argument of a module's `forward` is a tensor of PyTorch.

    Unless `forward` treats it as an array.
    """
    function = tr.frame.function if tr.frames else None
    if function is None or function.owner is None or value.origin != "param" or not value.label.isidentifier():
        return "unknown"
    bases = function.owner.library_bases
    if function.name == "forward" and any(b.endswith("nn.Module") or b.startswith("torch.nn.") for b in bases):
        return "unknown" if is_used_as_array(function.node, value.label) else "torch"
    return "tf" if function.name == "call" and any(b.startswith("keras.") for b in bases) else "unknown"


@ATTRIBUTES.of(OpenSize)
def _of_open_size(tr: Tracer, value: OpenSize, name: str, node: ast.AST | None) -> Value:
    if value.tensor.dims is not None:
        return get_attribute(tr, Size(value.tensor.dims), name)
    if name in ("rank", "ndims"):
        return tr.rank_of(value.tensor)
    return Bound(value, name)


@ATTRIBUTES.of(Bound)
def _of_bound(tr: Tracer, value: Bound, name: str, node: ast.AST | None) -> Value:
    """What a method has: its object, its function, and what that has."""
    if not isinstance(value.function, Function):
        return value.function if name == "__name__" else tr.unknown(f"attribute {name}")
    if name == "__self__":
        return value.owner
    return value.function if name == "__func__" else get_attribute(tr, value.function, name, node)
