"""TensorFlow: complex numbers, blocks of pictures, strided parts, and structures put together."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import get_item
from analyzer.tracing.language.nested import Leaves, Open, rebuilt
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import SliceV, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import items_of, unknown_tensor
from analyzer.tracing.operators.table import Op, operator, rules, run_entry
from analyzer.tracing.operators.tf_operands import like, tensor

_COMPLEX = {"float32": "complex64", "float64": "complex128"}
_PARTS = {kind: real for real, kind in _COMPLEX.items()}


@operator("tf.complex tf.dtypes.complex", "real imag *rest")
def complex_(op: Op, real: Value, imag: Value, rest: tuple[Value, ...]) -> Value:
    made = broadcast(op, "+", real, imag, "tf")
    if isinstance(made, Tensor):
        made.dtype, made.value = _COMPLEX.get(made.dtype or ""), None
    return made


@operator("tf.real tf.imag tf.angle", "input *rest")
def part_of_complex(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    if source is None:
        return unknown_tensor(op, "tf")
    return like(op, source, source.shape, _PARTS.get(source.dtype or "", source.dtype))


@operator(
    "tf.nn.space_to_depth tf.space_to_depth tf.nn.depth_to_space tf.depth_to_space",
    "input block_size data_format='NHWC' *rest",
)
def blocks(op: Op, input: Value, block_size: Value, data_format: Value, rest: tuple[Value, ...]) -> Value:
    kind = "SpaceToDepth" if op.short == "space_to_depth" else "DepthToSpace"
    return apply(op, "tf", kind, (tensor(op, input),), {"block_size": block_size, "data_format": data_format})


@operator("tf.nn.convolution", "input filters strides=None padding='VALID' data_format=None dilations=None *rest")
def convolution(
    op: Op, input: Value, filters: Value, strides: Value, padding: Value, data_format: Value, dilations: Value,
    rest: tuple[Value, ...],
) -> Value:  # fmt: skip
    last = data_format is None or (isinstance(data_format, str) and data_format.endswith("C"))
    if not last or not isinstance(padding, str):
        return unknown_tensor(op, "tf")
    args = (
        input,
        filters,
        1 if strides is None else strides,
        padding.lower(),
        None,
        1 if dilations is None else dilations,
    )
    return run_entry(op.tr, rules()["keras.ops.conv"], "keras.ops.conv", args, {}, op.node)


@operator("tf.strided_slice", "input_ begin end strides=None *rest")
def strided_slice(op: Op, input_: Value, begin: Value, end: Value, strides: Value, rest: tuple[Value, ...]) -> Value:
    """As many slices as are named; the masks, which let some be left out, are not followed."""
    source = tensor(op, input_)
    lows, highs = plain(op.tr, begin), plain(op.tr, end)
    steps = (1,) * len(lows) if strides is None and isinstance(lows, tuple) else plain(op.tr, strides)
    masked = bool(rest) or any(op.extra.get(name) for name in _MASKS)
    bounds = (lows, highs, steps)
    if source is None or masked or not all(isinstance(b, tuple) and len(b) == len(lows) for b in bounds):
        return unknown_tensor(op, "tf")
    return get_item(op.tr, source, tuple(SliceV(*part) for part in zip(*bounds, strict=True)), op.node)


_MASKS = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")


@operator("tf.linalg.cholesky_solve", "chol rhs *rest")
def cholesky_solve(op: Op, chol: Value, rhs: Value, rest: tuple[Value, ...]) -> Value:
    return run_entry(op.tr, rules()["tf.linalg.solve"], "tf.linalg.solve", (chol, rhs), {}, op.node)


@operator("tf.nn.compute_average_loss tf.nn.scale_regularization_loss", "per_example_loss *rest")
def average_loss(op: Op, per_example_loss: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, per_example_loss)
    return unknown_tensor(op, "tf", (), ()) if source is None else like(op, source, (), source.dtype)


@operator("tf.nest.pack_sequence_as keras.tree.pack_sequence_as", "structure flat_sequence *rest")
def packed(op: Op, structure: Value, flat_sequence: Value, rest: tuple[Value, ...]) -> Value:
    leaves = iter(items_of(flat_sequence))
    try:
        return rebuilt(structure, Leaves(True, True, False, None), lambda _: next(leaves))
    except (Open, StopIteration):
        return op.tr.unknown("a structure", "imprecise")


@operator("keras.ops.convert_to_numpy tf.make_ndarray", "x")
def as_array(op: Op, x: Value) -> Value:
    source = tensor(op, x)
    if source is None:
        return unknown_tensor(op, "numpy")
    return Tensor(source.shape, source.dtype, "numpy", site=op.where, value=source.value, sources=(source,))


@operator("tf.make_tensor_proto", "values *rest")
def proto(op: Op, values: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, values)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


@operator("tf.math.bincount tf.bincount", "arr weights=None minlength=None maxlength=None *rest")
def bincount(op: Op, arr: Value, weights: Value, minlength: Value, maxlength: Value, rest: tuple[Value, ...]) -> Value:
    if op.extra.get("axis") is not None or op.extra.get("binary_output"):
        return unknown_tensor(op, "tf")
    fixed = type(minlength) is int and minlength == maxlength
    return Tensor((minlength if fixed else op.tr.fresh("bins", "unknown", 0),), None, "tf", site=op.where)
