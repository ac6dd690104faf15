"""TensorFlow: examples read from records by the features that the program names, and tables of words."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import DictV, Object, Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, shape_value, tensor
from analyzer.tracing.operators.tf_sparse_rules import sparse_tensor
from analyzer.tracing.paths.tracer import Tracer

FEATURE, TABLE_OF_WORDS = "feature", "table of words"


@operator(
    "tf.io.FixedLenFeature tf.FixedLenFeature tf.io.FixedLenSequenceFeature tf.FixedLenSequenceFeature",
    "shape dtype *rest",
)
def fixed(op: Op, shape: Value, dtype: Value, rest: tuple[Value, ...]) -> Value:
    kind = "sequence" if "Sequence" in op.short else "fixed"
    return Object(FEATURE, {"shape": shape, "dtype": dtype}, {"kind": kind}, op.where)


@operator("tf.io.VarLenFeature tf.VarLenFeature", "dtype")
def variable(op: Op, dtype: Value) -> Value:
    return Object(FEATURE, {"dtype": dtype}, {"kind": "variable"}, op.where)


@operator("tf.io.RaggedFeature tf.io.SparseFeature tf.SparseFeature", "*args")
def other(op: Op, args: tuple[Value, ...]) -> Value:
    return Object(FEATURE, {}, {"kind": "other"}, op.where)


@operator(
    "tf.io.parse_single_example tf.parse_single_example tf.io.parse_example tf.parse_example",
    "serialized features *rest",
)
def parsed(op: Op, serialized: Value, features: Value, rest: tuple[Value, ...]) -> Value:
    """A tensor of each name; of a batch of examples with an axis for them."""
    if not isinstance(features, DictV) or features.lost:
        return op.tr.unknown("features", "data")
    batch: tuple[Any, ...] = ()
    if op.short == "parse_example":
        texts = tensor(op, serialized)
        known = texts is not None and texts.dims is not None and len(texts.dims) == 1
        batch = texts.dims if texts is not None and texts.dims and known else (op.tr.fresh("batch", "batch", 1),)
    return DictV({name: _feature(op, told, batch) for name, told in features.items.items()}, features.open)


def _feature(op: Op, told: Value, batch: tuple[Any, ...]) -> Value:
    if not isinstance(told, Object) or told.kind != FEATURE:
        return op.tr.unknown("a feature", "data")
    kind = dtype_name(told.attrs.get("dtype"))
    if told.data["kind"] == "variable":
        return sparse_tensor(op, (*batch, op.tr.fresh("entries", "unknown", 0)), kind)
    sizes = shape_value(op, told.attrs.get("shape"))
    if told.data["kind"] == "other" or sizes is None:
        return Tensor(None, kind, "tf", site=op.where)
    rows = (op.tr.fresh("rows", "unknown", 0),) if told.data["kind"] == "sequence" else ()
    return Tensor((*batch, *rows, *sizes), kind, "tf", site=op.where)


@operator("tf.io.parse_tensor", "serialized out_type *rest")
def parsed_tensor(op: Op, serialized: Value, out_type: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor(None, dtype_name(out_type), "tf", site=op.where)


@operator("tf.io.decode_image tf.image.decode_image", "contents channels=0 *rest")
def picture(op: Op, contents: Value, channels: Value, rest: tuple[Value, ...]) -> Value:
    """A picture, or several of one file where these are not excluded."""
    if op.extra.get("expand_animations", rest[1] if len(rest) > 1 else True) is not False:
        return Tensor(None, None, "tf", site=op.where)
    depth = channels if type(channels) is int and channels > 0 else op.tr.fresh("channels", "unknown", 1)
    height, width = (op.tr.fresh(name, "unknown", 1) for name in ("height", "width"))
    return Tensor((height, width, depth), None, "tf", site=op.where)


# ------------------------------------------------------------------------------------------- tables of words


@operator(
    "tf.lookup.KeyValueTensorInitializer tf.lookup.TextFileInitializer tf.contrib.lookup.KeyValueTensorInitializer",
    "keys values=None *rest",
)
def entries(op: Op, keys: Value, values: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor(op, values) if op.short.startswith("KeyValue") else None
    return Object("entries", {}, {"dtype": None if found is None else found.dtype}, op.where)


@operator(
    "tf.lookup.StaticHashTable tf.lookup.StaticVocabularyTable tf.lookup.experimental.DenseHashTable "
    "tf.lookup.experimental.MutableHashTable tf.contrib.lookup.HashTable tf.contrib.lookup.MutableHashTable "
    "tf.contrib.lookup.index_table_from_tensor tf.contrib.lookup.index_table_from_file "
    "tf.contrib.lookup.index_to_string_table_from_tensor",
    "initializer=None *rest",
)
def table(op: Op, initializer: Value, rest: tuple[Value, ...]) -> Value:
    known = isinstance(initializer, Object) and initializer.kind == "entries"
    return Object(TABLE_OF_WORDS, {}, {"dtype": initializer.data["dtype"] if known else None}, op.where)


def table_method(tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    """What is looked up has a value for each key."""
    op = Op(tr, f"table.{name}", None, tr.site())
    if name in ("lookup", "__getitem__"):
        keys = args[0] if args else kwargs.get("keys")
        source = tensor(op, keys) if keys is not None else None
        return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, owner.data["dtype"])
    if name == "size":
        return Tensor((), "int64", "tf", site=op.where)
    return (
        None if name in ("insert", "insert_or_assign", "remove", "erase") else tr.unknown(f"table.{name}()", "foreign")
    )
