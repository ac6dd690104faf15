"""The functions and methods of NumPy that a run on made-up numbers computes; none reads or writes files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

_NAMES = """
abs absolute add all allclose amax amin angle any append arange arccos arcsin arctan arctan2 argmax argmin argsort
argwhere around array array_equal array_split asarray asanyarray ascontiguousarray atleast_1d atleast_2d atleast_3d
average bincount broadcast_to ceil clip column_stack concatenate copy corrcoef cos cosh count_nonzero cov cross
cumprod cumsum deg2rad degrees delete diag diagonal diff digitize divide dot dstack einsum empty empty_like equal
exp expand_dims expm1 extract eye fix flatnonzero flip fliplr flipud floor floor_divide fmod full full_like gradient
greater greater_equal hstack hypot identity indices inner insert interp intersect1d invert isclose isfinite isin
isinf isnan kron less less_equal linspace log log10 log1p log2 logical_and logical_not logical_or logical_xor
logspace matmul max maximum mean median meshgrid min minimum mod moveaxis multiply nan_to_num nanmax nanmean nanmin
nansum ndim negative nonzero not_equal ones ones_like outer pad percentile power prod ptp quantile rad2deg radians
ravel reciprocal remainder repeat reshape rint roll rollaxis round searchsorted setdiff1d sign sin sinh size sort
split sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace
transpose tri tril tril_indices triu triu_indices true_divide trunc union1d unique unravel_index ravel_multi_index
var vsplit hsplit vstack where zeros zeros_like vander choose compress unwrap cbrt sinc
"""
_METHODS = """
all any argmax argmin argsort astype clip copy cumprod cumsum diagonal dot flatten max mean min nonzero prod ptp
ravel repeat reshape round searchsorted squeeze std sum swapaxes take trace transpose var
"""
_LIKE: dict[str, Callable[..., Any]] = {  # without a shape of their own, which no rule looks at
    "empty_like": lambda a, dtype=None: np.zeros_like(a, dtype),
    "zeros_like": lambda a, dtype=None: np.zeros_like(a, dtype),
    "ones_like": lambda a, dtype=None: np.ones_like(a, dtype),
    "full_like": lambda a, fill_value, dtype=None: np.full_like(a, fill_value, dtype),
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {name: getattr(np, name) for name in _NAMES.split() if hasattr(np, name)} | _LIKE
)
METHODS = frozenset(_METHODS.split())
