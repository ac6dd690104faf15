"""Calls: of traced functions and classes, of methods, of library names through the operator tables."""

from __future__ import annotations

import ast
import builtins

from analyzer.tracing.language.builtins.call import Call
from analyzer.tracing.language.builtins.files import by_method
from analyzer.tracing.language.called_back import called_at_any_time, called_back
from analyzer.tracing.language.changed_unknowns import changed_by_method
from analyzer.tracing.language.containers import method
from analyzer.tracing.language.contexts import around
from analyzer.tracing.language.dataclass_fields import fill_dataclass
from analyzer.tracing.language.dictionary_objects import plain_store
from analyzer.tracing.language.enumerations import is_enumeration, members_of
from analyzer.tracing.language.evaluation import (
    CALLS,
    call,
    evaluate,
    get_attribute,
    iterate,
    seen,
)
from analyzer.tracing.language.function_calls import call_function
from analyzer.tracing.language.keras_calls import call_keras, is_keras
from analyzer.tracing.language.known_types import value_of
from analyzer.tracing.language.lazy_iterators import given_up
from analyzer.tracing.language.metaclasses import caller_of, made_plainly
from analyzer.tracing.language.overwriting import fill
from analyzer.tracing.language.own_paths import method_place, stands
from analyzer.tracing.language.plain_data import is_plain
from analyzer.tracing.language.replaced_modules import forget_held
from analyzer.tracing.language.rows import Rows
from analyzer.tracing.language.set_calls import set_call
from analyzer.tracing.language.special_methods import special
from analyzer.tracing.language.tensor_objects import (
    HOOK,
    TENSOR,
    asked,
    by_default,
    constructed,
    dispatched,
    inherits_tensor,
)
from analyzer.tracing.language.tensors import Size, Tensor
from analyzer.tracing.language.values import (
    COMPUTING,
    METACLASS,
    Api,
    Bound,
    Class,
    DictV,
    Function,
    Instance,
    Layer,
    Lazy,
    ListV,
    Native,
    Object,
    Partial,
    SuperV,
    Unknown,
    Value,
)
from analyzer.tracing.operators import (
    call_api,
    call_layer,
    call_library_instance,
    call_method,
    call_object,
    initialise_instance,
    shape_of,
    tables,
)
from analyzer.tracing.operators.torch_modules import call_with_hooks
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.used_as_tensors import callee

CALLS.of(Api)(call_api)
CALLS.of(Object)(call_object)
Args = tuple[Value, ...]
Kwargs = dict[str, Value]


# ---------------------------------------------------------------------------------------------- call sites


def call_node(tr: Tracer, node: ast.Call) -> Value:
    function = callee(tr, node)
    args: list[Value] = []
    kwargs: dict[str, Value] = {}
    open_args = anywhere = False  # anywhere: it is not known which parameters those behind belong to
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            value = evaluate(tr, argument.value)
            items, endless = iterate(tr, value, argument)
            if endless:
                open_args = anywhere = True
            elif not anywhere:
                args.extend(items)
        else:
            value = evaluate(tr, argument)
            if not anywhere:
                args.append(value)
    for keyword in node.keywords:
        value = evaluate(tr, keyword.value)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value := plain_store(tr, value) or value, DictV) and all(
            isinstance(k, str) for k in value.items
        ):
            tr.read(value)
            kwargs.update(value.items)
            open_args = open_args or value.open
        else:
            open_args = True
    tr.frames[-1].line = node.lineno
    value = call(tr, function, tuple(args), kwargs, node, open_args)
    if tr.unsettled and isinstance(seen(function), Native) and not isinstance(value, Lazy):
        for made, argument in zip(args, node.args, strict=False):
            given_up(tr, made, argument)
    return value


@CALLS.of(Function)
def _call_plainly(
    tr: Tracer, function: Function, args: Args, kwargs: Kwargs, node: ast.Call | None, open_args: bool
) -> Value:
    return call_function(tr, function, args, kwargs, node=node, open_args=open_args)


