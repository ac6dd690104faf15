"""Attributes and methods of tensors and arrays."""

from __future__ import annotations

import ast

import numpy as np

from analyzer.operators.declaration import CONVERTS, ELEMENTWISE, OTHER_LAYOUT, RANDOM, RESHAPES, SAME_SHAPE
from analyzer.operators.registry import layer_or_function
from analyzer.tracing.language.evaluation import seen
from analyzer.tracing.language.known_types import DEVICE
from analyzer.tracing.language.memory import write, write_results
from analyzer.tracing.language.packed_sequences import packing_of
from analyzer.tracing.language.rows import LIST, Rows
from analyzer.tracing.language.tensors import OpenSize, Shape, Size, Tensor, show_shape
from analyzer.tracing.language.values import Api, Bound, ListV, Unknown, Value
from analyzer.tracing.operators.element_types import OBJECTS, array_type, bytes_of, dtype_name, real_of
from analyzer.tracing.operators.element_values import converted
from analyzer.tracing.operators.gradient_presence import gradients_made
from analyzer.tracing.operators.gradient_shapes import demand_same_shape
from analyzer.tracing.operators.own_gradients import DETACHED, follow_back
from analyzer.tracing.operators.packed import elements_alone
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.scalars import demand_one_element
from analyzer.tracing.operators.sessions import run_fetches
from analyzer.tracing.operators.strides import contiguous, is_contiguous, lies_in_order, of_result
from analyzer.tracing.operators.table import Op, bind, rules, run_entry, run_rule
from analyzer.tracing.operators.torch_second_names import own_method
from analyzer.tracing.operators.trainable import choose_trained, is_trained
from analyzer.tracing.operators.typed import call_typed, floating
from analyzer.tracing.operators.unknown_libraries import library_of_call
from analyzer.tracing.operators.written import of_method, of_operands, origin_of_kind
from analyzer.tracing.paths.attained import record
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import product

# Methods and attributes that are no operator of a graph, or none when they are called as a method.
_PLAIN = frozenset({
    "cuda", "cpu", "long", "int", "bool", "byte", "short", "bfloat16", "type", "astype", "copy", "numpy", "asnumpy",
    "requires_grad_", "requires_grad", "retain_grad", "pin_memory", "share_memory_", "data", "grad", "real", "imag",
    "conj", "fill_", "zero_", "random_", "copy_", "set_", "sort_", "index_fill_", "read_value", "value",
    "initialized_value", "identity", "isnan", "isinf", "isfinite", "trunc", "expm1", "triu", "tril", "pow",
    "bernoulli", "masked_fill",
})  # fmt: skip
_DTYPE_OF = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32",
"bool": "bool", "byte": "uint8", "short": "int16", "bfloat16": "bfloat16", "argsort": "int64"}  # fmt: skip

_KEEPING_ELEMENTS = frozenset((
    "cpu", "cuda", "to", "detach", "clone", "contiguous", "long", "int", "bool", "numpy", "copy", "astype", "data",
))  # fmt: skip

_ARRAY_WRITING = frozenset(("fill", "sort", "put", "itemset", "partition", "resize", "setfield", "byteswap"))


def tensor_attribute(tr: Tracer, value: Tensor, name: str, node: ast.AST | None) -> Value:
    found = record(name, (value,), {}, of_operands((value,), _attribute(tr, value, name, node)))
    if tr.sampler is not None and name in ("T", "mT") and value.framework in ("torch", "numpy"):
        tr.sampler.computed(name, lambda own: own.T if name == "T" else np.swapaxes(own, -1, -2), (value,), {}, found)
    return found


