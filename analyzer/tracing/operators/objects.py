"""Objects of modelled library classes: sessions, optimizers, tapes, loaders, argument parsers, functional models."""

from __future__ import annotations

import ast

from analyzer.tracing.imports.configurations import is_mapping
from analyzer.tracing.language.contexts import CLOSING, LOCK, NULL, STACK, enter, leave, lock_method, stack_method
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Bound, DictV, ListV, Object, Unknown, Value
from analyzer.tracing.operators.bystanders import BYSTANDER, bystander_method
from analyzer.tracing.operators.command_lines import parser_method
from analyzer.tracing.operators.data import apply_transform
from analyzer.tracing.operators.flags import run_command
from analyzer.tracing.operators.gradient_presence import gradients_cleared
from analyzer.tracing.operators.keras_losses import call_loss
from analyzer.tracing.operators.keras_models import call_model, model_method
from analyzer.tracing.operators.keras_objects import (
    METRIC,
    SCHEDULE,
    STRATEGY,
    metric_method,
    minimised,
    schedule_method,
    strategy_method,
)
from analyzer.tracing.operators.keras_settings import SETTING, call_setting, setting_method
from analyzer.tracing.operators.lightning_rules import trainer_method
from analyzer.tracing.operators.matplotlib_rules import AXES, FIGURE, drawn
from analyzer.tracing.operators.optimizers import group_of
from analyzer.tracing.operators.own_gradients import context_method, follow_back
from analyzer.tracing.operators.pictures import ENHANCER, PICTURE, picture_method
from analyzer.tracing.operators.pytree_rules import spec_method
from analyzer.tracing.operators.scipy_math_rules import FROZEN, at_frozen
from analyzer.tracing.operators.scipy_rotation_rules import ROTATION, rotation_method
from analyzer.tracing.operators.scipy_sparse_rules import KIND as SPARSE
from analyzer.tracing.operators.scipy_sparse_rules import sparse_method
from analyzer.tracing.operators.sessions import session_method
from analyzer.tracing.operators.sklearn_rules import clustered, transformed
from analyzer.tracing.operators.tf_array_rules import KIND as TENSOR_ARRAY
from analyzer.tracing.operators.tf_array_rules import array_method
from analyzer.tracing.operators.tf_pipelines import data_method
from analyzer.tracing.operators.tf_record_rules import TABLE_OF_WORDS, table_method
from analyzer.tracing.operators.torch_distribution_rules import distribution_method
from analyzer.tracing.operators.torch_modules import remove_hook
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.tracer import Tracer


def object_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    kind = owner.kind
    if kind == "writer":
        return None
    if kind == LOCK:
        return lock_method(tr, name, bool(args or kwargs))
    if kind == STACK:
        return stack_method(tr, owner, name, args, kwargs)
    if kind in (NULL, CLOSING) and name in ("__enter__", "__exit__"):
        return enter(tr, owner) if name == "__enter__" else leave(tr, owner, None)
    if kind == "hook":
        if name == "remove":
            remove_hook(tr, owner)
        return None
    if kind == "parser":
        return parser_method(tr, owner, name, args, kwargs)
    if kind == "session":
        return session_method(tr, name, args, kwargs, node)
    if kind in ("model", "sequential"):
        return model_method(tr, owner, name, args, kwargs, node)
    if kind == "optimizer":
        return _optimizer(tr, owner, name, args, kwargs)
    if kind == "tape":
        return _tape(tr, name, args)
    if kind in ("loader", "dataset", "data", "tfdataset"):
        return data_method(tr, owner, name, args, kwargs)
    if kind == "distribution":
        return distribution_method(tr, owner, name, args, kwargs)
    if kind == "trainer":
        return trainer_method(tr, owner, name, args, kwargs, node)
    if kind == TENSOR_ARRAY:
        return array_method(tr, owner, name, args, kwargs)
    if kind == "row transformer":
        return transformed(tr, owner, name, args)
    if kind == "context":
        return context_method(tr, owner, name, args)
    if is_mapping(owner) and name in _READING:
        return call(tr, Bound(DictV(owner.attrs), name), args, kwargs, node)
    if kind == "clustering":
        return clustered(tr, owner, name, args)
    if kind == ROTATION:
        return rotation_method(tr, owner, name, args, kwargs, node)
    if kind == FROZEN:
        return at_frozen(tr, owner, name, args, kwargs, node)
    if kind in (AXES, FIGURE):
        return drawn(tr, owner, name, args, kwargs, node)
    if kind == "tree":
        return spec_method(tr, owner, name, args)
    if kind == PICTURE:
        return picture_method(tr, owner, name, args, kwargs, node)
    if kind == ENHANCER:
        return call(tr, Bound(owner.attrs["image"], "copy"), (), {}) if name == "enhance" else tr.unknown(name)
    if kind == SPARSE:
        return sparse_method(tr, owner, name, args, kwargs, node)
    if kind == BYSTANDER:
        return bystander_method(tr, owner, name, args, kwargs, node)
    if kind == TABLE_OF_WORDS:
        return table_method(tr, owner, name, args, kwargs)
    if kind == METRIC:
        return metric_method(tr, owner, name, node)
    if kind == SCHEDULE:
        return schedule_method(tr, owner, name, args, kwargs, node)
    if kind == STRATEGY:
        return strategy_method(tr, owner, name, args, kwargs, node)
    if kind == SETTING:
        return setting_method(tr, owner, name, args, kwargs, node)
    if kind == "counter":
        return tr.unknown(f"{name}()", "foreign")
    return tr.unknown_call(f"{kind}.{name}")


