"""Whether training computes gradients of a target: always of code, of an ONNX file only if something says so."""

from __future__ import annotations

import re
from dataclasses import replace

from analyzer.configuration.config import TargetConfig
from analyzer.graph import Graph
from analyzer.graph.model import TRAINED
from analyzer.numerical.result import Alarm, Interpretation
from analyzer.operators.declaration import CLASS_LOSS, TRAINING
from analyzer.operators.registry import traits_of

_LOSS = re.compile(r"(^|[/._])(\w*_)?(loss|cost|objective)(_?\d+)?$", re.IGNORECASE)
ONNX_FILE = "onnx ir"  # among the versions of what was read from an ONNX file


def is_trained(graph: Graph, target: TargetConfig) -> bool:
    """Whether gradients of this target matter to anybody.

    An ONNX file is trained on if it holds training information, training operators or a loss, or if the configuration
    says that its weights move (ranges of parameters, unbounded ones, a widened checkpoint).
    """
    if target.entry is not None or ONNX_FILE not in graph.versions:
        return True
    declared = target.parameters or "parameters" in target.unbounded or target.weights == "widened"
    if declared or graph.losses or TRAINED in graph.model.metadata_props:
        return True
    if any(node.domain == TRAINING or traits_of(node) & CLASS_LOSS for node in graph.nodes()):
        return True
    return any(_LOSS.search(v.name or "") and v.shape is not None and len(v.shape) == 0 for v in graph.graph.outputs)


def without_gradients(found: Interpretation) -> tuple[Interpretation, int]:
    """The same without conditions on gradients, and how many there were; what followed one stands by itself."""
    kept: dict[int, Alarm] = {}
    for warning in found.warnings:
        if not warning.backward:
            root = warning.root
            while root is not None and root.backward:
                root = root.root
            root = kept.get(id(root), root) if root is not None else None
            kept[id(warning)] = warning if root is warning.root else replace(warning, root=root)
    return replace(found, warnings=tuple(kept.values())), len(found.warnings) - len(kept)