@CALLS.of(Bound)
def _call_bound(tr: Tracer, bound: Bound, args: Args, kwargs: Kwargs, node: ast.Call | None, open_args: bool) -> Value:
    owner, function = bound.owner, bound.function
    if isinstance(function, Function):
        found = call_function(tr, function, (owner, *args), kwargs, cls=bound.cls, node=node, open_args=open_args)
        if function.name == "build" and isinstance(owner, Instance) and not owner.built:
            tr.touch(owner)
            owner.built = is_keras(owner)
        return found
    if (cls := made_plainly(bound)) is not None:
        return _made(tr, cls, args, kwargs, node, open_args)
    if isinstance(owner, Instance):
        tr.give(called_back(owner))
    elif isinstance(owner, SuperV) and isinstance(owner.owner, Instance):
        tr.give(called_back(owner.owner))
    if isinstance(owner, (Tensor, Layer, Instance, SuperV, Object)):
        return call_method(tr, owner, function, args, kwargs, node, open_args)
    if isinstance(owner, Rows):
        return tables.called(tr, owner, function, args, kwargs)
    if open_args and isinstance(owner, DictV) and function == "update":
        fill(tr, owner, DictV(), open=True)
    if function.startswith("__") and isinstance(owner, (ListV, DictV, str, tuple, bool, int, float)) and not open_args:
        plain = not isinstance(owner, Size) and function not in ("__int__",)
        return special(tr, owner, function, args) if plain else method(tr, owner, function, args, kwargs, node)
    return method(tr, owner, function, args, kwargs, node)


@CALLS.of(Native)
def _call_native(
    tr: Tracer, function: Native, args: Args, kwargs: Kwargs, node: ast.Call | None, open_args: bool
) -> Value:
    if open_args and not function.any_number:
        return tr.unknown(f"{function.name}() of arguments whose number is not known", label=f"{function.name}()")
    return function.run(Call(tr, args, kwargs, node, open_args))


@CALLS.of(Lazy)
def _call_manager(
    tr: Tracer, manager: Lazy, args: Args, kwargs: Kwargs, node: ast.Call | None, open_args: bool
) -> Value:
    """A context manager that a generator is wrapped as decorates a function."""
    again = getattr(manager, "again", None)
    return around(tr, again, args[0]) if again is not None and len(args) == 1 else tr.unknown("a call")


@CALLS.of(Partial)
def _call_partial(
    tr: Tracer, partial: Partial, args: Args, kwargs: Kwargs, node: ast.Call | None, open_args: bool
) -> Value:
    return call(tr, partial.function, (*partial.args, *args), {**partial.kwargs, **kwargs}, node, open_args)


@CALLS.of(Instance)
def _call_object(
    tr: Tracer, owner: Instance, args: Args, kwargs: Kwargs, node: ast.Call | None, open_args: bool
) -> Value:
    if "__hooks__" in owner.attrs:
        return call_with_hooks(tr, owner, args, kwargs, lambda a, k: call_instance(tr, owner, a, k, node, open_args))
    return call_instance(tr, owner, args, kwargs, node, open_args)


@CALLS.of(Layer)
def _call_layer(tr: Tracer, layer: Layer, args: Args, kwargs: Kwargs, node: ast.Call | None, open_args: bool) -> Value:
    if (owner := asked(args, kwargs)) is not None and layer.name.startswith("torch."):
        return _layer_of_object(tr, layer, owner, args, kwargs, node)
    if "__hooks__" in layer.attrs:
        return call_with_hooks(tr, layer, args, kwargs, lambda a, k: call_layer(tr, layer, a, k, node))
    return call_layer(tr, layer, args, kwargs, node)


