"""The table of declared operators and of what each room knows of them (`python -m scripts.operators`)."""

from __future__ import annotations

from collections import defaultdict

from onnx import defs

from analyzer.numerical.confirm import torch_operators
from analyzer.numerical.confirm.torch_evaluation import CONTROL
from analyzer.numerical.contributed import BODIES
from analyzer.numerical.transfer.registry import rules
from analyzer.operators.declaration import Operator
from analyzer.operators.registry import FAMILIES, OPERATORS
from analyzer.validity.registry import FRAMEWORKS, all_specs

HEADER = """\
# Operators

Made from the declarations in `analyzer/operators` by `python -m scripts.operators > docs/operators.md`; a
test holds it current. A graph operator that is not listed counts as unknown: its result may be any finite number of
its type, and reports name it.

- **ONNX**: the operator sets that defined or changed it. **TensorFlow**: types of GraphDef nodes. **PyTorch**,
  **Keras**: layers and functions that become it.
- **bounds**: a transfer function of the numerical analysis, or a body: the standard's, or for
  ONNX Runtime's own operators `numerical.contributed`'s.
- **shape**: a refinement type, for those frameworks.
- **reference**: a PyTorch call with which the search for a failing input evaluates and differentiates it.
"""
assert torch_operators  # importing it fills a column, and these two fill the others
rules()
all_specs()


def standard_functions() -> frozenset[tuple[str, str]]:
    """(domain, name) of ONNX's operators without a transfer function that have a body in the standard."""
    return frozenset(
        (s.domain, s.name)
        for s in defs.get_all_schemas()
        if (s.domain, s.name) not in rules() and (s.has_function or s.has_context_dependent_function)
    )


def bounds(operator: Operator) -> str:
    """Where the numerical analysis takes its bounds from: ``rule``, ``body`` or nothing."""
    if operator.bounds:
        return "rule"
    standard = operator.versions and (operator.domain, operator.name) in standard_functions()
    return "body" if standard or BODIES.keys() & set(operator.microsoft) else ""


def shape(operator: Operator) -> str:
    """The frameworks in which its shape is checked."""
    told = {framework for framework, _ in operator.types}
    return " ".join(framework for framework in FRAMEWORKS if framework in told)


def reference(operator: Operator) -> str:
    """``yes`` where the search for a failing input has a differentiable call."""
    return "yes" if operator.references or CONTROL.keys() & operator.keys else ""


def _traits(operator: Operator) -> str:
    return ", ".join(str(t.name).lower().replace("_", " ") for t in operator.traits)


def table() -> str:
    """The document as Markdown."""
    lines = [HEADER]
    lines.append(
        f"{len(OPERATORS)} operators are declared, {len(rules())} names of graph nodes have a transfer function.\n"
    )
    conditions: dict[str, list[str]] = defaultdict(list)
    for family, operators in FAMILIES.items():
        lines.append(f"## {family.replace('_', ' ').capitalize()}\n")
        lines.append("| operator | ONNX | TensorFlow | PyTorch | Keras | traits | bounds | shape | reference |")
        lines.append("|---|---|---|---|---|---|---|---|---|")
        for o in operators:
            versions = f"{o.domain} {', '.join(map(str, o.versions))}".strip() or "com.microsoft" * bool(o.microsoft)
            names = (" ".join(own) for own in (o.tf, o.torch, o.keras))
            cells = (o.name, versions, *names, _traits(o), bounds(o), shape(o), reference(o))
            lines.append("| " + " | ".join(cells) + " |")
            for condition in o.unsafe:
                conditions[condition].append(o.name)
        lines.append("")
    lines += ["## Unsafe conditions\n", "| rule | operators |", "|---|---|"]
    lines += [f"| `{condition}` | {', '.join(operators)} |" for condition, operators in sorted(conditions.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
