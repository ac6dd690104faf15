"""torch: functions of each element, of one tensor or of several that are broadcast."""

from __future__ import annotations

import ast

from analyzer.operators.declaration import WIDEST
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Fields, Value
from analyzer.tracing.operators import elementwise
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import made, shape_argument
from analyzer.validity.terms import Poly


def _names(prefix: str, names: str) -> str:
    return " ".join(f"{prefix}{name}" for name in names.split())


@operator("torch.fmax torch.fmin", "input other *rest", WIDEST)
@operator(
    _names("torch.", """floor_divide ldexp logaddexp logaddexp2 bitwise_and bitwise_or bitwise_xor
        bitwise_left_shift bitwise_right_shift heaviside lcm gcd nextafter igamma igammac float_power hypot xlogy
        copysign clamp_max clamp_min rsub""")
    + " " + _names("torch.special.", """xlogy xlog1py zeta gammainc gammaincc chebyshev_polynomial_t
        chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w hermite_polynomial_h
        hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p"""),
    "input other *rest",
)  # fmt: skip
def of_two(op: Op, input: Value, other: Value, rest: tuple[Value, ...]) -> Value:
    return _untyped(broadcast(op, op.short, input, other, "torch"))


@operator("torch.addcmul torch.addcdiv torch.lerp", "input first|tensor1|end second|tensor2|weight *rest")
def of_three(op: Op, input: Value, first: Value, second: Value, rest: tuple[Value, ...]) -> Value:
    return _untyped(broadcast(op, op.short, broadcast(op, op.short, first, second, "torch"), input, "torch"))


@operator("torch.masked_scatter Tensor.masked_scatter", "input mask source")
def masked_scatter(op: Op, input: Value, mask: Value, source: Value) -> Value:
    return _untyped(broadcast(op, op.short, input, mask, "torch"))


@operator("torch.normal", "mean=0.0 std=1.0 size=None *rest")
def normal(op: Op, mean: Value, std: Value, size: Value, rest: tuple[Value, ...]) -> Value:
    if size is not None:
        return made(op, shape_argument(op, (size,)))
    return _untyped(broadcast(op, op.short, mean, std, "torch"))


def _untyped(value: Value) -> Value:
    if isinstance(value, Tensor):
        value.dtype = None
    return value


_UNARY = """erf erfc erfinv exp2 expit expm1 gammaln digamma psi i0 i0e i1 i1e log1p log_ndtr ndtr ndtri sinc round entr
    bessel_j0 bessel_j1 bessel_y0 bessel_y1 airy_ai erfcx modified_bessel_i0 modified_bessel_i1 modified_bessel_k0
    modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0"""


@operator(
    _names("torch.special.", _UNARY)
    + " " + _names("torch.", """erfc exp2 i0 sinc logit msort resolve_conj resolve_neg real imag renorm mvlgamma
        put index_reduce diagonal_scatter select_scatter slice_scatter positive nan_to_num signbit isreal
        isneginf isposinf matrix_exp fix acosh asinh atanh arccosh arcsinh arctanh deg2rad rad2deg sgn conj_physical
        erfinv fliplr flipud alias_copy randint_like fill fill_ zero_""")
    + " " + _names("Tensor.", "char cdouble cfloat chalf to_sparse to_dense")
    + " " + _names("torch.fft.", "fftshift ifftshift")
    + " " + _names("torch.nn.functional.", """softmin feature_alpha_dropout local_response_norm hardshrink softshrink
        tanhshrink"""),
    "input *rest",
)  # fmt: skip
def of_one(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None:
        return unknown_tensor(op, "torch")
    dtype = "bool" if op.short.startswith("is") or op.short == "signbit" else None
    return Tensor(found.shape, dtype, "torch", site=op.where, sources=(found,), graph=found.graph)


@operator("torch.polygamma torch.special.polygamma", "n input")
def polygamma(op: Op, n: Value, input: Value) -> Value:
    return of_one(op, input, ())


@operator("torch.Tensor.polygamma torch.Tensor.polygamma_", "input n")
def polygamma_of(op: Op, input: Value, n: Value) -> Value:
    return of_one(op, input, ())


@operator("torch.Tensor.pow", "input exponent")
def power(op: Op, input: Value, exponent: Value) -> Value:
    return elementwise.binary(op.tr, "**", input, exponent, op.node or ast.Constant(0))


@operator("torch.Tensor.clamp torch.Tensor.clip", "input min=None max=None")
def between(op: Op, input: Value, min: Value, max: Value) -> Value:
    """Bounds that are tensors are broadcast with what they bound."""
    found: Value = tensor_of(op.tr, input, "torch")
    for bound in (min, max):
        if isinstance(bound, Tensor):
            found = _untyped(broadcast(op, op.short, found, bound, "torch"))
    if found is not input:
        return found
    pointed = any(bound is not None and not isinstance(bound, (int, Poly)) for bound in (min, max))
    kept = None if pointed and (found.dtype or "").startswith(("int", "uint", "bool")) else found.dtype
    return Tensor(found.shape, kept, "torch", site=op.where, sources=(found,), graph=found.graph)


@operator("torch.Tensor.clamp_min torch.Tensor.clamp_max", "input bound|min|max|other")
def bounded(op: Op, input: Value, bound: Value) -> Value:
    return between(op, input, bound, None)


@operator("torch.isin", "elements test_elements *rest")
def isin(op: Op, elements: Value, test_elements: Value, rest: tuple[Value, ...]) -> Value:
    return of_one(op, elements, ())


@operator("torch.bucketize", "input boundaries *rest")
def bucketize(op: Op, input: Value, boundaries: Value, rest: tuple[Value, ...]) -> Value:
    return _of_type(of_one(op, input, ()), _place_type(op))


def _place_type(op: Op) -> str | None:
    """The element type of places in a row."""
    asked = op.extra.get("out_int32", False)
    return {False: "int64", True: "int32"}.get(asked) if isinstance(asked, bool) else None


def _of_type(made: Value, dtype: str | None) -> Value:
    if isinstance(made, Tensor):
        made.dtype = dtype
    return made


@operator("torch.searchsorted torch.take", "first|sorted_sequence|input values|index|input *rest")
def looked_up(op: Op, first: Value, values: Value, rest: tuple[Value, ...]) -> Value:
    """One result for each of the values, or of the places, of the second operand."""
    found = tensor_of(op.tr, first, "torch") if op.short == "take" else None
    return _of_type(of_one(op, values, ()), _place_type(op) if op.short != "take" else found.dtype if found else None)


@operator("torch.frexp", "input")
def frexp(op: Op, input: Value) -> Value:
    return Fields((of_one(op, input, ()), of_one(op, input, ())), ("mantissa", "exponent"))
