"""The table of operators that the numerical analysis covers (`python -m analyzer.numerical.coverage`)."""

from __future__ import annotations

from collections import defaultdict

from analyzer.numerical.transfer.families import FAMILIES
from analyzer.numerical.transfer.registry import rules

HEADER = """\
# Operators of the numerical analysis

Made from the registry by `python -m analyzer.numerical.coverage > docs/operators.md`; a test holds it current.
Operators that the ONNX standard defines as functions of others, and a model's own functions, are interpreted through
their bodies where no rule is listed. Any other operator counts as unknown: its result may be any finite number of its
type, and reports name it.
"""


def standard_functions() -> list[str]:
    """ONNX operators without a rule of their own that have a body in the standard."""
    from onnx import defs

    known = rules()
    return sorted(
        {
            s.name
            for s in defs.get_all_schemas()
            if s.domain == "" and ("", s.name) not in known and (s.has_function or s.has_context_dependent_function)
        }
    )


def table() -> str:
    """The document as Markdown."""
    families: dict[str, dict[str, list[str]]] = {f: defaultdict(list) for f in FAMILIES}
    conditions: dict[str, list[str]] = defaultdict(list)
    for (domain, operator), rule in sorted(rules().items()):
        group = {"": "ONNX", "tf": "TensorFlow"}.get(domain, domain)
        families[rule.family][group].append(operator)
        for condition in rule.unsafe:
            conditions[condition].append(operator if domain == "" else f"{group} {operator}")
    lines = [HEADER]
    total = len(rules())
    lines.append(f"{total} operators have a rule.\n")
    lines += ["## By family\n", "| family | framework | operators |", "|---|---|---|"]
    for family in FAMILIES:
        for group, operators in sorted(families[family].items()):
            lines.append(f"| {family.replace('_', ' ')} | {group} | {', '.join(sorted(operators))} |")
    lines.append(f"| through their standard bodies | ONNX | {', '.join(standard_functions())} |")
    lines += ["\n## Unsafe conditions\n", "| rule | operators |", "|---|---|"]
    lines += [f"| `{condition}` | {', '.join(operators)} |" for condition, operators in sorted(conditions.items())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
