"""torch: the memory behind a tensor, and where it lies."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Native, Object, Value
from analyzer.tracing.operators.element_types import item_size
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.validity.terms import product


@operator("torch.Tensor.untyped_storage torch.Tensor.storage torch.Tensor._typed_storage", "input")
def storage(op: Op, input: Value) -> Value:
    """One memory for a tensor and its views: its size is known where the tensor is none of a larger one."""
    made = Object("storage", site=op.where)
    size = _bytes(input) if isinstance(input, Tensor) else None
    typed = op.short != "untyped_storage"
    number = op.tr.unknown("the size of a memory", pytype="int") if size is None else size
    each = item_size(input.dtype) if isinstance(input, Tensor) else None
    elements = size // each if typed and isinstance(size, int) and each else number if not typed else None
    count = op.tr.unknown("the size of a memory", pytype="int") if elements is None else elements
    address = op.tr.unknown("an address", pytype="int")
    methods = {"nbytes": number, "size": count, "data_ptr": address, "_cdata": address, "resize_": None}
    made.attrs |= {name: _giving(name, value) for name, value in methods.items()}
    made.attrs["_cdata"] = address
    if isinstance(input, Tensor):
        made.attrs["device"] = op.tr.unknown("a device", "data", "device", "object")
    return made


def _giving(name: str, value: Value) -> Native:
    return Native(name, lambda c: value)


def _bytes(tensor: Tensor) -> Value:
    """None where the tensor may be a part of a larger memory."""
    whole = tensor.dims is not None and not tensor.sources and tensor.making is not None
    size = item_size(tensor.dtype)
    made_new = whole and tensor.making is not None and tensor.making.short in _NEW
    return product(tensor.dims or ()) * size if made_new and size is not None else None


_NEW = frozenset(("zeros", "ones", "rand", "randn", "empty", "full", "arange", "eye", "randint", "randperm"))


@operator("torch.Tensor.storage_offset", "input")
def offset(op: Op, input: Value) -> Value:
    """Zero of a tensor that is no view."""
    made_new = isinstance(input, Tensor) and _bytes(input) is not None
    return 0 if made_new else op.tr.unknown("where a view begins", pytype="int")


@operator("torch.Tensor.is_pinned torch.Tensor.is_shared", "input *rest")
def of_the_machine(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    return op.tr.unknown(op.short, "data", op.short, "bool")


@operator("torch.Tensor.is_inference torch.is_inference", "input")
def of_inference(op: Op, input: Value) -> Value:
    """Whether it was made in inference mode, which a program asks for seldom."""
    found = op.tr.unknown(op.short, "imprecise", op.short, "bool")
    found.default = False
    return found


@operator("torch.Tensor.get_device", "input")
def device_number(op: Op, input: Value) -> Value:
    """-1 on a processor."""
    found = op.tr.unknown("a device", "data", "get_device", "int")
    found.default = -1
    return found


@operator("torch._debug_has_internal_overlap", "input")
def overlaps(op: Op, input: Value) -> Value:
    return op.tr.unknown(op.short, pytype="int")


@operator("torch.from_dlpack torch.utils.dlpack.from_dlpack", "ext_tensor *rest")
def from_capsule(op: Op, ext_tensor: Value, rest: tuple[Value, ...]) -> Value:
    """The same elements in the same memory, as a tensor of PyTorch."""
    if not isinstance(ext_tensor, Tensor):
        return op.tr.unknown("a tensor")
    return Tensor(ext_tensor.shape, ext_tensor.dtype, "torch", site=op.where, sources=(ext_tensor,))


@operator("torch.utils.dlpack.to_dlpack torch.to_dlpack", "tensor")
def capsule(op: Op, tensor: Value) -> Value:
    return tensor


@operator("torch.Tensor.set_", "input source=None storage_offset=0 size=None stride=None")
def other_memory(op: Op, input: Value, source: Value, storage_offset: Value, size: Value, stride: Value) -> Value:
    """The tensor takes what another one has, or a memory in sizes that are given; all of it without them."""
    dtype = getattr(input, "dtype", None)
    if size is not None:
        return Tensor(shape_argument(op, (size,)), dtype, "torch", site=op.where)
    if isinstance(source, Tensor):
        return Tensor(source.shape, dtype, "torch", site=op.where)
    return Tensor((0,) if source is None else None, dtype, "torch", site=op.where)


@operator("torch.Tensor.resize_as_", "input the_template *rest")
def sized_as(op: Op, input: Value, the_template: Value, rest: tuple[Value, ...]) -> Value:
    shape = the_template.shape if isinstance(the_template, Tensor) else None
    return Tensor(shape, getattr(input, "dtype", None), "torch", site=op.where)
