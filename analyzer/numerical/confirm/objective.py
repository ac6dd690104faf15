"""What makes an operator fail, as something to minimise, and how to see that it did fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.numerical.confirm.infinities import Infinities

# operator -> (which operand, towards what); operand -1 is the result
LOWEST, HIGHEST, ZERO, LARGEST = "lowest", "highest", "zero", "largest"
EDGE = "edge"  # of [-1, 1], for gradients
TARGETS: Mapping[str, tuple[int, str]] = {
    "Log": (0, LOWEST),
    "Log1p": (0, LOWEST),
    "Sqrt": (0, LOWEST),
    "Rsqrt": (0, LOWEST),
    "Acosh": (0, LOWEST),
    "ReduceLogSum": (0, LOWEST),
    "Exp": (0, HIGHEST),
    "Expm1": (0, HIGHEST),
    "Sinh": (0, LARGEST),
    "Cosh": (0, LARGEST),
    "Acos": (0, LARGEST),
    "Asin": (0, LARGEST),
    "Atanh": (0, LARGEST),
    "Erfinv": (0, LARGEST),
    "Ndtri": (0, LARGEST),
    "BesselI0": (0, LARGEST),
    "Lgamma": (0, LOWEST),
    "Digamma": (0, LOWEST),
    "Cast": (0, LARGEST),
    "Div": (1, ZERO),
    "FloorDiv": (1, ZERO),
    "Mod": (1, ZERO),
    "Reciprocal": (0, ZERO),
    "Xlogy": (1, LOWEST),
    "BatchNormalization": (4, LOWEST),
    "LpNormalization": (0, LARGEST),
}
OF_GRADIENTS: Mapping[str, str] = {  # the same where the derivative by the operand is what fails
    "Sqrt": ZERO,
    "Abs": ZERO,
    "ReduceL2": ZERO,
    "EuclideanNorm": ZERO,
    "LpNormalization": ZERO,
    "Reciprocal": ZERO,
    "Acos": EDGE,
    "Asin": EDGE,
    "Acosh": EDGE,
    "Atanh": EDGE,
}


def target_of(operator: str, operand: int, backward: bool) -> tuple[int, str]:
    """The operand to drive and where to."""
    if operand == -1:
        return -1, LARGEST
    if operator == "Pow":
        return 0, ZERO
    if backward and operator in OF_GRADIENTS:
        return operand, OF_GRADIENTS[operator]
    known = TARGETS.get(operator)
    if known is not None:
        return known
    return -1, LARGEST


def objective(operands: Sequence[Any], output: Any, target: tuple[int, str]) -> Any:
    """A scalar tensor that falls as the operator comes closer to failing; the worst element alone counts."""
    import torch

    index, towards = target
    x = output if index < 0 or index >= len(operands) else operands[index]
    if not x.is_floating_point():
        return x.abs().float().min()
    x = torch.nan_to_num(x, nan=0.0)
    if towards == LOWEST:
        return x.min()
    if towards == HIGHEST:
        return -x.max()
    if towards == ZERO:
        return x.abs().min()
    return -x.abs().max()


def failed(operands: Sequence[Any], outputs: Sequence[Any], infinite: Infinities = Infinities.NONE) -> bool:
    """Finite operands, and a result that is not: this operator fails first.

    Where infinities are meant (a mask) only NaN is a failure.
    """
    import torch

    def finite(tensor: Any, infinite: bool) -> bool:
        if not tensor.is_floating_point():
            return True
        return not bool(torch.isnan(tensor).any()) if infinite else bool(torch.isfinite(tensor).all())

    given, made = bool(infinite), infinite.passed_on
    return all(finite(x, given) for x in operands) and not all(finite(y, made) for y in outputs)


def nearly(operands: Sequence[Any], target: tuple[int, str]) -> bool:
    """Whether the operand is so close to the edge that engines differ (denormals may be flushed to zero)."""
    import torch

    index, towards = target
    if index < 0 or index >= len(operands) or towards not in (LOWEST, ZERO):
        return False
    x = operands[index]
    if not x.is_floating_point() or x.numel() == 0 or not bool(torch.isfinite(x).all()):
        return False
    smallest = torch.finfo(x.dtype).tiny
    closest = x.min() if towards == LOWEST else x.abs().min()
    return bool(0 < closest < smallest)
