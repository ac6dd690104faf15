"""What the numerical interpreter answers: options in, an `Interpretation` out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import onnx_ir as ir

if TYPE_CHECKING:
    from analyzer.numerical.domain.tensor import AbstractTensor
    from analyzer.numerical.excuses import Excuse


class Partitioning(StrEnum):
    """How a tensor is cut into blocks (DEBAR, section 4): the ablation modes."""

    SMASH = "smash"  # one interval a tensor
    EXPAND = "expand"  # one interval an element, as far as sizes are known
    PARTITION = "partition"  # cuts where operators make them


@dataclass(frozen=True, slots=True)
class Options:
    """How precisely to interpret.

    `backward` also checks the gradients of operators; `strict` reports every overflow of plain arithmetic, not only
    those whose bounds are reached by construction; `everything` interprets all nodes, not only those that matter to
    an operator that can fail; `symbols` bounds symbolic dimensions (default: every size from 1);
    `norms_apart` keeps norms of trained weights away from 0 (`norms.APART`), which proves nothing but where else a
    failure is.
    """

    partitioning: Partitioning = Partitioning.PARTITION
    affine: bool = True
    splitting: bool = True
    backward: bool = True
    strict: bool = False
    everything: bool = False
    norms_apart: bool = False
    max_blocks: int = 64  # of one tensor
    max_splits: int = 120  # re-evaluations for one operand
    symbols: Mapping[str, tuple[int, int | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Interval:
    """All values of a tensor lie in [lo, hi], or are NaN if `may_be_nan`."""

    lo: float
    hi: float
    may_be_nan: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Alarm:
    """An operand of `node` meets the unsafe condition `rule`.

    `interval` is what is known of operand number `operand` (of the result, where `operand` is -1: overflows).
    `danger` is the unsafe set in words with numbers: ``x <= 0``. `root` is the warning whose failure makes this one
    happen as well (the same operand reaches an earlier unsafe operator); a root has None.
    `backward` marks conditions on the gradient: the forward value is fine.
    """

    rule: str
    node: ir.Node
    operand: int
    interval: Interval
    danger: str
    dtype: str
    root: Alarm | None = None
    backward: bool = False


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The abstract value of every interpreted value, and what may fail.

    `overflows` are possible overflows of plain arithmetic that rest on bounds nobody knows to be reached: they are
    not worth a person's time, but a run that overflows is never outside `warnings` and `overflows` together.
    `unsafe_checked` counts operators with a forward unsafe condition, `unsafe_safe` those proved safe,
    `unsafe_fixed` those safe with the numbers that a recorded model read on its example, and known of no others.
    """

    values: Mapping[ir.Value, AbstractTensor]
    warnings: tuple[Alarm, ...]
    overflows: tuple[Alarm, ...] = ()
    unsafe_checked: int = 0
    unsafe_safe: int = 0
    unknown: Mapping[str, int] = field(default_factory=dict)
    failed_rules: tuple[tuple[ir.Node, str], ...] = ()  # whose rule raised, and what: nothing is proved of these
    excuses: tuple[Excuse, ...] = ()  # failures that reach no result, each with its reasons
    unsafe_fixed: int = 0
