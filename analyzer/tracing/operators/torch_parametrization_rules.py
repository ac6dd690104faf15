"""torch.nn.utils: tensors of a module that other modules, or norms, compute."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Instance, Layer, ListV, Value
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import equal, product


@operator("torch.nn.utils.parametrize.register_parametrization", "module tensor_name parametrization unsafe=False")
def registered(op: Op, module: Value, tensor_name: Value, parametrization: Value, unsafe: Value) -> Value:
    """The tensor is computed once, and must have the shape that it had; `unsafe` lets it have another."""
    if isinstance(module, (Instance, Layer)) and isinstance(tensor_name, str):
        before = get_attribute(op.tr, module, tensor_name)
        if isinstance(before, Tensor):
            after = _computed(op, before, parametrization)
            if unsafe is False:
                _demand_the_shape(op, before, after)
            elif isinstance(module, Instance):
                op.tr.touch(module)
                module.attrs[tensor_name] = after
    op.tr.forget([module])
    if isinstance(module, Layer):
        op.tr.touch(module)
        module.attrs["parametrizations"] = op.tr.unknown("parametrizations", "imprecise")
    return module


def _computed(op: Op, tensor: Tensor, parametrization: Value) -> Value:
    """What it gives for the tensor, or for what its inverse makes of it."""
    given: Value = Tensor(tensor.shape, tensor.dtype, "torch", site=op.where, name=tensor.name, sources=(tensor,))
    if isinstance(parametrization, Instance) and parametrization.cls.find("right_inverse") is not None:
        given = call(op.tr, get_attribute(op.tr, parametrization, "right_inverse"), (given,), {}, op.node)
    if isinstance(given, ListV) and given.open:
        return op.tr.unknown("a computed tensor", "imprecise")
    several = tuple(given.items) if isinstance(given, ListV) else given if isinstance(given, tuple) else (given,)
    return call(op.tr, parametrization, several, {}, op.node)  # each original is an argument


def _demand_the_shape(op: Op, before: Tensor, after: Value) -> None:
    if not isinstance(after, Tensor) or before.dims is None or after.dims is None:
        return
    same = len(before.dims) == len(after.dims)
    if not same or any(equal(a, b) is False for a, b in zip(before.dims, after.dims, strict=True)):
        told = f"the parametrization makes {show_shape(after.dims)} of a tensor of shape {show_shape(before.dims)}"
        fail(op, "shape", told, (before, after))


@operator("torch.nn.utils.weight_norm", "module name='weight' dim=0")
def of_norm_one(op: Op, module: Value, name: Value, dim: Value) -> Value:
    """The tensor becomes a length for each place along an axis, or one for all, and a direction of its own shape."""
    found = _tensor_of(op, module, name)
    if found is not None and found.dims is not None and isinstance(dim, (int, type(None))):
        rank = len(found.dims)
        if dim is None or -rank <= dim < rank:
            kept = None if dim is None else dim % rank
            lengths = () if kept is None else tuple(d if i == kept else 1 for i, d in enumerate(found.dims))
            _set(op, module, found, {f"{name}_g": lengths, f"{name}_v": found.dims})
            return module
    op.tr.forget([module])  # it has other attributes now
    return module


@operator("torch.nn.utils.spectral_norm", "module name='weight' n_power_iterations=1 eps=1e-12 dim=None")
def of_largest_singular_value(
    op: Op, module: Value, name: Value, n_power_iterations: Value, eps: Value, dim: Value
) -> Value:
    """The tensor, as a matrix of the rows along an axis, has a vector of each side beside it."""
    found = _tensor_of(op, module, name)
    usual = 1 if isinstance(module, Layer) and "ConvTranspose" in module.name else 0
    at = dim if dim is not None else usual if isinstance(module, Layer) else None  # of what class is not known
    if found is not None and found.dims is not None and type(at) is int and 0 <= at < len(found.dims):
        others = product([d for i, d in enumerate(found.dims) if i != at])
        beside = {f"{name}_u": (found.dims[at],), f"{name}_v": (others,), f"{name}_orig": found.dims}
        _set(op, module, found, beside)
    else:
        op.tr.forget([module])
    return module


@operator("torch.nn.utils.remove_weight_norm torch.nn.utils.remove_spectral_norm", "module name='weight'")
def as_it_was(op: Op, module: Value, name: Value) -> Value:
    if isinstance(module, (Instance, Layer)) and isinstance(name, str):
        op.tr.touch(module)
        for part in ("g", "v", "u", "orig"):
            module.attrs.pop(f"{name}_{part}", None)
    return module


def _tensor_of(op: Op, module: Value, name: Value) -> Tensor | None:
    """The parameter of that name, of a layer or of an object that has set it."""
    if not isinstance(name, str) or not (
        isinstance(module, Layer) or (isinstance(module, Instance) and name in module.attrs)
    ):
        return None
    found = get_attribute(op.tr, module, name)
    return found if isinstance(found, Tensor) else None


def _set(op: Op, module: Value, source: Tensor, shapes: dict[str, Any]) -> None:
    op.tr.touch(module)
    for name, dims in shapes.items():
        tags = frozenset(("variable",))
        module.attrs[name] = Tensor(dims, source.dtype, "torch", site=op.where, sources=(source,), name=name, tags=tags)