def _layer_of_object(
    tr: Tracer, layer: Layer, owner: Instance, args: Args, kwargs: Kwargs, node: ast.Call | None
) -> Value:
    """A layer calls functions, each of which asks the object's class: which ones is known of a linear layer."""
    if layer.name == "torch.nn.Linear" and len(args) == 1:
        weights = tuple(get_attribute(tr, layer, name) for name in ("weight", "bias"))
        return dispatched(tr, owner, Api("torch.nn.functional.linear"), (*args, *weights), {}, node)
    if owner.cls.find(HOOK) is not None:
        return tr.unknown(f"{layer.name}()")
    return by_default(tr, owner.cls, layer, args, kwargs, node)


@CALLS.of(object)
def _call_nothing(
    tr: Tracer, value: Value, args: Args, kwargs: Kwargs, node: ast.Call | None, open_args: bool
) -> Value:
    return tr.unknown("a call")


@CALLS.of(Unknown)
def _call_unknown(
    tr: Tracer, function: Unknown, args: Args, kwargs: Kwargs, node: ast.Call | None, open_args: bool
) -> Value:
    typed = function.kind.startswith("def ")
    counts = tr.shared.known_calls if typed else tr.shared.unknown_calls
    counts[function.label or "an unknown function"] += 1
    tr.forget((*args, *kwargs.values()))
    tr.give((*args, *kwargs.values()))
    if any(isinstance(a, Api) and a.name == "sys.modules" for a in args):  # ``monkeypatch.setitem(sys.modules, …)``
        forget_held(tr, tuple(args))
    changed_by_method(tr, function)
    looked_up = function.label.endswith(".get") and function.origin == "param"  # in what a caller gives
    origin = function.origin if looked_up or not function.known_source else "foreign"
    if typed and stands(tr.shared.root, function.label, function.place):
        return True
    if typed and (read := by_method(tr, function, args, kwargs)) is not None:
        return read
    if typed:
        found = value_of(function.kind[4:], f"result of {function.label}", origin, f"{function.label}()")
        if isinstance(found, Unknown):
            found.place = method_place(function, args)
        return found
    result = Unknown(f"result of {function.label or 'an unknown function'}", origin, "")
    if function.label == "item":
        result.pytype = "number"
    return result


def call_instance(
    tr: Tracer, owner: Instance, args: Args, kwargs: Kwargs, node: ast.Call | None = None, open_args: bool = False
) -> Value:
    """`model(x)`: `__call__` of the class, `forward` of a torch module, `call` of a Keras layer or model.

    The last two are asked of the object, on which a program may have set another.
    """
    if tr.shared.set_on_libraries.items and (replaced := set_call(tr, owner)) is not None:
        return call(tr, replaced, (owner, *args), kwargs, node, open_args)
    return call_unchanged(tr, owner, args, kwargs, node, open_args)


def call_unchanged(
    tr: Tracer, owner: Instance, args: Args, kwargs: Kwargs, node: ast.Call | None = None, open_args: bool = False
) -> Value:
    """The same where the program has not replaced the library's `__call__`."""
    for name in ("__call__", *owner.cls.computing):
        found = owner.cls.find(name)
        own = owner.attrs.get(name) if name != "__call__" else None
        if found is not None and isinstance(found[0], Function):
            if name == "call":
                known = any(base.startswith(COMPUTING[name]) for base in owner.cls.library_bases)
                tr.path.guessed = tr.path.guessed or not known
                open_args = open_args or not known  # what the `__call__` of an unknown base hands on nobody knows
                return call_keras(tr, owner, found, args, kwargs, node, open_args)
            if own is not None:
                return call(tr, own, args, kwargs, node, open_args)
            kinds: dict[str, Args] = {"staticmethod": (), "classmethod": (owner.cls,)}
            first = kinds.get(found[0].kind, (owner,))
            return call_function(tr, found[0], (*first, *args), kwargs, cls=found[1], node=node, open_args=open_args)
        if own is not None and any(b.startswith(COMPUTING[name]) for b in owner.cls.library_bases):
            return call(tr, own, args, kwargs, node, open_args)

    build = owner.cls.find("build")  # of a layer whose `call` is the library's
    if args and not owner.built and build is not None and isinstance(build[0], Function) and is_keras(owner):
        tr.touch(owner)
        owner.built = True
        call_function(tr, build[0], (owner, shape_of(tr, args[0])), {}, cls=build[1])
    return call_library_instance(tr, owner, args, kwargs, node)


