"""torch.utils.data: the order in which a loader asks for examples, and how it puts them together."""

from __future__ import annotations

import math
from typing import Any

from analyzer.tracing.language.evaluation import iterate
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import DictV, ListV, Native, Object, Value
from analyzer.tracing.operators.data import MOST_INDICES, collate, count_of
from analyzer.tracing.operators.operands import items_of
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.tracer import Tracer

_BASE = "torch.utils.data.Sampler"


def _sampler(op: Op, count: int | None, indices: list[Value] | None = None, **attrs: Value) -> Object:
    """So many numbers of examples, in an order that nobody knows where `indices` does not tell it."""
    attrs["set_epoch"] = Native("set_epoch", lambda c: None)
    return Object("sampler", attrs, {"count": count, "indices": indices, "classes": (op.name, _BASE)}, op.where)


@operator("torch.utils.data.SequentialSampler", "data_source")
def in_order(op: Op, data_source: Value) -> Value:
    count = count_of(op.tr, data_source)
    indices = list(range(count)) if count is not None and count <= MOST_INDICES else None
    return _sampler(op, count, indices, data_source=data_source)


@operator("torch.utils.data.RandomSampler", "data_source replacement=False num_samples=None generator=None")
def at_random(op: Op, data_source: Value, replacement: Value, num_samples: Value, generator: Value) -> Value:
    return _sampler(op, _number(op, data_source, num_samples), data_source=data_source, replacement=replacement)


@operator("torch.utils.data.SubsetRandomSampler", "indices generator=None")
def of_some(op: Op, indices: Value, generator: Value) -> Value:
    made = _sampler(op, _number(op, indices, None))
    made.attrs["indices"] = indices
    return made


@operator("torch.utils.data.WeightedRandomSampler", "weights num_samples replacement=True generator=None")
def by_weights(op: Op, weights: Value, num_samples: Value, replacement: Value, generator: Value) -> Value:
    return _sampler(op, num_samples if type(num_samples) is int else None, weights=weights, num_samples=num_samples)


@operator(
    "torch.utils.data.DistributedSampler",
    "dataset num_replicas=None rank=None shuffle=True seed=0 drop_last=False",
)
def of_one_process(
    op: Op, dataset: Value, num_replicas: Value, rank: Value, shuffle: Value, seed: Value, drop_last: Value
) -> Value:
    """Every process has as many examples; without `drop_last` some are repeated for that."""
    count, parts = count_of(op.tr, dataset), num_replicas
    if count is not None and type(parts) is int and parts > 0 and isinstance(drop_last, bool):
        share = count // parts if drop_last and count % parts else math.ceil(count / parts)
    else:
        share = None
    return _sampler(op, share, dataset=dataset, num_replicas=num_replicas, rank=rank)


def _number(op: Op, source: Value, asked: Value) -> int | None:
    if asked is not None:
        return asked if type(asked) is int else None
    return len(source) if type(source) is tuple else count_of(op.tr, source)


@operator("torch.utils.data.BatchSampler", "sampler batch_size drop_last")
def in_batches(op: Op, sampler: Value, batch_size: Value, drop_last: Value) -> Value:
    count = len(sampler) if type(sampler) is tuple else count_of(op.tr, sampler)
    attrs = {"sampler": sampler, "batch_size": batch_size, "drop_last": drop_last}
    if count is None or type(batch_size) is not int or batch_size <= 0 or not isinstance(drop_last, bool):
        return Object(
            "sampler",
            attrs,
            {"count": None, "indices": None, "batch": batch_size, "classes": (op.name, _BASE)},
            op.where,
        )
    number = count // batch_size if drop_last else math.ceil(count / batch_size)
    batches: list[Value] | None = None
    if count <= MOST_INDICES:
        indices, endless = iterate(op.tr, sampler, op.node)
        every = [] if endless else list(indices)
        batches = [ListV(every[n * batch_size : (n + 1) * batch_size]) for n in range(number)] if every else None
    data = {"count": number, "indices": batches, "batch": batch_size, "classes": (op.name, _BASE)}
    return Object("sampler", attrs, data, op.where)


@operator("torch.utils.data.get_worker_info", "")
def worker(op: Op) -> Value:
    """None in the main process."""
    return op.tr.unknown("a worker", "data", "worker_info") if op.tr.in_definition else None


@operator("torch.utils.data.default_collate torch.utils.data.default_convert", "batch *rest")
def put_together(op: Op, batch: Value, rest: tuple[Value, ...]) -> Value:
    """The examples of a batch, of which the first tells what they are made of."""
    examples = items_of(batch)
    if op.short == "default_convert" or not examples or not all(_alike(examples[0], e) for e in examples[1:]):
        return op.tr.unknown("a batch")
    return _transposed(op.tr, collate(op.tr, examples[0], len(examples)), examples)


def _alike(one: Value, other: Value) -> bool:
    """Whether two examples have parts of the same kinds and shapes."""
    if isinstance(one, Tensor):
        return isinstance(other, Tensor) and one.dims == other.dims
    if isinstance(one, DictV):
        return isinstance(other, DictV) and set(one.items) == set(other.items) and not other.open
    if isinstance(one, (tuple, ListV)):
        return isinstance(other, (tuple, ListV)) and len(items_of(one)) == len(items_of(other))
    return True


def _transposed(tr: Tracer, made: Value, examples: list[Any]) -> Value:
    """Texts stay as they are, in a list."""
    return ListV(examples) if isinstance(examples[0], str) else made
