"""What a layer costs, as terms: parameters, elements of its outputs, floating point operations of one forward pass.

Parameters are the frameworks' own counts (`parameter_counts`), operations those of products (`operation_counts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analyzer.validity.architecture import ModelLayer
from analyzer.validity.operation_counts import operations
from analyzer.validity.parameter_counts import parameters
from analyzer.validity.spec import Category, Requirement, Rule, TensorType
from analyzer.validity.specs.common import size_of
from analyzer.validity.terms import Term, total

LIMIT = Rule("limit", Category.ILLEGAL_VALUE, "the model has {value} {what}; the limit is {limit}")
NAMES = {
    "parameters": "parameters",
    "activations": "bytes of activations",
    "memory": "bytes of parameters and activations",
    "flops": "floating point operations",
}
BYTES = {"float64": 8, "int64": 8, "complex64": 8, "complex128": 16, "float16": 2, "bfloat16": 2, "int16": 2, "int8": 1,
         "uint8": 1, "bool": 1}  # fmt: skip


class Costs:
    """The sum over the layers of a model as they run."""

    def __init__(self) -> None:
        self._counts: dict[str, list[Term]] = {"parameters": [], "activations": [], "flops": []}
        self._unknown: dict[str, str] = {}
        self._seen: set[str] = set()  # parameters of a layer that runs again count once

    def add(self, layer: ModelLayer, operands: Sequence[TensorType | None], outputs: Sequence[TensorType]) -> None:
        """Count one layer."""
        base = layer.name.partition("@")[0]
        own = 0 if base in self._seen else parameters(layer, operands)
        self._seen.add(base)
        sizes = [size_of(t.shape) * BYTES.get(t.dtype or "", 4) if t.shape is not None else None for t in outputs]
        made = total(s for s in sizes if s is not None) if sizes and None not in sizes else None
        first = outputs[0] if outputs else TensorType()
        for kind, count in (("parameters", own), ("activations", made), ("flops", operations(layer, operands, first))):
            if count is None:
                self._unknown.setdefault(kind, layer.name)
            else:
                self._counts[kind].append(count)

    def value(self, kind: str) -> Term | None:
        """One count of the whole model; None where a layer's is not known."""
        if kind == "memory":
            weights, made = self.value("parameters"), self.value("activations")
            return None if weights is None or made is None else 4 * weights + made
        return None if kind in self._unknown else total(self._counts[kind])

    def requirement(self, kind: str, limit: int) -> Requirement | None:
        """The limit as a rule; None where the count is not known."""
        value = self.value(kind)
        if value is None:
            return None
        return Requirement(LIMIT, value <= limit, {"value": value, "what": NAMES[kind], "limit": limit})


def limits_of(data: Mapping[str, Any]) -> Mapping[str, int]:
    """``{memory: 24 GB, parameters: 5e6}`` as numbers. Raises ValueError with the key that is none."""
    units = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "K": 10**3, "M": 10**6, "G": 10**9,
             "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "T": 10**12}  # fmt: skip
    found = {}
    for key, value in data.items():
        number = str(value).strip()
        unit = number.lstrip("0123456789.+-eE_ ") if isinstance(value, str) else ""
        try:
            if key not in NAMES or isinstance(value, bool):
                raise ValueError
            found[str(key)] = int(float(number.removesuffix(unit)) * units[unit.upper()])
        except (ValueError, KeyError, OverflowError):
            raise ValueError(str(key)) from None
    return found
