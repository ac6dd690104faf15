"""torch.nn.Embedding of a table that is given: it has a row for each number, and the table's width."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import show_shape
from analyzer.tracing.language.values import Api, Value
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.trainable import choose_trained

_KEPT = ("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse", "mode", "include_last_offset")


@operator("torch.nn.Embedding.from_pretrained torch.nn.EmbeddingBag.from_pretrained", "embeddings *rest")
def of_table(op: Op, embeddings: Value, rest: tuple[Value, ...]) -> Value:
    table = tensor_of(op.tr, embeddings, "torch")
    if table is None or table.dims is None:
        return op.tr.unknown("an embedding")
    if len(table.dims) != 2:
        fail(op, "rank", f"a table of rows is needed, but the shape is {show_shape(table.dims)}", (table,))
    options = {name: value for name, value in op.extra.items() if name in _KEPT}
    choose_trained(op.tr, None)  # it is frozen unless the program asks otherwise
    return call(op.tr, Api(op.name.removesuffix(".from_pretrained")), table.dims, options)
