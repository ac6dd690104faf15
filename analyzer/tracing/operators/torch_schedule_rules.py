"""torch.optim: schedules of learning rates, gradient scalers and norms of gradients. None of them changes a shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute, iterate
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import DictV, Instance, ListV, Native, Object, Value
from analyzer.tracing.operators.operands import items_of
from analyzer.tracing.operators.table import Op, operator

_SCHEDULES = (
    "LRScheduler StepLR MultiStepLR ConstantLR LinearLR ExponentialLR CosineAnnealingLR CosineAnnealingWarmRestarts "
    "CyclicLR OneCycleLR PolynomialLR LambdaLR MultiplicativeLR ReduceLROnPlateau"
)
OF_SCHEDULES = tuple(f"torch.optim.lr_scheduler.{n}" for n in ("LRScheduler", "_LRScheduler", *_SCHEDULES.split()))


@operator(" ".join(f"torch.optim.lr_scheduler.{name}" for name in _SCHEDULES.split()), "optimizer *rest")
def schedule(op: Op, optimizer: Value, rest: tuple[Value, ...]) -> Value:
    """It writes learning rates into the optimizer's groups, which are open for that."""
    factors = op.extra.get("lr_lambda", rest[0] if rest else None) if op.short in _BY_FUNCTION else None
    for factor in items_of(factors) or ([] if factors is None else [factors]):
        call(op.tr, factor, (op.tr.unknown("an epoch", pytype="int"),), {})
    return _schedule(op, optimizer)


_BY_FUNCTION = ("LambdaLR", "MultiplicativeLR")


@operator("torch.optim.lr_scheduler.SequentialLR", "optimizer schedulers milestones last_epoch=-1 *rest")
def schedule_of_parts(
    op: Op, optimizer: Value, schedulers: Value, milestones: Value, last_epoch: Value, rest: tuple[Value, ...]
) -> Value:
    return _schedule(op, optimizer)


@operator("torch.optim.lr_scheduler.ChainedScheduler", "schedulers optimizer=None")
def chained_schedules(op: Op, schedulers: Value, optimizer: Value) -> Value:
    parts = items_of(schedulers)
    first = parts[0].attrs.get("optimizer") if parts and isinstance(parts[0], Object) else None
    return _schedule(op, first if optimizer is None else optimizer)


def _schedule(op: Op, optimizer: Value) -> Object:
    classes = (op.name, *OF_SCHEDULES[:2])
    return Object("schedule", schedule_attributes(op.tr, optimizer), {"classes": classes}, op.where)


def schedule_attributes(tr: Any, optimizer: Value) -> dict[str, Value]:
    """What every schedule has."""
    return {
        "optimizer": optimizer,
        "last_epoch": tr.unknown("an epoch", label="last_epoch", pytype="int"),
        "base_lrs": _rates(tr, optimizer),
        **_giving({
            "get_last_lr": lambda c: _rates(c.tr, optimizer),
            "get_lr": lambda c: _rates(c.tr, optimizer),
            "state_dict": lambda c: DictV({}, True),
        }),
        **_giving(dict.fromkeys(("step", "load_state_dict", "print_lr"), lambda c: None)),
    }  # fmt: skip


def _giving(methods: dict[str, Callable[[Any], Value]]) -> dict[str, Value]:
    return {name: Native(name, run) for name, run in methods.items()}


def _rates(tr: Any, optimizer: Value) -> Value:
    """One for each group of parameters."""
    groups = get_attribute(tr, optimizer, "param_groups") if isinstance(optimizer, (Object, Instance)) else None
    known = isinstance(groups, ListV)
    count = len(groups.items) if isinstance(groups, ListV) else 1
    rates = [tr.unknown("a learning rate", label="lr", pytype="float") for _ in range(count)]
    return ListV(rates, groups.open if known and isinstance(groups, ListV) else True)


@operator("torch.amp.GradScaler torch.cuda.amp.GradScaler torch.cpu.amp.GradScaler", "*args")
def scaler(op: Op, args: tuple[Value, ...]) -> Value:
    """It multiplies losses by a number; its step is the optimizer's, unless a gradient is infinite."""
    methods: dict[str, Callable[[Any], Value]] = {
        "scale": lambda c: _scaled(c.tr, c.get(0, "outputs")),
        "step": _step,
        "get_scale": lambda c: c.tr.unknown("a scale", pytype="float"),
        "is_enabled": lambda c: c.tr.unknown("what the machine has", "data", "is_enabled", "bool"),
        "state_dict": lambda c: DictV({}, True),
    }
    quiet = ("unscale_", "update", "load_state_dict", "set_growth_factor", "set_backoff_factor", "set_growth_interval")
    return Object("scaler", _giving(methods) | _giving(dict.fromkeys(quiet, lambda c: None)), site=op.where)


def _step(c: Any) -> Value:
    given = {name: value for name, value in c.kwargs.items() if name != "optimizer"}
    return call(c.tr, get_attribute(c.tr, c.get(0, "optimizer"), "step"), c.args[1:], given, c.node)


def _scaled(tr: Any, given: Value) -> Value:
    """Tensors of the same shapes and types, alone or in lists."""
    if isinstance(given, Tensor):
        return Tensor(given.shape, given.dtype, "torch", site=tr.site(), sources=(given,), name=given.name)
    if isinstance(given, ListV):
        return ListV([_scaled(tr, part) for part in given.items], given.open)
    return tuple(_scaled(tr, part) for part in given) if type(given) is tuple else tr.unknown("a scaled loss")


@operator(
    "torch.nn.utils.clip_grad_norm_ torch.nn.utils.clip_grad_norm torch.nn.utils.get_total_norm", "parameters *rest"
)
def total_norm(op: Op, parameters: Value, rest: tuple[Value, ...]) -> Value:
    """One norm of all gradients: a scalar."""
    return _scalar_of(op, parameters)


def _scalar_of(op: Op, parameters: Value) -> Tensor:
    if isinstance(parameters, Tensor):
        return Tensor((), parameters.dtype, "torch", site=op.where)
    kinds: set[Any] = {None}
    if isinstance(parameters, (ListV, tuple)):
        items, endless = iterate(op.tr, parameters, op.node)
        kinds = {None} if endless else {v.dtype if isinstance(v, Tensor) else None for v in items}
    return Tensor((), kinds.pop() if len(kinds) == 1 else None, "torch", site=op.where)


@operator("torch.nn.utils.clip_grads_with_norm_", "parameters *rest")
def clipped(op: Op, parameters: Value, rest: tuple[Value, ...]) -> Value:
    return None
