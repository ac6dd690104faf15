"""Whether the gradient of an operator is the first to fail on the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.numerical.confirm.problem import SearchProblem
from analyzer.numerical.confirm.torch_evaluation import OperatorTrace, run
from analyzer.numerical.confirm.torch_registry import Mode


def gradient_fails(problem: SearchProblem, point: Mapping[str, Any]) -> bool:
    """Whether nothing fails on the way forward, and on the way back the operator's gradient is the first to do so.

    It must reach a leaf: behind a clip that has closed it does no harm.
    """
    import torch

    leaves = {name: tensor.detach().clone() for name, tensor in point.items()}
    for tensor in leaves.values():
        if tensor.is_floating_point():
            tensor.requires_grad_(True)
    trace = OperatorTrace(problem.outputs[0], infinite=problem.infinite)
    values = run(problem.program, {**problem.fixed, **leaves}, Mode(surrogate=False), trace)
    ends = [values[n] for n in problem.ends if n in values]
    if trace.earlier or any(not bool(torch.isfinite(end).all()) for end in ends):
        return False
    total = sum(end.sum() for end in ends if end.is_floating_point())
    if not isinstance(total, torch.Tensor) or not total.requires_grad:
        return False
    floating = [t for t in leaves.values() if t.requires_grad]
    reached = torch.autograd.grad(total, floating, allow_unused=True, retain_graph=True)
    if all(g is None or bool(torch.isfinite(g).all()) for g in reached):
        return False
    return any(first_to_fail(total, given, made) for given, made in trace.executions)


def first_to_fail(total: Any, operands: Sequence[Any], results: Sequence[Any]) -> bool:
    """Whether the gradient reaches an operator's results finite and leaves it towards an operand not finite."""
    import torch

    tensors = [t for t in (*results, *operands) if isinstance(t, torch.Tensor) and t.requires_grad]
    if not tensors:
        return False
    found = torch.autograd.grad(total, tensors, allow_unused=True, retain_graph=True)
    behind = {id(t): g for t, g in zip(tensors, found, strict=True) if g is not None}

    def sound(items: Sequence[Any]) -> bool:
        return all(bool(torch.isfinite(behind[id(t)]).all()) for t in items if id(t) in behind)

    return sound(results) and not sound(operands)
