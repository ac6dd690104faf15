"""What functions and methods of torch compute, on NumPy's arrays.

Names and arguments are those of torch's public documentation; the function of a name is that of the method too, whose
tensor is the first argument. Elements need not be torch's to the last bit: they only choose branches and sizes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from analyzer.tracing.samples import (
    torch_algebra,
    torch_choices,
    torch_creation,
    torch_elementwise,
    torch_reductions,
    torch_shapes,
)
from analyzer.tracing.samples.arguments import Function

_FAMILIES = (torch_elementwise, torch_reductions, torch_choices, torch_algebra, torch_shapes, torch_creation)
FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {name: function for family in _FAMILIES for name, function in family.FUNCTIONS.items()}
)