def _attribute(tr: Tracer, value: Tensor, name: str, node: ast.AST | None) -> Value:
    if name == "shape":
        if value.framework == "tf" and value.graph and value.dims is not None:
            return Size(value.dims)
        return Size(value.dims) if value.dims is not None else OpenSize(value)
    if name in ("ndim", "dim_"):
        return tr.rank_of(value)
    if name in ("T", "mT", "H", "mH"):
        if value.dims is None:
            return Tensor(None, value.dtype, value.framework, graph=value.graph, sources=(value,))
        if name != "T" and len(value.dims) == 1 and value.framework == "torch":
            op = Op(tr, name, site=tr.site(node))
            fail(op, "rank", f"`.{name}` needs at least 2 dimensions and the tensor has 1", (value,))
        dims = (
            value.dims[::-1]
            if name == "T" or len(value.dims) < 2
            else (*value.dims[:-2], value.dims[-1], value.dims[-2])
        )
        turned = Tensor(dims, value.dtype, value.framework, graph=value.graph, sources=(value,), site=tr.site(node))
        if value.strides is not None:
            s = value.strides
            turned.strides = s[::-1] if name == "T" or len(s) < 2 else (*s[:-2], s[-1], s[-2])
        return turned
    if name == "size" and value.framework == "numpy":
        return product(value.dims) if value.dims is not None else tr.unknown("a size", "data", pytype="int")
    if name == "data" and packing_of(value) is not None:
        return elements_alone(tr, value)
    if name in ("data", "grad", "real", "imag"):
        return (
            value
            if name == "data"
            else Tensor(
                value.shape,
                real_of(value.dtype) if name in ("real", "imag") else value.dtype,
                value.framework,
                graph=value.graph,
                sources=(value,),
                name=name,
                tags=frozenset(("may be None",)) if name == "grad" else frozenset(),
            )
        )
    if name == "dtype":
        return (
            Api(f"{value.framework}.{value.dtype}")
            if value.dtype
            else tr.unknown("an element type", origin_of_kind(value, tr.in_definition), "dtype")
        )
    if name == "device" and value.framework == "torch":
        device = tr.unknown("a device", origin_of_kind(value, tr.in_definition), name, "object")
        device.kind = DEVICE
        if tr.sampler is not None:
            device.attrs |= {"type": "cpu", "index": None}
        return device
    tr.sparse = tr.sparse or "sparse" in name
    if name == "layout" and value.framework == "torch" and not tr.sparse:
        return Api("torch.strided")
    if name in ("itemsize", "nbytes") and (size := bytes_of(value, name)) is not None:
        return size
    if name in ("device", "name", "op", "grad_fn", "is_leaf", "itemsize", "nbytes", "layout", "graph", "indices"):
        return tr.unknown(f"attribute {name}", origin_of_kind(value, tr.in_definition), name)
    if name == "is_sparse" and value.framework == "torch" and (value.name == "grad" or "variable" in value.tags):
        return False
    if name in ("is_cuda", "is_sparse", "is_quantized") and tr.sampler is not None:
        return False
    if name == "requires_grad" and value.framework == "torch" and is_trained(tr, value):
        return True
    if name in ("is_cuda", "requires_grad", "is_sparse", "is_quantized"):
        return tr.unknown(name, origin_of_kind(value, tr.in_definition), name, "bool")
    return Bound(value, name)


