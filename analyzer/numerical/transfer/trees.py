"""Classical models (``ai.onnx.ml``): tree ensembles, linear models, tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.numerical.context import Context
from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.sequence import AbstractSequence
from analyzer.numerical.domain.tensor import AbstractTensor, top
from analyzer.numerical.transfer.registry import transfer


@transfer(
    "TreeEnsemble",
    "TreeEnsembleClassifier",
    "TreeEnsembleRegressor",
    "SVMClassifier",
    "SVMRegressor",
    "LinearClassifier",
    "LinearRegressor",
)
def model(ctx: Context, *_: Any) -> Any:
    """Labels and scores without a bound, but probabilities in [0, 1]."""
    results = []
    for index in range(len(ctx.node.outputs)):
        dtype = ctx.element_type(index)
        bounded = (
            str(ctx.attr("post_transform", "NONE")) in ("LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO")
            and index == len(ctx.node.outputs) - 1
        )
        lo, hi = (0.0, 1.0) if bounded else (dtype.lo, dtype.hi)
        results.append(AbstractTensor(dtype, ctx.declared_shape(index), np.float64(lo), np.float64(hi)))
    return tuple(results)


@transfer("Normalizer")
def normalizer(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """Divides by the maximum, the sum of absolute values or the Euclidean norm; zero rows stay as they are."""
    most = 1.01 if str(ctx.attr("norm", "MAX")) != "MAX" else np.inf
    safe = x.low > 0 or x.high < 0
    ctx.check("numerical/normalisation-by-zero", "norm = 0", {0: x}, lambda _: safe or most < np.inf)
    if not np.isfinite(most):
        return AbstractTensor(
            dtypes.FLOAT32,
            x.shape,
            np.float64(0 if x.low >= 0 else -dtypes.FLOAT32.hi),
            np.float64(1.0 if x.low >= 0 else dtypes.FLOAT32.hi),
        )
    return AbstractTensor(dtypes.FLOAT32, x.shape, np.float64(-most if x.low < 0 else 0.0), np.float64(most))


@transfer("Scaler")
def scaler(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """(x - offset) * scale"""
    offsets, scales = list(ctx.attr("offset") or [0.0]), list(ctx.attr("scale") or [1.0])
    corners = [
        (v - o) * s for v in (x.low, x.high) for o in (min(offsets), max(offsets)) for s in (min(scales), max(scales))
    ]
    lo, hi = dtypes.FLOAT32.outward(np.float64(min(corners)), np.float64(max(corners)), 4)
    lo, hi = ctx.finite(lo, hi, dtypes.FLOAT32, True)
    return AbstractTensor(dtypes.FLOAT32, x.shape, lo, hi, None, x.nan)


@transfer("Binarizer", "OneHotEncoder")
def zero_or_one(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    dtype = x.dtype if ctx.op == "Binarizer" else dtypes.FLOAT32
    return AbstractTensor(
        dtype, x.shape if ctx.op == "Binarizer" else ctx.declared_shape(), np.float64(0), np.float64(1)
    )


@transfer("Imputer")
def imputer(ctx: Context, x: AbstractTensor) -> AbstractTensor:
    """Replaces one value, NaN as a rule, by given ones."""
    values = list(ctx.attr("imputed_value_floats") or ctx.attr("imputed_value_int64s") or [0.0])
    return AbstractTensor(
        x.dtype, x.shape, np.float64(min(x.low, *values)), np.float64(max(x.high, *values)), None, False
    )


@transfer("ArrayFeatureExtractor")
def feature_extractor(ctx: Context, x: AbstractTensor, *_: Any) -> AbstractTensor:
    return AbstractTensor(x.dtype, None, np.float64(x.low), np.float64(x.high), None, x.nan)


@transfer("FeatureVectorizer")
def feature_vectorizer(ctx: Context, *tensors: AbstractTensor) -> AbstractTensor:
    lo, hi = min(t.low for t in tensors), max(t.high for t in tensors)
    return AbstractTensor(
        dtypes.FLOAT32, ctx.declared_shape(), np.float64(lo), np.float64(hi), None, any(t.nan for t in tensors)
    )


@transfer("LabelEncoder", "CategoryMapper", "CastMap", "DictVectorizer", "ZipMap")
def table(ctx: Context, *_: Any) -> Any:
    """Looked up in a table: any of its values."""
    numbers: list[float] = []
    for name in ("values_floats", "values_int64s", "cats_int64s"):
        numbers += [float(v) for v in ctx.attr(name) or []]
    for name in ("default_float", "default_int64"):
        if ctx.attr(name) is not None:
            numbers.append(float(ctx.attr(name)))
    dtype = ctx.element_type()
    if ctx.op == "ZipMap":
        return AbstractSequence(None)
    if ctx.op == "LabelEncoder" and numbers:
        numbers += [0.0, -1.0]
        return AbstractTensor(dtype, None, np.float64(min(numbers)), np.float64(max(numbers)))
    return top(dtype, ctx.declared_shape())
