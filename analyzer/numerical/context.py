"""`Context`: what a transfer function may ask about its node, and how it says that an operand is unsafe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx_ir as ir

from analyzer.graph import display_name
from analyzer.numerical.beside import add_points, proves_beside
from analyzer.numerical.boxes import proves_by_boxes
from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.dims import Shape
from analyzer.numerical.domain.dtypes import Array, ElementType
from analyzer.numerical.domain.tensor import AbstractTensor, common_starts
from analyzer.numerical.excuses import ABOVE, BELOW, NAN, NOTHING, Excuse, Guard, Kinds, excuse, guarded, outcomes
from analyzer.numerical.gradient_paths import carries_gradient, closed_where_zero, is_filled, is_trained
from analyzer.numerical.regions import proves_by_regions
from analyzer.numerical.result import Interval, Options
from analyzer.numerical.splitting import proves_by_splitting
from analyzer.operators.conditions import GRADIENT_OF_INFINITE_FACTOR, WHERE_LEAKS

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run
    from analyzer.numerical.transfer.registry import TransferRule


@dataclass(frozen=True, slots=True)
class Application:
    """A transfer function applied to abstract inputs: enough to evaluate it again with narrower ones."""

    context: Context
    inputs: tuple[Any, ...]
    output: int = 0

    @property
    def rule(self) -> TransferRule:
        return self.context.rule


class Context:
    """One node under interpretation."""

    __slots__ = ("bad", "masked", "node", "references", "rule", "run")

    def __init__(
        self, run: Run, node: ir.Node, rule: TransferRule, references: dict[str, ir.Attr] | None = None
    ) -> None:
        self.run, self.node, self.rule, self.references = run, node, rule, references
        self.masked = False  # the result is discarded wherever the operand is unsafe
        self.bad: Kinds = NOTHING  # what it then is, where a bound or a test for NaN discards it

    @property
    def options(self) -> Options:
        return self.run.options

    @property
    def op(self) -> str:
        return self.node.op_type

    @property
    def is_tf(self) -> bool:
        return self.node.domain == "tf"

    @property
    def opset(self) -> int:
        return self.run.opset

    # -- attributes and declared types --------------------------------------------------------------------------

    def attr(self, name: str, default: Any = None) -> Any:
        """The value of an attribute: int, float, str, list, tensor, graph; `default` if absent."""
        attribute = self.node.attributes.get(name)
        if attribute is None:
            if isinstance(default, float) and self.node.domain in ("", "ai.onnx"):
                return float(np.float32(default))  # ONNX keeps its attributes, and their defaults, in float32
            return default
        if attribute.is_ref():
            target = (self.references or {}).get(attribute.ref_attr_name or "")
            return default if target is None or target.value is None else target.value
        return attribute.value

    def element_type(self, output: int = 0, default: ElementType | None = None) -> ElementType:
        """The dtype that the graph declares for an output, else `default`, else float32."""
        outputs = self.node.outputs
        if output < len(outputs) and outputs[output].dtype is not None:
            declared = dtypes.of_onnx(outputs[output].dtype)
            if declared.kind != dtypes.OTHER:
                return declared
        return default or dtypes.FLOAT32

    def type_attr(self, *names: str) -> ElementType | None:
        """The dtype that an attribute names (ONNX's `to`, TensorFlow's `dtype`, `DstT`…)."""
        for name in names:
            value = self.attr(name)
            if value is None:
                continue
            if isinstance(value, ElementType):
                return value
            if isinstance(value, str):
                text = value.lower().removeprefix("dt_").removesuffix("_ref")
                text = {"float": "float32", "double": "float64", "half": "float16"}.get(text, text)
                return dtypes.element_type(text)
            return dtypes.of_onnx(ir.DataType(int(value)))
        return None

    def declared_shape(self, output: int = 0) -> Shape | None:
        """The shape recorded in the graph for an output."""
        outputs = self.node.outputs
        if output >= len(outputs) or outputs[output].shape is None:
            return None
        return self.run.shape_of(outputs[output])

    # -- building values -----------------------------------------------------------------------------------------

    def tensor(
        self, dtype: ElementType, shape: Shape | None, lo: Array, hi: Array, starts: Any = None, nan: bool = False
    ) -> AbstractTensor:
        return AbstractTensor(dtype, shape, lo, hi, starts, nan)

    def align(self, *tensors: AbstractTensor, shape: Shape | None) -> Any:
        """The common partition of operands that broadcast to `shape`."""
        for tensor in tensors:
            if tensor.starts is not None:
                if shape is None:
                    return None
                return common_starts(tensors, len(shape), self.block_limit)
        return None

    @property
    def block_limit(self) -> int:
        return self.run.block_limit

    # -- unsafe conditions ---------------------------------------------------------------------------------------

    def check(
        self,
        rule: str,
        danger: str,
        operands: dict[int, AbstractTensor],
        safe: Callable[..., bool],
        *,
        backward: bool = False,
        report: int | None = None,
        guard: Guard | None = None,
        leaks: bool = True,
    ) -> bool:
        """Whether `safe(*operands)` is proved, by splitting if need be; records a warning if it is not.

        `operands` maps operand numbers to their values; `report` is the operand that the warning names. `guard` tells
        the elements that do not fail, where it is not `safe` that says it of one; `leaks`: a gradient passes on
        where an excused operator fails.
        """
        tensors = tuple(operands.values())
        if not backward:
            self.run.ledger.checked(self.node)
        if safe(*tensors):
            return True
        self.run.ledger.unproven += not backward
        if self.run.ledger.quiet or (backward and not (self.options.backward and carries_gradient(self.node))):
            return False
        attempt = self.run.attempt
        if self.options.splitting and attempt(self.node, lambda: proves_by_splitting(self.run, tensors, safe)):
            return True
        if attempt(self.node, lambda: self.rule.elementwise and proves_beside(tensors, safe)):
            return True
        if attempt(self.node, lambda: proves_by_regions(self.run, tensors, safe)):
            return True
        if self.options.splitting and attempt(self.node, lambda: proves_by_boxes(self.run, tensors, safe)):
            return True
        index = next(iter(operands)) if report is None else report
        tensor = operands.get(index, tensors[0])
        known = guard or guarded(self.run, tensors, safe)
        if not backward and attempt(self.node, lambda: self._excused(rule, danger, tensors, known)):
            self.masked = True
            if leaks and self.options.backward and carries_gradient(self.node):
                self._leak(index, tensor, danger)
            return False
        self.run.ledger.warn(self.node, rule, index, tensor, danger, backward=backward)
        return False

    def _leak(self, index: int, tensor: AbstractTensor, danger: str) -> None:
        """The gradient of a failure that reaches no result; that of a ReLU's elements, which fail at 0 alone, is 0."""
        relu = self._closed() if index == 0 and len(self.node.inputs) == 1 and tensor.low >= 0 else None
        if relu is None:
            self.run.ledger.warn(self.node, WHERE_LEAKS, index, tensor, danger, backward=True)

    def _closed(self) -> ir.Node | None:
        """The ReLU of PyTorch whose elements operand 0 holds, which hands on no gradient where its result is 0."""
        return closed_where_zero(self.node.inputs[0]) if self.run.graph.framework == "torch" else None

    def _excused(
        self,
        rule: str,
        danger: str,
        operands: tuple[AbstractTensor, ...],
        guard: Guard,
    ) -> bool:
        """Whether the failure reaches no result; what is bad stays visible where it is its kind that is dropped."""
        found = excuse(self.run, self.node, danger, guard)
        # bodies of loops are looked at many times over
        main = self.node.graph is self.run.graph.graph
        if found is None and main and not rule.endswith(("overflow", "integer-division-by-zero")):
            found = excuse(self.run, self.node, danger, guard, outcomes(self.node, rule, operands), by_kind=True)
        if found is None:
            return False
        self.bad |= found.visible
        self.run.ledger.excused(found)
        return True

    def infinite_at_zero(self, rule: str, x: AbstractTensor) -> None:
        """Demand that operand 0 is not 0, where the gradient is infinite at 0 and nowhere else.

        Excused behind a ReLU of PyTorch, which hands on no gradient where its result is 0.
        """
        relu = self._closed()
        if relu is None:
            self.check(rule, "x = 0", {0: x}, lambda t: t.low >= t.dtype.smallest, backward=True)
        elif not self.run.ledger.quiet and self.options.backward:
            reason = f"`{display_name(relu)}` hands on no gradient where its result is 0"
            self.run.ledger.excused(Excuse(self.node, "an infinite gradient at x = 0", (reason,)))

    def finite_factor(self, index: int, factor: AbstractTensor, other: int) -> None:
        """Demand that operand `index` is finite where training computes the gradient of operand `other`.

        That gradient is the product of this factor with what comes back: where it is infinite, a later softmax or sum
        of exponentials that makes 0 of the result hands back a 0, and 0 times infinity is NaN.
        """
        if self.run.ledger.quiet or not self.options.backward or _is_finite(factor):
            return
        if is_trained(self.node.inputs[other]):
            where = f"its {'second' if index else 'first'} operand is infinite"
            self.check(GRADIENT_OF_INFINITE_FACTOR, where, {index: factor}, _is_finite, backward=True)

    def finite_quotient(self, dividend: AbstractTensor, divisor: AbstractTensor) -> None:
        """Demand that dividend / divisor², the gradient of a trained divisor, is finite where a mask fills the first.

        The largest number there is, over less than 1, is infinite; softmax makes 0 of it, and hands back a 0.
        """
        if self.run.ledger.quiet or not self.options.backward or not _is_finite(dividend):
            return
        if is_filled(self.node.inputs[0], dividend.dtype.hi) and is_trained(self.node.inputs[1]):
            where = "the quotient overflows"
            self.check(GRADIENT_OF_INFINITE_FACTOR, where, {0: dividend, 1: divisor}, _has_finite_share, backward=True)

    def with_bad_results(self, result: AbstractTensor) -> None:
        """Adds the results that are not finite, for those who throw them away to see."""
        if NAN in self.bad:
            result.nan = True
        points = [p for kind, p in ((BELOW, -np.inf), (ABOVE, np.inf)) if kind in self.bad]
        if points:
            add_points(result, points)
        result.form, result.tight = None, None

    def require(
        self,
        rule: str,
        danger: str,
        index: int,
        tensor: AbstractTensor,
        *,
        lo: float = -np.inf,
        hi: float = np.inf,
        keep_lo: float | None = None,
    ) -> AbstractTensor:
        """Demand that operand `index` lies in [lo, hi]; returns it as it is in runs that survive.

        `keep_lo` is the least value that survives in IEEE arithmetic, where it is below `lo` (denormals).
        """
        ok = self.check(rule, danger, {index: tensor}, lambda t: t.low >= lo and t.high <= hi and not t.nan)
        if ok and tensor.low >= lo and tensor.high <= hi:
            return tensor
        return self.restrict(tensor, lo if keep_lo is None else keep_lo, hi, remember=not ok)

    def restrict(self, tensor: AbstractTensor, lo: float, hi: float, *, remember: bool = True) -> AbstractTensor:
        """The operand restricted to [lo, hi], as every run that goes on has it; later uses see it so too."""
        new_lo, new_hi = np.clip(tensor.lo, lo, hi), np.clip(tensor.hi, lo, hi)
        restricted = tensor.with_bounds(new_lo, new_hi)
        restricted.nan = False  # and its bounds are no longer known to be reached
        if remember and not self.run.ledger.quiet and not self.masked:
            self.run.restricted_operands[tensor.key] = restricted
        return restricted

    def nonzero(self, rule: str, danger: str, index: int, tensor: AbstractTensor) -> AbstractTensor:
        """Demand that operand `index` is not zero; returns it restricted."""
        tiny = tensor.dtype.smallest if tensor.dtype.is_float else 1.0

        def safe(t: AbstractTensor) -> bool:
            apart = bool(np.all((t.lo >= tiny) | (t.hi <= -tiny))) or "nonzero" in t.facts
            return apart and not t.nan

        if self.check(rule, danger, {index: tensor}, safe) and safe(tensor):
            return tensor
        least = tensor.dtype.smallest if tensor.dtype.is_float else 1.0
        lo = np.where((tensor.lo < least) & (tensor.lo > -least), least, tensor.lo)[()]
        hi = np.where((tensor.hi > -least) & (tensor.hi < least), -least, tensor.hi)[()]
        wrong = lo > hi  # certainly zero: nothing survives; any value will do
        lo, hi = np.where(wrong, least, lo)[()], np.where(wrong, tensor.dtype.hi, hi)[()]
        restricted = tensor.with_bounds(lo, hi)
        restricted.nan = False
        return restricted

    def overflow(self, interval: Interval, dtype: ElementType, tight: bool) -> None:
        """The result of plain arithmetic may exceed the dtype; `tight` if some run certainly reaches the bound."""
        if not self.run.ledger.quiet:
            self.run.ledger.overflow(self.node, interval, dtype, tight)

    def finite(
        self, lo: Array, hi: Array, dtype: ElementType, inputs_finite: bool, tight: bool = False
    ) -> tuple[Array, Array]:
        """Bounds of an arithmetic result; reports overflow and goes on with what survives it."""
        low = lo if np.ndim(lo) == 0 else lo.min(initial=np.inf)
        high = hi if np.ndim(hi) == 0 else hi.max(initial=-np.inf)
        if low >= dtype.lo and high <= dtype.hi:
            return lo, hi
        if dtype.kind == dtypes.INTEGER:
            self.overflow(Interval(float(low), float(high)), dtype, False)
            return np.full_like(lo, dtype.lo)[()], np.full_like(hi, dtype.hi)[()]
        if not inputs_finite:
            return lo, hi
        self.overflow(Interval(float(low), float(high)), dtype, tight)
        return np.clip(lo, dtype.lo, dtype.hi), np.clip(hi, dtype.lo, dtype.hi)


def _is_finite(tensor: AbstractTensor) -> bool:
    return tensor.low > -np.inf and tensor.high < np.inf


def _has_finite_share(dividend: AbstractTensor, divisor: AbstractTensor) -> bool:
    size = max(abs(dividend.low), abs(dividend.high))
    least = 0.0 if divisor.low <= 0 <= divisor.high else min(abs(divisor.low), abs(divisor.high))
    return bool(size <= dividend.dtype.hi * min(1.0, least * least))
