"""torch: sparse tensors, which have the shape of the dense ones that they stand for."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.validity.terms import equal


@operator(
    "torch.sparse_coo_tensor torch.sparse.FloatTensor torch.sparse.DoubleTensor torch.sparse.LongTensor",
    "indices=None values=None size=None *rest",
)
def coordinates(op: Op, indices: Value, values: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    """Places (axes, n) and what stands there, (n, *dense)."""
    places = tensor_of(op.tr, indices, "torch") if indices is not None else None
    held = tensor_of(op.tr, values, "torch") if values is not None else None
    if places is not None and held is not None and places.dims is not None and held.dims is not None:
        if len(places.dims) != 2:
            fail(
                op,
                "rank",
                f"the indices must have 2 dimensions and have the shape {show_shape(places.dims)}",
                (places,),
            )
        if held.dims:
            told = f"there are {places.dims[1]} places for {held.dims[0]} values"
            require(op, equal(places.dims[1], held.dims[0]), "size", told, (places, held))
    dims = shape_argument(op, (size,)) if size is not None else None
    return Tensor(dims, held.dtype if held is not None else None, "torch", site=op.where)


@operator("torch.sparse_csr_tensor torch.sparse_csc_tensor", "compressed indices values size=None *rest")
def compressed(op: Op, compressed: Value, indices: Value, values: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    held = tensor_of(op.tr, values, "torch")
    dims = shape_argument(op, (size,)) if size is not None else None
    return Tensor(dims, held.dtype if held is not None else None, "torch", site=op.where)


@operator(
    "Tensor.coalesce Tensor.to_sparse_coo Tensor.to_sparse_csr Tensor.to_sparse_csc Tensor.to_mkldnn "
    "torch.sparse.softmax torch.sparse.log_softmax",
    "input *rest",
)
def same_shape(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    return Tensor(found.shape, found.dtype, "torch", site=op.where, sources=(found,))


@operator("Tensor.indices Tensor._indices", "input")
def places(op: Op, input: Value) -> Value:
    """(axes, n), where no axis is dense; how many places there are is not known."""
    found = tensor_of(op.tr, input, "torch")
    axes = len(found.dims) if found is not None and found.dims is not None else None
    dims = None if axes is None else (op.tr.fresh("sparse_dim", "unknown", 1, axes), op.tr.fresh("nnz", "unknown", 0))
    return Tensor(dims, "int64", "torch", site=op.where)


@operator("torch.spmm torch.sparse.mm torch.smm torch.hspmm torch.dsmm", "mat1 mat2 *rest")
def sparse_product(op: Op, mat1: Value, mat2: Value, rest: tuple[Value, ...]) -> Value:
    """Matrices alone, in every layout; a vector is multiplied too by `torch.spmm`."""
    left, right = tensor_of(op.tr, mat1, "torch"), tensor_of(op.tr, mat2, "torch")
    if left is None or right is None or left.dims is None or right.dims is None:
        return unknown_tensor(op, "torch")
    if len(left.dims) != 2 or len(right.dims) not in (1, 2):
        return unknown_tensor(op, "torch")
    told = f"cannot multiply {show_shape(left.dims)} by {show_shape(right.dims)}"
    require(op, equal(left.dims[1], right.dims[0]), "inner-size", told, (left, right))
    return Tensor((left.dims[0], *right.dims[1:]), None, "torch", site=op.where, sources=(left, right))


@operator("torch.sparse.addmm", "mat mat1 mat2 *rest")
def added_product(op: Op, mat: Value, mat1: Value, mat2: Value, rest: tuple[Value, ...]) -> Value:
    return sparse_product(op, mat1, mat2, ())
