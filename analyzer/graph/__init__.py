"""The one intermediate representation: ``onnx_ir`` plus layers, source lines, roles and value ranges."""

from analyzer.graph.model import (
    Graph,
    Role,
    display_name,
    in_framework_layer,
    layer_of,
    location_of,
    role_of,
    set_display_name,
    set_layer,
    set_location,
    set_role,
)
from analyzer.graph.ranges import ValueRange

__all__ = [
    "Graph",
    "Role",
    "ValueRange",
    "display_name",
    "in_framework_layer",
    "layer_of",
    "location_of",
    "role_of",
    "set_display_name",
    "set_layer",
    "set_location",
    "set_role",
]
