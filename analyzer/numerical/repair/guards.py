"""Changes that keep an operand away from the unsafe set: clamps, epsilons, guarded denominators."""

from __future__ import annotations

import onnx_ir as ir

from analyzer.numerical.repair.builder import Builder
from analyzer.numerical.repair.candidate import Candidate
from analyzer.numerical.repair.patterns import operand


def clamped(node: ir.Node, position: int, bound: float, side: str) -> Candidate:
    """The operand kept on one side of a bound."""

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = operand(anchor, position)
        name = ("Max", "Maximum") if side == "below" else ("Min", "Minimum")
        kept = builder.apply(name[0], x, builder.constant(float(bound)), tf=name[1], like=x)
        return builder.again(anchor, position, kept)

    sign = "≥" if side == "below" else "≤"
    return Candidate(
        f"clamp-{side}",
        f"keep the operand {sign} {bound:g}",
        node,
        build,
        bound,
        position,
        f"results change only where the operand is {side} {bound:g}",
    )


def clamped_inside(node: ir.Node, edge: float) -> Candidate:
    """The operand kept within [-edge, edge]."""

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = operand(anchor)
        above = builder.apply("Max", x, builder.constant(-edge), tf="Maximum", like=x)
        return builder.again(anchor, 0, builder.apply("Min", above, builder.constant(edge), tf="Minimum", like=x))

    text = f"keep the operand within ±{edge!r}"
    return Candidate("clamp-both", text, node, build, edge, 0, "results change only where the operand lies further out")


def shifted(node: ir.Node, position: int, epsilon: float) -> Candidate:
    """The operand plus epsilon."""

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = operand(anchor, position)
        moved = builder.apply("Add", x, builder.constant(float(epsilon)), tf="AddV2", like=x)
        return builder.again(anchor, position, moved)

    effect = f"the operand moves by {epsilon:g}"
    return Candidate("epsilon", f"add {epsilon:g} to the operand", node, build, epsilon, position, effect)


def guarded(node: ir.Node, position: int, epsilon: float) -> Candidate:
    """A denominator of either sign: values nearer to 0 than epsilon are replaced by epsilon."""

    def build(builder: Builder, anchor: ir.Node) -> ir.Value:
        x = operand(anchor, position)
        small = builder.constant(float(epsilon))
        near = builder.apply("Less", builder.apply("Abs", x, like=x), small, like=x)
        near.dtype = ir.DataType.BOOL
        return builder.again(anchor, position, builder.apply("Where", near, small, x, tf="SelectV2", like=x))

    text = f"where the denominator is nearer to 0 than {epsilon:g}, divide by {epsilon:g}"
    effect = f"results change only where the denominator is nearer to 0 than {epsilon:g}"
    return Candidate("guard", text, node, build, epsilon, position, effect)
