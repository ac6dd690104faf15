"""Element types that functions of `keras.ops` make of whole numbers and truths, as Keras 3 has them."""

from __future__ import annotations

from analyzer.tracing.operators.element_types import default_float
from analyzer.tracing.operators.numpy_math_rules import is_whole
from analyzer.tracing.operators.table import Op

_KEEPING = """abs absolute negative sign round trunc conj conjugate real imag nan_to_num copy stop_gradient bitwise_not
    bitwise_invert relu relu6 tril triu flip fliplr flipud roll sort max min amax amin nanmax nanmin ptp"""
_OF_NUMBERS = "square clip cumsum cumprod nancumsum nancumprod"  # which make truths numbers
_SUMS = "sum prod nansum nanprod"  # and these small numbers larger ones
_POINTED = """floor ceil arccos arccosh arcsin arcsinh arctan arctanh cos cosh sin sinh tan tanh exp exp2 expm1 log
    log10 log1p log2 sqrt reciprocal sinc mean std var logsumexp nanmean nanstd nanvar median nanmedian norm"""
_KIND_OF = {name: names for names in (_KEEPING, _OF_NUMBERS, _SUMS, _POINTED) for name in names.split()}


def keras_kind(op: Op, dtype: str | None) -> str | None:
    """The element type of what the function makes of this one; None where it is not known."""
    if op.short == "count_nonzero":
        return "int32"
    if dtype is None or not is_whole(dtype) or _KIND_OF.get(op.short) == _KEEPING:
        return dtype
    made = _KIND_OF.get(op.short)
    if made == _POINTED:
        return default_float(op.tr)
    kept = made == _OF_NUMBERS and dtype != "bool"
    return dtype if kept or (made == _SUMS and dtype in ("int32", "int64")) else None