def tensor_method(
    tr: Tracer, owner: Tensor, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    if name == "requires_grad_":
        choose_trained(tr, args[0] if args else kwargs.get("requires_grad", True))
    result = of_method(name, owner, args, kwargs, _result(tr, owner, name, args, kwargs, node))
    record(name, (owner, *args), kwargs, result)
    if _writes(owner, name):
        write(tr, owner, followed=_named_in_place(name))
    if tr.sampler is not None:
        if name.endswith("_"):
            tr.touch(owner)
        result = tr.sampler.method(owner, name, args, kwargs, result, tr.speculating > 0)
    write_results(tr, kwargs, result)
    pointed = owner.framework == "numpy" and name in _POINTED and isinstance(result, Tensor)
    if pointed and (result.dtype or "").startswith(("int", "uint", "bool")):
        result.dtype = None
    if owner.framework == "numpy" and name == "resize":
        tr.touch(owner)
        owner.shape = Shape(result.dims if isinstance(result, Tensor) else None, vague=True)
        owner.value = None
        return None
    if not _changes_sizes(name) or owner.framework == "numpy":
        return result
    tr.touch(owner)  # every name that stands for it sees the change
    made = result if isinstance(result, Tensor) else None
    owner.shape = Shape(None, vague=True) if made is None or made.dims is None else Shape(made.dims)
    owner.strides, owner.value = (made.strides, made.value) if made is not None else (None, None)
    return owner


_OF_TEXTS = frozenset(name for name in dir(str) if not name.startswith("_"))


def _result(
    tr: Tracer, owner: Tensor, name: str, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> Value:
    if owner.framework == "unknown":
        library = library_of_call(name, args, kwargs)
        if library is None:
            return tr.unknown(f"{name}()")
        if library:
            owner = Tensor(owner.shape, owner.dtype, library, site=owner.site, name=owner.name, sources=(owner,))
    name = own_method(name) if owner.framework == "torch" else name
    op = Op(tr, name, node, tr.site(node), nodes={})
    if name in ("size", "shape") and owner.framework != "numpy":
        return _size(tr, owner, args, kwargs)
    if name in ("dim", "ndimension"):
        return tr.rank_of(owner)
    if name in ("numel", "nelement"):
        return product(owner.dims) if owner.dims is not None else tr.unknown("a size", "data", pytype="int")
    if name in ("get_shape", "shape_as_list"):
        return Size(owner.dims) if owner.dims is not None else OpenSize(owner)
    if name == "__len__":
        return tr.dimension(owner, 0)
    if name == "is_contiguous" and owner.framework == "torch" and not args and not kwargs:
        return lies_in_order(owner, tr.unknown("how a tensor lies in memory", "data", pytype="bool"))
    if name == "stride" and owner.strides is not None and owner.framework == "torch":
        axis = args[0] if args else kwargs.get("dim")
        if axis is None:
            return owner.strides
        if isinstance(axis, int) and -len(owner.strides) <= axis < len(owner.strides):
            return owner.strides[axis]
    if name in ("item", "tolist", "backward", "eval", "initializer", "stride", "data_ptr", "register_hook"):
        tr.shared.asks_values = tr.shared.asks_values or name in ("item", "tolist")
        if name == "register_hook":
            tr.give(args)
        if name == "item" and not args and (alone := _alone(owner.value)) is not None:
            return alone
        if name == "item" and not args and not kwargs:
            demand_one_element(tr, owner, "item", node)
        if name == "eval":
            feed = args[0] if args else kwargs.get("feed_dict")
            return run_fetches(tr, owner, feed, node)
        if name == "backward":
            gradients_made(tr)
            _check_backward(tr, owner, args, kwargs, node)
            follow_back(tr, owner, again=kwargs.get("retain_graph", False) is not False)
            return None
        if name == "tolist" and (listed := _listed(owner)) is not None:
            return listed
        if name == "tolist" and owner.dims and owner.framework in ("torch", "numpy"):
            return Rows(LIST, owner)
        return tr.unknown(
            f"{name}()", "data", pytype="number" if name == "item" else "list" if name == "tolist" else ""
        )
    if name == "type" and not args and not kwargs:
        return tr.unknown("the name of a type", pytype="str")
    if owner.framework == "numpy" and name in _OF_TEXTS:  # an element of an array of texts, which is no array
        return tr.unknown(f"{name}()")
    entry = rules().get(f"{owner.framework}.Tensor.{name}") or rules().get(f"Tensor.{name}")
    if entry is not None:
        tr.shared.known_calls[f"Tensor.{name}"] += 1
        bound = bind(entry, (owner, *args), kwargs, None)
        if bound is None:
            return tr.unknown(f"Tensor.{name}()")
        arguments, _, op.extra = bound
        if node is not None:
            names = [p.name for p in entry.parameters[1:]]
            op.nodes = dict(zip(names, node.args, strict=False))
            if len(entry.parameters) > 1 and entry.parameters[1].kind == "*" and node.args:
                op.nodes = {
                    entry.parameters[1].name: node.args[0] if len(node.args) == 1 else ast.Tuple(node.args, ast.Load())
                }
        known = {k: seen(v) for k, v in arguments.items()}
        return op.finish(run_rule(op, entry, known))
    plain = name.rstrip("_") if name.endswith("_") and not name.startswith("_") else name
    if name in _PLAIN or _keeps_shape(name):
        tr.shared.known_calls[f"Tensor.{name}"] += 1
        value = _converted(owner, name, args, kwargs)
        value.operation = op.number
        if name == "contiguous" and value.dims is not None:
            value.strides = contiguous(value.dims)
        elif owner.framework == "torch" and "memory_format" not in kwargs:
            shared = (
                name in ("detach", "data", "requires_grad_", "cpu", "cuda", "to", "float")
                and value.dtype == owner.dtype
            )
            value.strides = owner.strides if shared or is_contiguous(owner) else of_result(name, (owner,), value)
        return value

    if owner.framework in ("torch", "numpy", "unknown"):
        result = call_typed(tr, "torch", plain, name, (owner, *args), kwargs, node)
        if result is not None:
            tr.shared.known_calls[f"Tensor.{name}"] += 1
            if isinstance(result, Tensor):
                result.framework = owner.framework
            return result
        function = rules().get(f"torch.{plain}" if owner.framework != "numpy" else f"numpy.{plain}")
        if function is not None:
            tr.shared.known_calls[f"Tensor.{name}"] += 1
            return run_entry(tr, function, f"torch.{plain}", (owner, *args), kwargs, node)
    tr.shared.unknown_calls[f"Tensor.{name}"] += 1
    return tr.unknown(f"Tensor.{name}()")


_POINTED = ("mean", "std", "var", "clip", "dot", "cumsum", "cumprod")  # arrays of whole numbers may give others


def _alone(elements: Value) -> Value:
    """The one element of a tensor, or None."""
    while isinstance(elements, tuple):
        if len(elements) != 1:
            return None
        elements = elements[0]
    return elements


def _listed(tensor: Tensor) -> Value:
    """The nested lists of Python's own numbers of a tensor whose whole numbers or truths are known."""
    if not (tensor.dtype or "").startswith(("int", "uint", "bool")) or not isinstance(tensor.value, tuple):
        return None
    return _as_list(tensor.value)


def _as_list(elements: Value) -> Value:
    return ListV(map(_as_list, elements)) if isinstance(elements, tuple) else elements


def _writes(owner: Tensor, method: str) -> bool:
    """Whether the elements of the tensor itself change: ``x.add_(1)``, ``array.sort()``."""
    return _named_in_place(method) or (owner.framework == "numpy" and method in _ARRAY_WRITING)


def _named_in_place(method: str) -> bool:
    return method.endswith("_") and not method.endswith("__")


def _changes_sizes(method: str) -> bool:
    """Whether the tensor itself has other sizes afterwards: ``x.unsqueeze_(1)``."""
    if method in ("resize_", "resize_as_", "set_"):
        return True
    operator = layer_or_function("torch", method[:-1]) if method.endswith("_") else None
    return operator is not None and bool(operator.traits & (RESHAPES | OTHER_LAYOUT))


def _keeps_shape(method: str) -> bool:
    """Whether the result has the tensor's own shape: by its operator, or because it is written into the tensor."""
    operator = layer_or_function("torch", method)
    if operator is not None and operator.traits & (SAME_SHAPE | CONVERTS):
        return True
    written = layer_or_function("torch", method[:-1]) if method.endswith("_") else None
    return written is not None and bool(written.traits & (ELEMENTWISE | RANDOM))


def _size(tr: Tracer, owner: Tensor, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    axis = args[0] if args else kwargs.get("dim")
    if axis is None:
        return Size(owner.dims) if owner.dims is not None else OpenSize(owner)
    if isinstance(axis, int):
        if owner.dims is not None and not -len(owner.dims) <= axis < len(owner.dims):
            fail(
                Op(tr, "size"),
                "axis-in-range",
                f"dimension {axis} does not exist in a tensor of {len(owner.dims)} dimensions",
                (owner,),
            )
        return tr.dimension(owner, axis)
    return tr.unknown("a dimension", "data", pytype="int")


def _converted(owner: Tensor, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Tensor:
    dtype = _DTYPE_OF.get(name, owner.dtype)
    if name in ("to", "type", "astype", "type_as"):
        like = next((a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)), None)
        dtype = (
            like.dtype
            if like is not None and owner.framework == "torch"
            else next(
                (
                    d
                    for d in map(array_type if owner.framework == "numpy" else dtype_name, [*args, *kwargs.values()])
                    if d
                ),
                owner.dtype if name == "to" and args and not isinstance(args[0], Unknown) else None,
            )
        )
    if name in ("isnan", "isinf", "isfinite", "logical_not"):
        dtype = "bool"
    dtype = floating(name, dtype)
    framework = "numpy" if name == "numpy" else owner.framework
    kept = name in _KEEPING_ELEMENTS and dtype != OBJECTS  # texts, and numbers as objects
    value = owner.value if kept and dtype == owner.dtype else converted(owner.value, dtype) if kept else None
    tags = owner.tags | ({"probabilities"} if name == "softmax" else {DETACHED} if name == "detach" else frozenset())
    return Tensor(
        owner.shape,
        dtype,
        framework,
        site=owner.site,
        name=owner.name,
        value=value,
        sources=(owner,),
        graph=owner.graph,
        tags=frozenset(tags),
    )


def _check_backward(
    tr: Tracer, owner: Tensor, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> None:
    """`backward()` without a gradient needs a scalar; a gradient has the shape of what it is of."""
    if owner.dims is None or owner.framework != "torch":
        return
    given = args[0] if args else kwargs.get("gradient")
    if given is not None:
        demand_same_shape(Op(tr, "backward", node, tr.site(node)), owner, given)
        return
    if args:
        return
    size = product(owner.dims)
    if (isinstance(size, int) and size != 1) or (not isinstance(size, int) and size.interval.lo > 1):
        _not_reduced(tr, owner, node)
    elif not isinstance(size, int):
        tr.advise(
            "tracing/unreduced-loss",
            (
                f"`backward()` is called on a tensor of shape {show_shape(owner.dims)}; only a scalar "
                "can be differentiated, so reduce it first"
            ),
            tr.site(node),
            "backward",
        )


def _not_reduced(tr: Tracer, owner: Tensor, node: ast.Call | None) -> None:
    op = Op(tr, "backward", node, tr.site(node))
    fail(
        op,
        "scalar-loss",
        (
            "only a scalar can be differentiated, and the loss has the shape "
            f"{show_shape(owner.dims or ())}; reduce it first"
        ),
        (owner,),
    )
