"""torch.nn.utils.prune: a parameter becomes one of the same shape, times a mask beside it."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import get_attribute
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Instance, Layer, Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator

_HOME = "torch.nn.utils.prune"


@operator(
    " ".join(
        f"{_HOME}.{name}"
        for name in ("identity", "random_unstructured", "l1_unstructured", "random_structured", "ln_structured")
    ),
    "module name *rest",
)
def pruned(op: Op, module: Value, name: Value, rest: tuple[Value, ...]) -> Value:
    _mask(op, module, name)
    return module


@operator(f"{_HOME}.custom_from_mask", "module name mask")
def masked(op: Op, module: Value, name: Value, mask: Value) -> Value:
    found = _mask(op, module, name)
    if found is not None and isinstance(mask, Tensor) and mask.dims is not None and found.dims is not None:
        plain = all(isinstance(d, int) for d in (*mask.dims, *found.dims))
        if plain and mask.dims != found.dims:
            told = f"the mask {show_shape(mask.dims)} has another shape than the parameter {show_shape(found.dims)}"
            fail(op, "mask", told, (mask,))
    return module


@operator(f"{_HOME}.remove", "module name")
def kept_pruned(op: Op, module: Value, name: Value) -> Value:
    if isinstance(module, (Layer, Instance)) and isinstance(name, str):
        op.tr.touch(module)
        found = module.attrs.pop(f"{name}_orig", None)
        module.attrs.pop(f"{name}_mask", None)
        if found is not None:
            module.attrs[name] = found
    return module


@operator(f"{_HOME}.global_unstructured", "parameters pruning_method *rest")
def pruned_together(op: Op, parameters: Value, pruning_method: Value, rest: tuple[Value, ...]) -> Value:
    for pair in getattr(parameters, "items", parameters if type(parameters) is tuple else ()):
        if type(pair) is tuple and len(pair) == 2:
            _mask(op, pair[0], pair[1])
    return None


@operator(f"{_HOME}.is_pruned", "module")
def is_pruned(op: Op, module: Value) -> Value:
    return op.tr.unknown("whether a module is pruned", pytype="bool")


def _mask(op: Op, module: Value, name: Value) -> Tensor | None:
    """`weight` is computed of the parameter `weight_orig` and the buffer `weight_mask`, all of one shape."""
    if not isinstance(module, (Layer, Instance)) or not isinstance(name, str):
        op.tr.forget([module])
        return None
    found = get_attribute(op.tr, module, name)
    if not isinstance(found, Tensor):
        op.tr.forget([module])
        return None
    op.tr.touch(module)
    kept = frozenset(("variable",))
    module.attrs.setdefault(f"{name}_orig", Tensor(found.shape, found.dtype, "torch", site=op.where, tags=kept))
    module.attrs[f"{name}_mask"] = Tensor(found.shape, found.dtype, "torch", site=op.where)
    if isinstance(module, Instance):
        module.attrs[name] = Tensor(found.shape, found.dtype, "torch", site=op.where, sources=(found,))
    return found
