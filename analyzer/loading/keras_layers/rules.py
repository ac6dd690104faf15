"""What a rule gets and gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import onnx_ir as ir

from analyzer.loading.keras_builder import KerasLayer, Unsupported


@dataclass(frozen=True, slots=True)
class LayerCall:
    """One call of a layer: values where Keras tensors stood, in nested lists as written."""

    arguments: Sequence[Any]
    keywords: Mapping[str, Any]

    def first(self) -> ir.Value:
        """The first argument, or its first element; layers of one input take this."""
        value = self.arguments[0] if self.arguments else next(iter(self.keywords.values()), None)
        while isinstance(value, list | tuple) and len(value) == 1:
            value = value[0]
        if not isinstance(value, ir.Value):
            raise Unsupported
        return value

    def several(self) -> list[ir.Value]:
        """The first argument as a list, of merging layers."""
        values = self.arguments[0] if self.arguments else []
        values = list(values) if isinstance(values, list | tuple) else [values]
        if not values or not all(isinstance(v, ir.Value) for v in values):
            raise Unsupported
        return values

    def named(self, position: int, name: str) -> Any:
        """An argument by position or keyword; None if it is not given."""
        if position < len(self.arguments):
            return self.arguments[position]
        return self.keywords.get(name)


Conversion = Callable[
    [KerasLayer, LayerCall], Any
]  # gives a value, or a list of values in the order of the layer's outputs