def _of_a_layer(cls: Class, owner: Class) -> bool:
    """Whether a layer of the library stands before the class whose `__init__` this is: its own is the one called."""
    before = cls.mro[: cls.mro.index(owner)]
    return any(isinstance(b, Api) and b.name.startswith("torch.nn.") and b.name != "torch.nn.Module" for b in before)


@CALLS.of(Class)
def instantiate(
    tr: Tracer,
    cls: Class,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    node: ast.Call | None = None,
    open_args: bool = False,
) -> Value:
    tr.shared.reached.add(f"{cls.path}:{cls.node.lineno}")
    cls.called = True
    if (caller := caller_of(cls)) is not None and cls.closed:
        return call_function(tr, caller[0], (cls, *args), kwargs, cls=caller[1], node=node, open_args=open_args)
    return _made(tr, cls, args, kwargs, node, open_args or caller is not None)


def _made(
    tr: Tracer, cls: Class, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None, open_args: bool
) -> Value:
    """What `type.__call__` makes of a class."""
    if is_enumeration(cls):
        return _member(tr, cls, args, kwargs)
    instance: Instance = tr.made(Instance(cls, tr.site(node)))
    instance.open = not cls.closed
    open_args = open_args or any(
        isinstance(b, Unknown) and b.reason == METACLASS for b in cls.mro
    )  # which may add some
    initializer = cls.find("__init__")
    maker = cls.find("__new__")
    if maker is not None and isinstance(maker[0], Function) and not open_args:
        made = call_function(tr, maker[0], (cls, *args), kwargs, cls=maker[1], node=node)
        if not isinstance(made, Instance) or made.cls is not cls:
            return made
        instance = made
        instance.open = instance.open or not cls.closed
    elif maker is not None:
        instance.open = True
    elif inherits_tensor(cls):
        plain = constructed(tr, cls, () if open_args else args, kwargs)
        instance.attrs.update({k: v for k, v in plain.attrs.items() if k == TENSOR})
        instance.open = instance.open or plain.open
    if initializer is not None and _of_a_layer(cls, initializer[1]):
        instance.open = True  # what the program's own `__init__` sets, which the library's calls without arguments
        initialise_instance(tr, instance, args, kwargs)
    elif initializer is not None and isinstance(initializer[0], Function):
        call_function(tr, initializer[0], (instance, *args), kwargs, cls=initializer[1], node=node, open_args=open_args)
    elif initializer is not None and isinstance(initializer[0], Partial) and initializer[0].method:
        call(tr, get_attribute(tr, instance, "__init__"), args, kwargs, node, open_args)
    elif cls.tuple and maker is not None:
        pass  # its fields are what `__new__` has made them
    elif cls.dataclass:
        fill_dataclass(tr, instance, args, kwargs, open_args)
    else:
        initialise_instance(tr, instance, args, kwargs)
    if set(cls.library_bases) & _EXCEPTIONS:
        given = (
            args
            if initializer is None and maker is None
            else tr.unknown("what an exception is made of", "imprecise", "args")
        )
        instance.attrs.setdefault("args", given)
    tr.give(called_at_any_time(instance))
    return instance


def _member(tr: Tracer, cls: Class, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """`Kind(value)` of an enumeration: the member that has this value."""
    members = members_of(cls)
    known = list(members.items.values()) if members is not None and len(args) == 1 and not kwargs else []
    if args and any(m is args[0] for m in known):
        return args[0]  # of a member, itself
    found = [m for m in known if is_plain(args[0]) and is_plain(m.attrs["value"]) and m.attrs["value"] == args[0]]
    return found[0] if found else tr.unknown("an enum member")


_EXCEPTIONS = frozenset(n for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException))
