"""What metrics and schedules of Keras, and strategies of TensorFlow, do when they are called or asked."""

from __future__ import annotations

import ast

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, DictV, ListV, Object, Value
from analyzer.tracing.operators.bystanders import bystander
from analyzer.tracing.operators.element_types import default_float
from analyzer.tracing.paths.tracer import Tracer

METRIC, SCHEDULE, STRATEGY = "metric", "schedule", "strategy"


def metric_method(tr: Tracer, owner: Object, name: str, node: ast.Call | None) -> Value:
    if name in ("result", "__call__"):
        shape = () if owner.data["one"] else None
        return Tensor(shape, default_float(tr), "tf", site=tr.site(node))
    if name in ("reset_state", "reset_states"):
        return None
    if name == "update_state":  # None of most, the new state of some
        return tr.unknown("an update", "imprecise")
    if name == "get_config":
        return DictV(owner.attrs, True)
    return tr.unknown(f"{owner.data['name']}.{name}()", "foreign")


def schedule_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    if name == "__call__":
        step = args[0] if args else kwargs.get("step")
        shape = step.dims if isinstance(step, Tensor) else () if isinstance(step, (int, float)) else None
        rate = Tensor(shape, default_float(tr), "tf", site=tr.site(node))
        rate.written = True  # computed of what the program gives: no free choice
        return rate
    return DictV(owner.attrs, True) if name == "get_config" else tr.unknown(f"{name}()", "foreign")


def strategy_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    """One replica's part is followed: what it is given, and what it gives."""
    if name == "scope":
        return bystander("scope", tr.site(node))
    if name in ("run", "experimental_run_v2") and args:
        given = args[1] if len(args) > 1 else kwargs.get("args", ())
        named = args[2] if len(args) > 2 else kwargs.get("kwargs")
        taken = tuple(given.items) if isinstance(given, ListV) and not given.open else given
        if not isinstance(taken, tuple) or not (named is None or isinstance(named, DictV)):
            return tr.unknown("what replicas give", "imprecise")
        return call(tr, args[0], taken, {} if named is None else {str(k): v for k, v in named.items.items()}, node)
    if name in ("experimental_distribute_dataset", "experimental_make_numpy_dataset") and args:
        return args[0]
    if name in ("experimental_distribute_datasets_from_function", "distribute_datasets_from_function") and args:
        return call(tr, args[0], (tr.unknown("an input context", "data", pytype="object"),), {}, node)
    if name == "experimental_local_results" and args:
        return (args[0],)
    if name == "reduce" and len(args) > 1 and kwargs.get("axis", args[2] if len(args) > 2 else None) is None:
        return args[1]
    return tr.unknown(f"strategy.{name}()", "foreign")


def minimised(tr: Tracer, loss: Value) -> None:
    """`minimize` of a function calls it."""
    if type(loss).__name__ in ("Function", "Bound", "Partial"):
        call(tr, loss, (), {})


def learning_rate(given: Value) -> Value:
    """What an optimizer holds as its rate: a variable, or the schedule."""
    if isinstance(given, (Object, Api)):
        return given
    return Tensor((), "float32", "tf", tags=frozenset(("variable",)))