_READING = ("get", "keys", "values", "items")  # methods of a configuration


def _optimizer(tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    if name in ("minimize", "apply_gradients"):
        loss = args[0] if args else kwargs.get("loss")
        sources = (loss,) if isinstance(loss, Tensor) else ()
        minimised(tr, loss)
        return Tensor(
            (), None, "tf", site=tr.site(), name="train_op", sources=sources, graph=any(s.graph for s in sources)
        )
    if name == "compute_gradients":
        loss = args[0] if args else kwargs.get("loss")
        return (
            Unknown("gradients", "imprecise") if not isinstance(loss, Tensor) else tr.unknown("gradients", "imprecise")
        )
    if name == "zero_grad":
        gradients_cleared(tr)
    if name == "step" and args:
        return call(tr, args[0], (), {})
    if name == "add_param_group" and isinstance(groups := owner.attrs.get("param_groups"), ListV):
        tr.touch(groups)
        given = args[0] if args else kwargs.get("param_group")
        groups.items.append(group_of(tr, given if isinstance(given, DictV) else DictV({}, True), DictV({}, True)))
    return None if name in _QUIET else tr.unknown(f"optimizer.{name}()", "foreign")


_QUIET = frozenset((  # methods that give nothing
    "zero_grad", "step", "add_param_group", "load_state_dict", "build", "update_step", "set_weights", "assign",
    "finalize_variable_values", "save_own_variables", "load_own_variables", "exclude_from_weight_decay",
))  # fmt: skip


def _tape(tr: Tracer, name: str, args: tuple[Value, ...]) -> Value:
    if name == "gradient" and args and isinstance(args[0], Tensor):
        follow_back(tr, args[0])
    if name == "gradient" and len(args) > 1 and isinstance(args[1], Tensor):
        of_tensor = Tensor(args[1].shape, args[1].dtype, "tf", tags=frozenset(("may be None",)))
        return record("tape.gradient", args, {}, of_tensor)
    if name == "gradient" and len(args) > 1 and isinstance(args[1], (ListV, tuple)):
        wanted = args[1].items if isinstance(args[1], ListV) else args[1]
        return ListV([_tape(tr, name, (args[0], w)) for w in wanted], isinstance(args[1], ListV) and args[1].open)
    return None if name in ("watch", "reset", "__exit__") else tr.unknown("gradients", "imprecise")


def call_object(
    tr: Tracer,
    owner: Object,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    node: ast.Call | None,
    open_args: bool = False,
) -> Value:
    if owner.kind in ("model", "sequential"):
        return call_model(tr, owner, args, kwargs, node)
    if owner.kind == "loss":
        return call_loss(tr, owner, args, kwargs, node)
    if owner.kind == "transform":
        return apply_transform(tr, owner, args[0] if args else None)
    if owner.kind in (METRIC, SCHEDULE):
        return object_method(tr, owner, "__call__", args, kwargs, node)
    if owner.kind == SETTING:
        return call_setting(tr, owner, args, kwargs, node)
    if owner.kind == "typer":
        for command in list(owner.data["commands"]):
            run_command(tr, command)
        return None
    return tr.unknown(f"{owner.kind}()")
