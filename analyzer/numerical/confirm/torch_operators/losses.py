"""Losses and the sizes of pictures, as torch calls."""

from __future__ import annotations

from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.torch_registry import Mode, UnsupportedOperator, attribute, op


@op("SoftmaxCrossEntropyLoss")
def cross_entropy(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    scores, labels, weights = (*x, None)[:3]
    likelihood = torch.log_softmax(scores, 1)
    how = {"reduction": attribute(node, "reduction", "mean"), "ignore_index": attribute(node, "ignore_index", -100)}
    return torch.nn.functional.nll_loss(likelihood, labels.long(), weights, **how), likelihood


@op("NegativeLogLikelihoodLoss")
def negative_log_likelihood(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    likelihood, labels, weights = (*x, None)[:3]
    how = {"reduction": attribute(node, "reduction", "mean"), "ignore_index": attribute(node, "ignore_index", -100)}
    return torch.nn.functional.nll_loss(likelihood, labels.long(), weights, **how)


@op("Resize")
def resize(node: ir.Node, x: Any, mode: Mode) -> Any:
    """As torch's exporter writes its own interpolation: batches and channels keep their sizes."""
    import torch

    picture, sizes = x[0], x[3] if len(x) > 3 else None
    kind, place = attribute(node, "mode", "nearest"), attribute(node, "coordinate_transformation_mode", "half_pixel")
    axes = attribute(node, "axes") or attribute(node, "antialias", 0)
    nearest = kind == "nearest" and place == "asymmetric" and attribute(node, "nearest_mode", "") == "floor"
    linear = kind == "linear" and place in ("half_pixel", "align_corners")
    if axes or not (nearest or linear) or picture.dim() not in (3, 4, 5):
        raise UnsupportedOperator(f"Resize ({kind}, {place})")
    wanted = sizes if sizes is not None else torch.tensor(picture.shape) * x[2]
    to = [int(size) for size in wanted]
    if to[:2] != list(picture.shape[:2]) or to != wanted.tolist():
        raise UnsupportedOperator("Resize of channels or to a part of an element")
    if nearest:
        return torch.nn.functional.interpolate(picture, to[2:], mode="nearest")
    named = {3: "linear", 4: "bilinear", 5: "trilinear"}[picture.dim()]
    return torch.nn.functional.interpolate(picture, to[2:], mode=named, align_corners=place == "align_corners")
