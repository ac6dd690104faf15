"""Values that are tensors because a program calls methods of them that tensors of PyTorch alone have."""

from __future__ import annotations

import ast

from analyzer.frameworks.api_tables import framework_data
from analyzer.tracing.language.all_parts import all_parts
from analyzer.tracing.language.evaluation import evaluate, get_attribute
from analyzer.tracing.language.known_types import kind_of
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Unknown, Value
from analyzer.tracing.paths.tracer import Tracer

# Arrays of NumPy, data frames, modules, texts, images and process groups have none of these.
_OF_TENSORS = frozenset((
    "unsqueeze", "permute", "contiguous", "numel", "expand_as", "view_as", "type_as", "masked_fill",
    "masked_fill_", "masked_select", "index_select", "index_add", "index_add_", "index_copy_", "scatter_add_",
    "scatter_", "new_zeros", "new_ones", "new_full", "new_empty", "new_tensor", "narrow", "log_softmax", "bmm",
    "unsqueeze_", "squeeze_", "log_", "exp_", "add_", "mul_", "div_", "sub_", "clamp_", "clamp_min",
    "clamp_max", "baddbmm", "addmm", "repeat_interleave", "is_contiguous", "element_size", "data_ptr",
    "is_floating_point", "movedim", "unflatten", "triu", "tril",
))  # fmt: skip
_OF_ARRAYS = frozenset(("astype", "copy", "tocoo", "tocsr", "toarray", "to_numpy", "iloc", "loc", "as_list"))
_OF_SEVERAL_SIZES = frozenset(("view", "expand"))  # which others take with one argument, or none


def callee(tr: Tracer, node: ast.Call) -> Value:
    """What is called: a method of the tensor that an unknown value has to be, if it is to have this method."""
    function = node.func
    if not isinstance(function, ast.Attribute):
        return evaluate(tr, function)
    owner = evaluate(tr, function.value)
    if isinstance(owner, Unknown) and (tensor := _tensor(tr, owner, function.attr, node)) is not None:
        return get_attribute(tr, tensor, function.attr, function)
    return get_attribute(tr, owner, function.attr, function)


def _tensor(tr: Tracer, owner: Unknown, name: str, node: ast.Call) -> Tensor | None:
    known = owner.tensor
    if known is not None:
        return known if known.framework == "torch" and is_of_tensors(name) and name not in owner.attrs else None
    if owner.value is not None or owner.term is not None or owner.pytype or kind_of(owner) or name in owner.attrs:
        return None
    several = name in _OF_SEVERAL_SIZES and len(node.args) > 1
    size = name == "size" and len(node.args) == 1 and not node.keywords and _whole(node.args[0])
    size = size or (name == "flatten" and 0 < len(node.args) <= 2 and all(map(_whole, node.args)))
    asked = name in ("size", "dim") and not node.args and not node.keywords and _given_to_forward(tr, owner)
    if name in _OF_TENSORS or several or size or asked:
        return tr.tensor_of(owner, "torch")
    return tr.tensor_of(owner, "unknown") if name == "reshape" and _are_sizes(node) else None


def _are_sizes(node: ast.Call) -> bool:
    """Whether sizes are written: every array has a `reshape` that takes them, whichever library makes it.

    Those of MXNet read 0 and what is less than -1 in ways of their own.
    """
    first = node.args[0] if len(node.args) == 1 else None
    sizes = first.elts if isinstance(first, (ast.Tuple, ast.List)) else node.args
    several = len(sizes) > 1 or sizes is not node.args
    return several and not node.keywords and not any(map(_counts_otherwise, sizes))


def _counts_otherwise(size: ast.expr) -> bool:
    if isinstance(size, ast.UnaryOp) and isinstance(size.op, ast.USub) and isinstance(size.operand, ast.Constant):
        return size.operand.value != 1
    return isinstance(size, ast.Starred) or (isinstance(size, ast.Constant) and (size.value in (0, None, "")))


def _given_to_forward(tr: Tracer, value: Unknown) -> bool:
    """Whether it is an argument of the `forward` of a module that is being followed, and no array there."""
    function = tr.frame.function if tr.frames else None
    if function is None or function.owner is None or function.name != "forward" or value.origin != "param":
        return False
    bases = function.owner.library_bases
    return any(b.endswith("nn.Module") or b.startswith("torch.nn.") for b in bases) and not is_used_as_array(
        function.node, value.label
    )


def is_used_as_array(function: ast.AST, name: str) -> bool:
    """Whether a function treats what it calls `name` as an array of NumPy: its methods, its words, its functions."""
    for node in all_parts(function):
        if isinstance(node, ast.Attribute) and node.attr in _OF_ARRAYS and _is_name(node.value, name):
            return True
        if not isinstance(node, ast.Call):
            continue
        method = isinstance(node.func, ast.Attribute) and _is_name(node.func.value, name)
        if method and any(k.arg in ("axis", "keepdims") for k in node.keywords):
            return True
        called = ast.unparse(node.func)
        taken = called == "torch.from_numpy" or called.startswith(("np.", "numpy."))
        if taken and any(_is_name(argument, name) for argument in node.args):
            return True
        if called == "isinstance" and _is_name(node.args[0], name) and "ndarray" in ast.unparse(node):
            return True
    return False


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def is_of_tensors(name: str) -> bool:
    """Whether tensors of PyTorch have an attribute of that name, others perhaps too."""
    return name in framework_data("torch")["attributes"]["torch.Tensor"]


def _whole(node: ast.expr) -> bool:
    number = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(number, ast.Constant) and isinstance(number.value, int)
