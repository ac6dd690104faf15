"""Torch's operators as ONNX nodes, by family. Some are listed with their overload; defaults are the schema's."""

from __future__ import annotations

from analyzer.loading.torch_operators import elementwise, layers, layout
from analyzer.loading.torch_operators.rule import Conversion

OPERATORS: dict[str, Conversion] = {
    f"aten.{name}": rule for family in (elementwise, layers, layout) for name, rule in family.OPERATORS.items()
}
