"""Objects of classes that inherit from `torch.Tensor`, and of those that PyTorch asks by `__torch_function__`.

A function or method of PyTorch that is given such an object asks its class; what the class does not decide itself is
computed of the tensors in the objects, and tensors among the results become objects of the class.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Bound, Class, DictV, Function, Instance, ListV, Native, Value
from analyzer.tracing.paths.tracer import Tracer

TENSOR = "__tensor__"  # the attribute of an object that holds the tensor which it is
HOOK = "__torch_function__"
_PARAMETERS = frozenset(("torch.nn.Parameter", "torch.nn.parameter.Parameter"))
_BASES = frozenset(("torch.Tensor", "torch._tensor.Tensor", *_PARAMETERS))
_PLAINLY = ("torch.Tensor", "torch.tensor", "torch.is_tensor", "torch.save", "torch.Tensor.as_subclass",
            "torch.Tensor._make_subclass", "torch.Tensor.__new__")  # fmt: skip
MOST_LOOKED_AT = 16  # elements of a list of operands

Args = tuple[Value, ...]
Kwargs = dict[str, Value]


def inherits_tensor(cls: Value) -> bool:
    return isinstance(cls, Class) and not _BASES.isdisjoint(cls.library_bases)


def is_parameter_class(cls: Value) -> bool:
    """Whether its objects are parameters, which PyTorch's functions take as plain tensors and give such."""
    return isinstance(cls, Class) and not _PARAMETERS.isdisjoint(cls.library_bases)


def tensor_in(value: Value) -> Tensor | None:
    found = value.attrs.get(TENSOR) if isinstance(value, Instance) else None
    return found if isinstance(found, Tensor) else None


def made(tr: Tracer, cls: Class, tensor: Value) -> Instance:
    """An object of the class that is this tensor; where it is not known, one of which nothing is known."""
    instance: Instance = tr.made(Instance(cls, tr.site()))
    if isinstance(tensor, Tensor):
        instance.attrs[TENSOR] = tensor
    else:
        instance.open = True
    return instance


def constructed(tr: Tracer, cls: Class, args: Args, kwargs: Kwargs) -> Instance:
    """What `torch.Tensor.__new__(cls, …)` gives."""
    plain = tuple(_without(a) for a in args)
    if is_parameter_class(cls):
        return made(tr, cls, call(tr, Api("torch.nn.Parameter"), plain, kwargs))
    return made(tr, cls, call(tr, Api("torch.Tensor"), plain, kwargs) if len(args) == 1 and not kwargs else None)


def asked(args: Args, kwargs: Kwargs) -> Instance | None:
    """The object among the arguments whose class decides what a function does, or None."""
    return next((v for v in _flat((*args, *kwargs.values())) if isinstance(v, Instance) and _decides(v)), None)


def _decides(value: Instance) -> bool:
    return TENSOR in value.attrs or (value.cls.find(HOOK) is not None)


def _flat(values: Args) -> Iterator[Value]:
    for value in values:
        if isinstance(value, Instance):
            yield value
        elif isinstance(value, ListV) or type(value) is tuple:
            items = value.items if isinstance(value, ListV) else value
            yield from (v for v in items[:MOST_LOOKED_AT] if isinstance(v, Instance))


def unwrapped(name: str, args: Args) -> Args:
    """The tensors themselves, for functions that make one of them and ask no class."""
    return tuple(_without(a) for a in args) if name in _PLAINLY else args


def is_asked(name: str) -> bool:
    """Whether a function asks the classes of what it is given: those that make tensors do not."""
    return (
        name.startswith("torch.") and name not in _PLAINLY and not name.startswith(("torch.nn.init.", "torch.utils."))
    )


def dispatched(
    tr: Tracer, owner: Instance, function: Value, args: Args, kwargs: Kwargs, node: ast.Call | None = None
) -> Value:
    """The function's value where `owner` is among its arguments."""
    hook = owner.cls.find(HOOK)
    if hook is None:
        return by_default(tr, owner.cls, function, args, kwargs, node)
    if not isinstance(hook[0], Function):
        return tr.unknown(f"{HOOK}()")
    types = tuple(dict.fromkeys(v.cls for v in _flat((*args, *kwargs.values())) if isinstance(v, Instance)))
    return call(tr, Bound(owner.cls, hook[0], hook[1]), (function, types, args, DictV(kwargs)), {}, node)


def by_default(
    tr: Tracer, cls: Class, function: Value, args: Args, kwargs: Kwargs, node: ast.Call | None = None
) -> Value:
    """`torch.Tensor.__torch_function__`: of the tensors in the objects; the results are objects of the class."""
    if any(isinstance(v, Instance) and tensor_in(v) is None for v in _flat((*args, *kwargs.values()))):
        return tr.unknown("a function of an object that is a tensor")
    plain, named = tuple(_without(a) for a in args), {k: _without(v) for k, v in kwargs.items()}
    return _within(tr, call(tr, function, plain, named, node), cls)


def default_hook(cls: Class) -> Native:
    """`super().__torch_function__`."""

    def run(c: Value) -> Value:
        args, kwargs = c.get(2, "args"), c.get(3, "kwargs")
        known = isinstance(args, tuple) and (kwargs is None or (isinstance(kwargs, DictV) and not kwargs.open))
        if not known:
            return c.tr.unknown(f"{HOOK}()")
        return by_default(c.tr, cls, c.get(0, "func"), args, dict(kwargs.items) if kwargs is not None else {}, c.node)

    return Native(HOOK, run)


def _without(value: Value) -> Value:
    """The tensors in objects, also in those of a list."""
    found = tensor_in(value)
    if found is not None:
        return found
    if isinstance(value, ListV) and any(isinstance(v, Instance) for v in value.items):
        return ListV([_without(v) for v in value.items], value.open)
    return tuple(_without(v) for v in value) if type(value) is tuple else value


def _within(tr: Tracer, value: Value, cls: Class) -> Value:
    """The tensors of a result as objects of the class."""
    if not inherits_tensor(cls) or is_parameter_class(cls):
        return value
    if isinstance(value, Tensor) and value.framework == "torch":
        return made(tr, cls, value)
    if type(value) is tuple:
        return tuple(_within(tr, v, cls) for v in value)
    return ListV([_within(tr, v, cls) for v in value.items], value.open) if isinstance(value, ListV) else value


def method_of_tensor(owner: Instance, name: str) -> Native:
    """A method that the object has because it is a tensor."""
    return Native(
        name, lambda c: dispatched(c.tr, owner, Api(f"torch.Tensor.{name}"), (owner, *c.args), dict(c.kwargs), c.node)
    )
