"""What an interpretation has found out: which operators were checked, what may fail, and what it does not know."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import onnx_ir as ir

from analyzer.graph import is_frozen
from analyzer.numerical.domain.dtypes import ElementType
from analyzer.numerical.domain.tensor import AbstractTensor
from analyzer.numerical.excuses import Excuse
from analyzer.numerical.result import Alarm, Interval, Options

UNDECIDED = "its rule could not decide"
logger = logging.getLogger(__name__)


class Ledger:
    """Warnings, each once, with the first one that made an operand fail as the root of the later ones."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.warnings: list[Alarm] = []
        self.overflows: list[Alarm] = []
        self.unknown: Counter[str] = Counter()
        self.failed_rules: dict[ir.Node, str] = {}  # nodes whose rule raised, and what
        self.excuses: dict[ir.Node, Excuse] = {}
        self.quiet = 0
        self.unproven = 0  # operators that may fail, met where nothing is reported
        self.owner: ir.Node | None = None  # the operator whose standard body is being interpreted
        self._safe: dict[ir.Node, bool] = {}
        self._roots: dict[tuple[int, str], Alarm] = {}
        self._seen: set[tuple[ir.Node, str, int]] = set()

    @property
    def unsafe_checked(self) -> int:
        """How many operators with an unsafe condition were looked at."""
        return len(self._safe)

    @property
    def unsafe_safe(self) -> int:
        """How many of them are proved safe."""
        return sum(safe and not is_frozen(node) for node, safe in self._safe.items())

    @property
    def unsafe_fixed(self) -> int:
        """How many are safe with the numbers that a recorded model read on its example, and known of no others."""
        return sum(safe and is_frozen(node) for node, safe in self._safe.items())

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Within the context nothing is recorded: values are looked at once more, or before their turn."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1

    def checked(self, node: ir.Node) -> None:
        if not self.quiet:
            self._safe.setdefault(self.owner or node, True)

    def warn(
        self, node: ir.Node, rule: str, operand: int, tensor: AbstractTensor, danger: str, *, backward: bool
    ) -> None:
        node = self.owner or node
        if (node, rule, operand) in self._seen:
            return
        self._seen.add((node, rule, operand))
        group = "backward" if backward else "forward"
        root = self._roots.get((tensor.key, group))
        warning = Alarm(rule, node, operand, tensor.interval(), danger, tensor.dtype.name, root, backward)
        self._roots.setdefault((tensor.key, group), warning)
        self.warnings.append(warning)
        if not backward:
            self._safe[node] = False

    def excused(self, found: Excuse) -> None:
        """A failure that reaches no result, with the reasons, once a node."""
        self.excuses.setdefault(self.owner or found.node, found)

    def raised(self, node: ir.Node, error: Exception) -> None:
        """A rule or a proof raised: logged with its node and told to the user, once a node."""
        if node not in self.failed_rules:
            self.failed_rules[node] = f"{type(error).__name__}: {error}"[:200]
            logger.warning("the rule of %s (%s) raised", node.op_type, node.name, exc_info=error)

    def overflow(self, node: ir.Node, interval: Interval, dtype: ElementType, tight: bool) -> None:
        node = self.owner or node
        rule = "numerical/overflow" if dtype.is_float else "numerical/integer-overflow"
        if (node, rule, -1) in self._seen:
            return
        self._seen.add((node, rule, -1))
        warning = Alarm(rule, node, -1, interval, f"|result| > {dtype.hi:.4g}, the largest {dtype.name}", dtype.name)
        if tight or (self.options.strict and dtype.is_float):
            self.warnings.append(warning)
            self._safe[node] = False
        else:
            self.overflows.append(warning)
