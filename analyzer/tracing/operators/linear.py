"""Matrix products of both frameworks."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op


def matmul(
    op: Op, left: Value, right: Value, framework: str, transpose_a: Value = False, transpose_b: Value = False
) -> Value:
    """`@`, torch.matmul, np.matmul, tf.matmul. Before TensorFlow 1.14 batches did not broadcast: ranks had to agree."""
    tr = op.tr
    a, b = tensor_of(tr, left, framework), tensor_of(tr, right, framework)
    if a is None or b is None:
        return unknown_tensor(op, framework)
    if framework != "tf":
        result = apply(op, "torch", "matmul", (_loose(a), _loose(b)))
        if isinstance(result, Tensor):
            result.framework = framework
        return result
    if not isinstance(transpose_a, bool) or not isinstance(transpose_b, bool):
        return unknown_tensor(op, "tf", (a, b))
    version = tr.shared.versions.get("tensorflow")
    if version is not None and version < (1, 14):
        for x, y in ((a, b), (b, a)):
            if x.dims is None and y.dims is not None:
                tr.set_rank(x, len(y.dims))
    if a.dims is None or b.dims is None:
        return unknown_tensor(op, "tf", (a, b))
    if version is not None and version < (1, 14) and len(a.dims) != len(b.dims):
        sentence = (
            f"{show_shape(a.dims)} and {show_shape(b.dims)} have {len(a.dims)} and {len(b.dims)} "
            "dimensions; before TensorFlow 1.14 both need the same number"
        )
        fail(op, "rank", sentence, (a, b))
    name = "MatMul" if len(a.dims) == 2 and len(b.dims) == 2 else "BatchMatMulV2"
    if name == "BatchMatMulV2" and version is not None and version < (1, 14):
        name = "BatchMatMul"
    if len(a.dims) < 2 or len(b.dims) < 2:
        name = "MatMul"
    keys = ("transpose_a", "transpose_b") if name == "MatMul" else ("adj_x", "adj_y")
    return apply(op, "tf", name, (_loose(a), _loose(b)), dict(zip(keys, (transpose_a, transpose_b), strict=True)))


def _loose(tensor: Tensor) -> Tensor:
    """Arrays that come from NumPy or from outside have element types that nobody promised."""
    if tensor.framework == "numpy":
        return Tensor(
            tensor.shape,
            None,
            tensor.framework,
            name=tensor.name,
            site=tensor.site,
            graph=tensor.graph,
            sources=tensor.sources,
        )
    return tensor
