"""What runs on the way back from a loss: `backward` of a `torch.autograd.Function`, gradients of
`tf.custom_gradient`, and hooks of modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Class, DictV, Function, ListV, Object, Value
from analyzer.tracing.paths.tracer import Tracer

DETACHED = "detached"  # the way back does not go on from it, nor from what is made of it alone
MOST_OPERANDS = 5_000  # that are looked through on the way from a loss
_QUIET = ("mark_dirty", "mark_non_differentiable", "set_materialize_grads", "save_for_forward")


@dataclass(frozen=True, eq=False, slots=True)
class Applied:
    """One `apply`: whose way back is followed when a gradient is asked for."""

    cls: Class
    context: Object
    outputs: tuple[Value, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Graded:
    """A call of a function of TensorFlow that gave the function of its gradient with its value."""

    gradient: Function
    outputs: tuple[Value, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Hooked:
    """A call of a module with a hook: `hook(module, grad_input, grad_output)`, without those of inputs if `before`."""

    hook: Value
    module: Value
    inputs: int
    outputs: tuple[Value, ...]
    before: bool


def apply_function(c: Any, cls: Class) -> Value:
    """`forward` has the context as its first argument unless `setup_context` has it."""
    found = cls.find("forward")
    if found is None or not isinstance(found[0], Function):
        return c.tr.unknown(f"{cls.name}.apply()")
    context = Object(
        "context", {"saved_tensors": (), "needs_input_grad": c.tr.unknown("who needs gradients", "imprecise")}
    )
    setup = cls.find("setup_context")
    first = () if setup is not None else (context,)
    made = call(c.tr, found[0], (*_bound(cls, found[0]), *first, *c.args), c.kwargs, c.node, c.open_args)
    if setup is not None:
        call(c.tr, setup[0], (*_bound(cls, setup[0]), context, c.args, made), {})
    outputs = made if isinstance(made, tuple) else (made,)
    if cls.find("backward") is not None and not c.open_args and all(isinstance(o, Tensor) for o in outputs):
        c.tr.touch(c.tr.applied)
        c.tr.applied.items[_next_key(c.tr.applied)] = Applied(cls, context, outputs)
    return made


def grade(tr: Tracer, value: Value, gradient: Value) -> None:
    """Remember the function of the gradient for the way back from what follows from the value."""
    outputs = tuple(value.items) if isinstance(value, ListV) else value if type(value) is tuple else (value,)
    if isinstance(gradient, Function) and not _demands_names(gradient) and all(isinstance(o, Tensor) for o in outputs):
        tr.touch(tr.applied)
        tr.applied.items[_next_key(tr.applied)] = Graded(gradient, outputs)


def _demands_names(gradient: Function) -> bool:
    """Whether it takes more than gradients: names without a default, or `upstream` as Keras gives it."""
    arguments = gradient.node.args
    pairs = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return any(default is None for _, default in pairs) or any(
        a.arg == "upstream" for a in (*arguments.args, *arguments.kwonlyargs)
    )


def _bound(cls: Class, member: Value) -> tuple[Value, ...]:
    """What a member is given before its arguments: a method of the class has the class."""
    return (cls,) if isinstance(member, Function) and member.kind == "classmethod" else ()


def context_method(tr: Tracer, context: Object, name: str, args: tuple[Value, ...]) -> Value:
    if name == "save_for_backward":
        tr.touch(context)
        context.attrs["saved_tensors"] = args
        return None
    return None if name in _QUIET else tr.unknown(f"context.{name}")


def hook_back(tr: Tracer, hook: Value, module: Value, inputs: int, made: Value, before: bool) -> None:
    """Remember a module's call whose outputs are tensors for the way back from what follows from them."""
    outputs = made if type(made) is tuple else (made,)
    if all(isinstance(o, Tensor) for o in outputs):
        tr.touch(tr.applied)
        tr.applied.items[_next_key(tr.applied)] = Hooked(hook, module, inputs, outputs, before)


def _next_key(pending: DictV) -> int:
    return max((k for k in pending.items if isinstance(k, int)), default=-1) + 1


def follow_back(tr: Tracer, loss: Tensor, again: bool = False) -> None:
    """The way back from a loss, which may be gone `again`.

    Whether its inputs need gradients nobody has looked at, so nothing there is proved.
    """
    pending: DictV = tr.applied
    if not pending.items or tr.speculating:
        return
    reached = _operands(loss)
    tr.touch(pending)
    for key, applied in reversed(list(pending.items.items())):
        if any(id(o) in reached for o in applied.outputs):
            if not again:
                del pending.items[key]
            given = tuple(Tensor(o.shape, o.dtype, o.framework, name="gradient") for o in applied.outputs)
            if isinstance(applied, Hooked):
                _run_hook(tr, applied, given, reached)
                continue
            if isinstance(applied, Graded):
                with tr.doubtful(True):
                    call(tr, applied.gradient, given, {})
                continue
            found = applied.cls.find("backward")
            if found is not None:
                with tr.doubtful(True):
                    call(tr, found[0], (*_bound(applied.cls, found[0]), applied.context, *given), {})


def _run_hook(tr: Tracer, hooked: Hooked, gradients: tuple[Value, ...], reached: set[int]) -> None:
    """A hook is given gradients of outputs that the loss follows from; there may be none of others and of inputs."""
    pairs = zip(hooked.outputs, gradients, strict=True)
    given = tuple(g if id(o) in reached else tr.unknown("a gradient or None") for o, g in pairs)
    of_inputs = tuple(tr.unknown("a gradient or None") for _ in range(hooked.inputs))
    with tr.doubtful(True):
        call(tr, hooked.hook, (hooked.module, given) if hooked.before else (hooked.module, of_inputs, given), {})


def _operands(loss: Tensor) -> set[int]:
    found, waiting = {id(loss)}, [loss]
    while waiting and len(found) < MOST_OPERANDS:
        tensor = waiting.pop()
        for source in () if DETACHED in tensor.tags else tensor.sources:
            if id(source) not in found:
                found.add(id(source))
                waiting.append(source)
    return found
