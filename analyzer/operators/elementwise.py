"""Functions of one operand, element by element, and identities."""

from __future__ import annotations

from analyzer.operators.conditions import (
    DIVISION_BY_ZERO,
    EXP_OVERFLOW,
    GRADIENT_OF_ACOS_AT_EDGE,
    GRADIENT_OF_SQRT_AT_ZERO,
    INVALID_DOMAIN,
    LOG_OF_NONPOSITIVE,
    SQRT_OF_NEGATIVE,
)
from analyzer.operators.declaration import (
    ACTS,
    BOUNDED,
    DETACHED,
    ELEMENTWISE,
    FLOORED,
    IDENTITY,
    LINEAR,
    MONOTONE,
    PIECEWISE_LINEAR,
    PLUS_ZERO,
    RANDOM,
    SAME_SHAPE,
    STATEFUL,
    operator,
)

OPERATORS = (
    operator(
        "Exp",
        (1, 6, 13),
        tf="Exp",
        torch="exp",
        traits=FLOORED | ELEMENTWISE | SAME_SHAPE | MONOTONE | PLUS_ZERO,
        unsafe=(EXP_OVERFLOW,),
        keras="ops.exp",
    ),
    operator("Expm1", tf="Expm1", traits=FLOORED | ELEMENTWISE | SAME_SHAPE | MONOTONE, unsafe=(EXP_OVERFLOW,)),
    operator(
        "Log",
        (1, 6, 13),
        tf="Log",
        torch="log",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE,
        unsafe=(LOG_OF_NONPOSITIVE,),
        keras="ops.log",
    ),
    operator(
        "Log1p",
        tf="Log1p",
        torch="log1p",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE,
        unsafe=(LOG_OF_NONPOSITIVE,),
        keras="ops.log1p",
    ),
    operator(
        "Sqrt",
        (1, 6, 13),
        tf="Sqrt",
        torch="sqrt",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE,
        unsafe=(
            SQRT_OF_NEGATIVE,
            GRADIENT_OF_SQRT_AT_ZERO,
        ),
        keras="ops.sqrt",
    ),
    operator(
        "Rsqrt",
        tf="Rsqrt",
        torch="rsqrt",
        traits=ELEMENTWISE | SAME_SHAPE,
        unsafe=(
            DIVISION_BY_ZERO,
            SQRT_OF_NEGATIVE,
        ),
        keras="ops.rsqrt",
    ),
    operator(
        "Reciprocal",
        (1, 6, 13),
        tf="Reciprocal Inv",
        torch="reciprocal",
        traits=ELEMENTWISE | SAME_SHAPE,
        unsafe=(DIVISION_BY_ZERO,),
        keras="ops.reciprocal",
    ),
    operator("Neg", (1, 6, 13), tf="Neg", torch="neg", traits=ELEMENTWISE | SAME_SHAPE | LINEAR, keras="ops.negative"),
    operator(
        "Abs",
        (1, 6, 13),
        tf="Abs",
        torch="abs",
        traits=ELEMENTWISE | SAME_SHAPE | PIECEWISE_LINEAR | PLUS_ZERO,
        keras="ops.abs ops.absolute",
    ),
    operator(
        "Sign",
        (9, 13),
        tf="Sign",
        torch="sign",
        traits=BOUNDED | ELEMENTWISE | SAME_SHAPE | MONOTONE | PIECEWISE_LINEAR,
        keras="ops.sign",
    ),
    operator("Ceil", (1, 6, 13), tf="Ceil", torch="ceil", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE, keras="ops.ceil"),
    operator(
        "Floor", (1, 6, 13), tf="Floor", torch="floor", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE, keras="ops.floor"
    ),
    operator(
        "Round", (11, 22), tf="Round Rint", torch="round", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE, keras="ops.round"
    ),
    operator("Square", tf="Square", torch="square", traits=ELEMENTWISE | SAME_SHAPE | PLUS_ZERO, keras="ops.square"),
    operator(
        "Erf", (9, 13), tf="Erf", torch="erf", traits=BOUNDED | ELEMENTWISE | SAME_SHAPE | MONOTONE, keras="ops.erf"
    ),
    operator("Erfc", tf="Erfc", traits=ELEMENTWISE | SAME_SHAPE),
    operator(
        "Lgamma", tf="Lgamma", aten="lgamma special_gammaln", traits=ELEMENTWISE | SAME_SHAPE, unsafe=(INVALID_DOMAIN,)
    ),
    operator(
        "Digamma",
        tf="Digamma",
        aten="digamma special_digamma",
        traits=ELEMENTWISE | SAME_SHAPE,
        unsafe=(INVALID_DOMAIN,),
    ),
    operator("Sin", (7, 22), tf="Sin", torch="sin", traits=ELEMENTWISE | SAME_SHAPE, keras="ops.sin"),
    operator("Cos", (7, 22), tf="Cos", torch="cos", traits=ELEMENTWISE | SAME_SHAPE, keras="ops.cos"),
    operator("Tan", (7, 22), tf="Tan", torch="tan", traits=ELEMENTWISE | SAME_SHAPE),
    operator(
        "Asin",
        (7, 22),
        tf="Asin",
        torch="asin",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE,
        unsafe=(
            INVALID_DOMAIN,
            GRADIENT_OF_ACOS_AT_EDGE,
        ),
    ),
    operator(
        "Acos",
        (7, 22),
        tf="Acos",
        torch="acos",
        traits=ELEMENTWISE | SAME_SHAPE,
        unsafe=(
            INVALID_DOMAIN,
            GRADIENT_OF_ACOS_AT_EDGE,
        ),
    ),
    operator("Atan", (7, 22), tf="Atan", torch="atan", traits=BOUNDED | ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator(
        "Sinh", (9, 22), tf="Sinh", torch="sinh", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE, unsafe=(EXP_OVERFLOW,)
    ),
    operator("Cosh", (9, 22), tf="Cosh", torch="cosh", traits=ELEMENTWISE | SAME_SHAPE, unsafe=(EXP_OVERFLOW,)),
    operator("Asinh", (9, 22), tf="Asinh", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator(
        "Acosh",
        (9, 22),
        tf="Acosh",
        traits=ELEMENTWISE | SAME_SHAPE | MONOTONE,
        unsafe=(
            INVALID_DOMAIN,
            GRADIENT_OF_ACOS_AT_EDGE,
        ),
    ),
    operator("Atanh", (9, 22), tf="Atanh", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE, unsafe=(INVALID_DOMAIN,)),
    operator(
        "Identity",
        (1, 13, 14, 16, 19, 21, 23, 24, 25),
        tf="Identity Snapshot CheckNumerics RefIdentity DeepCopy Copy",
        torch="Identity clone contiguous alias lift_fresh_copy",
        keras="Identity ActivityRegularization",
        traits=ELEMENTWISE | SAME_SHAPE | IDENTITY,
    ),
    operator(
        "StopGradient",
        tf="StopGradient PreventGradient",
        torch="detach detach_",
        traits=ELEMENTWISE | SAME_SHAPE | IDENTITY | DETACHED,
        keras="ops.stop_gradient",
    ),
    operator("Enter", tf="Enter RefEnter", traits=SAME_SHAPE | ELEMENTWISE | IDENTITY),
    operator("Exit", tf="Exit RefExit", traits=SAME_SHAPE | ELEMENTWISE | IDENTITY),
    operator("LoopCond", tf="LoopCond", traits=ELEMENTWISE | IDENTITY),
    operator("NextIteration", tf="NextIteration RefNextIteration", traits=ELEMENTWISE | SAME_SHAPE | IDENTITY),
    operator("ReadVariable", tf="ReadVariableOp", traits=ELEMENTWISE | SAME_SHAPE | IDENTITY | STATEFUL),
    operator("PlaceholderWithDefault", tf="PlaceholderWithDefault PlaceholderV2", traits=ELEMENTWISE | IDENTITY),
    operator("EnsureShape", tf="EnsureShape", traits=ELEMENTWISE | IDENTITY),
    operator("OptionalFromValue", tf="OptionalFromValue", traits=ELEMENTWISE | IDENTITY),
    operator("Print", tf="Print PrintV2", traits=ELEMENTWISE | IDENTITY | ACTS),
    operator("IdentityN", tf="IdentityN", traits=IDENTITY),
    operator("Log2", torch="log2", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator("Log10", torch="log10", traits=ELEMENTWISE | SAME_SHAPE | MONOTONE),
    operator("NanToNum", torch="nan_to_num", traits=ELEMENTWISE | SAME_SHAPE),
    operator("Masking", keras="Masking", traits=SAME_SHAPE),
    operator("Rescaling", keras="Rescaling", traits=ELEMENTWISE | SAME_SHAPE),
    operator("Noise", keras="GaussianNoise RandomContrast RandomBrightness", traits=SAME_SHAPE | RANDOM),
)
