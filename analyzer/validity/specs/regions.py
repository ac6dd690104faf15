"""Pools over regions of interest."""

from __future__ import annotations

from typing import Any

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import need_choice, need_positive, need_rank
from analyzer.validity.specs.window_arguments import exact
from analyzer.validity.terms import Term, equal

ROI_COLUMNS = Rule(
    "region-columns", Category.INCOMPATIBLE_SHAPE, "each region has {columns} numbers; it needs {expected}"
)
ROI_COUNT = Rule("region-count", Category.INCOMPATIBLE_SHAPE, "{regions} regions but {indices} batch indices")


@define("onnx", "MaxRoiPool")
def onnx_max_roi_pool(
    case: Case, x: TensorType, rois: TensorType, *, pooled_shape: Any, spatial_scale: float = 1.0
) -> TensorType:
    """ONNX MaxRoiPool: rois (count, 5)."""
    need_rank(case, x, 4)
    need_rank(case, rois, 2, operand="the regions")
    case.require(ROI_COLUMNS, equal(rois.dims[1], 5), columns=rois.dims[1], expected=5)
    height, width = exact(case, pooled_shape, 2, "pooled_shape")
    need_positive(case, pooled_height=height, pooled_width=width)
    return x.with_shape((rois.dims[0], x.dims[1], height, width))


@define("onnx", "RoiAlign")
def onnx_roi_align(
    case: Case,
    x: TensorType,
    rois: TensorType,
    batch: TensorType,
    *,
    output_height: Term = 1,
    output_width: Term = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
    mode: str = "avg",
    coordinate_transformation_mode: str = "half_pixel",
) -> TensorType:
    """ONNX RoiAlign: rois (count, 4), batch indices (count)."""
    need_choice(case, mode, ("avg", "max"), "mode")
    need_rank(case, x, 4)
    need_rank(case, rois, 2, operand="the regions")
    case.require(ROI_COLUMNS, equal(rois.dims[1], 4), columns=rois.dims[1], expected=4)
    need_rank(case, batch, 1, operand="the batch indices")
    case.require(ROI_COUNT, equal(rois.dims[0], batch.dims[0]), regions=rois.dims[0], indices=batch.dims[0])
    need_positive(case, output_height=output_height, output_width=output_width)
    return x.with_shape((rois.dims[0], x.dims[1], output_height, output_width))
