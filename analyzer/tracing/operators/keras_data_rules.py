"""Keras: data sets of arrays, as `keras.utils` makes them for `fit`."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Object, Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_pipelines import data_method


@operator(
    "keras.utils.timeseries_dataset_from_array keras.preprocessing.timeseries_dataset_from_array",
    "data targets sequence_length sequence_stride=1 sampling_rate=1 batch_size=128 *rest",
)
def time_series(
    op: Op,
    data: Value,
    targets: Value,
    sequence_length: Value,
    sequence_stride: Value,
    sampling_rate: Value,
    batch_size: Value,
    rest: tuple[Value, ...],
) -> Value:
    """Batches of windows of so many rows each, with a target for each window where there are any."""
    source, length = tensor_of(op.tr, data, "tf"), op.tr.term_of(sequence_length, "sequence_length")
    if source is None or not source.dims or length is None:
        return op.tr.unknown("a data set", "imprecise")
    one: Value = Tensor((length, *source.dims[1:]), source.dtype, "tf", site=op.where)
    numbers: list[Value] = [source.dims[0], length, sequence_stride, sampling_rate]
    if targets is not None:
        wanted = tensor_of(op.tr, targets, "tf")
        if wanted is None or not wanted.dims:
            return op.tr.unknown("a data set", "imprecise")
        one = (one, Tensor(wanted.dims[1:], wanted.dtype, "tf", site=op.where))
        numbers.append(wanted.dims[0])
    whole = not rest and op.extra.get("start_index") is None and op.extra.get("end_index") is None
    windows = Object("tfdataset", data={"element": one, "count": _count(numbers) if whole else None}, site=op.where)
    return windows if batch_size is None else data_method(op.tr, windows, "batch", (batch_size,), {})


def _count(numbers: list[Value]) -> int | None:
    """How many windows there are: so many rows, the length and the distances of windows and rows, and targets."""
    known = [number for number in numbers if type(number) is int and number > 0]
    if len(known) != len(numbers):
        return None
    rows, length, stride, rate, *targets = known
    starts = min([rows - (length - 1) * rate, *targets])
    return max(-(-starts // stride), 0)
