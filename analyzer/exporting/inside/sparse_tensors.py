"""Products with sparse tensors as products with dense ones: the exporter knows no sparse ones.

The numbers are the same where all are finite: what is not stored is 0.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

LARGEST = 1 << 24  # elements of a tensor that is made dense: 64 MiB in float32, as much as a model has embedded


def products_of_dense(torch: Any) -> Any:
    """A mode under which products and sums take sparse operands as dense ones."""
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import _disable_current_modes

    tensor, sparse = torch.Tensor, torch.sparse
    dense = {sparse.mm: torch.mm, sparse.addmm: torch.addmm, torch.spmm: torch.mm, torch.smm: torch.mm}
    dense[sparse.sum] = torch.sum
    same = {torch.mm, torch.matmul, torch.mv, torch.bmm, torch.addmm, torch.mul, torch.add, torch.sub, tensor.matmul}
    same |= {tensor.mm, tensor.mv, tensor.bmm, tensor.addmm, tensor.__matmul__, tensor.__rmatmul__, tensor.to_dense}
    made: dict[int, tuple[Any, Any]] = {}  # of constants

    def of(operand: Any) -> Any:
        if not is_sparse(operand, torch) or operand.numel() > LARGEST:
            return operand
        if type(operand) is not tensor:  # traced, or a weight
            return operand.to_dense()
        if id(operand) not in made:
            with _disable_current_modes():
                made[id(operand)] = (operand, operand.to_dense())
        return made[id(operand)][1]

    class Dense(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            named = kwargs or {}
            if function in dense or (function in same and any(is_sparse(x, torch) for x in args)):
                given = [of(x) for x in args]
                if not any(is_sparse(x, torch) for x in given):
                    return dense.get(function, function)(*given, **{k: of(v) for k, v in named.items()})
            if function == tensor.coalesce and not is_sparse(args[0], torch):
                return args[0]
            return function(*args, **named)

    return Dense()


def is_sparse(value: Any, torch: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.layout is not torch.strided


@contextlib.contextmanager
def dense_state(module: Any, torch: Any) -> Iterator[bool]:
    """While this lasts buffers and weights that are sparse are dense; whether there are any."""
    held = [(d, n, v) for part in module.modules() for d in (part._buffers, part._parameters) for n, v in d.items()]
    sparse = [each for each in held if is_sparse(each[2], torch) and each[2].numel() <= LARGEST]
    for where, name, value in sparse:
        made = value.detach().to_dense()
        where[name] = torch.nn.Parameter(made) if isinstance(value, torch.nn.Parameter) else made
    try:
        yield bool(sparse)
    finally:
        for where, name, value in sparse:
            where[name] = value
