"""The one intermediate representation: ``onnx_ir`` plus layers, source lines, roles and value ranges."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from analyzer.graph.ranges import ValueRange

if TYPE_CHECKING:
    from analyzer.graph.model import (
        Graph,
        Role,
        call_site_of,
        display_name,
        fails_as_recorded,
        in_framework_layer,
        is_frozen,
        layer_of,
        location_of,
        role_of,
        set_call_site,
        set_display_name,
        set_frozen,
        set_layer,
        set_location,
        set_role,
        torch_function,
    )

__all__ = [
    "Graph",
    "Role",
    "ValueRange",
    "call_site_of",
    "display_name",
    "fails_as_recorded",
    "in_framework_layer",
    "is_frozen",
    "layer_of",
    "location_of",
    "role_of",
    "set_call_site",
    "set_display_name",
    "set_frozen",
    "set_layer",
    "set_location",
    "set_role",
    "torch_function",
]


def __getattr__(name: str) -> Any:
    """Loaded when it is asked for: a configuration needs `ValueRange` alone, and `onnx_ir` is no part of the front."""
    if name in __all__:
        return getattr(import_module("analyzer.graph.model"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
