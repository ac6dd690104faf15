"""Functions of libraries that write source from templates and load it: nothing is written here."""

from __future__ import annotations

from typing import NoReturn

from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.problems import PyRaise


@operator("torch_geometric.template.module_from_template", "*args")
def from_template(op: Op, args: tuple[Value, ...]) -> NoReturn:
    """PyTorch Geometric falls back to the `propagate` of its source, of which the template is a faster form."""
    raise PyRaise("ImportError", "templates are not filled in")
