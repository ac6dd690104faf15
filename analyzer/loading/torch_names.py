"""What the JSON of an exported program makes PyTorch look up or evaluate when it is loaded.

PyTorch resolves a call's target by walking its name from the module `torch`, and reads sizes with SymPy, which
evaluates them as Python. Only names of operators and formulas of sizes pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from analyzer.loading.archives import Archive
from analyzer.loading.json_text import read_json
from analyzer.loading.limits import Limits

_TARGET = re.compile(
    r"#?torch\.ops\.[A-Za-z]\w*\.[A-Za-z_]\w*(\.\w+)?|_operator\.[a-z_]+|math\.(ceil|floor|trunc|sqrt)"
    r"|torch\.(sym_\w+|_sym_\w+)|torch\.fx\.experimental\.sym_node\.sym_\w+"
    r"|torch\._higher_order_ops\.[\w.]+|higher_order\.\w+|torch\.ops\.higher_order\.\w+"
)
_BROUGHT = re.compile(r"torch\.ops\.(load_library|loaded_libraries|__)")
_FORMULA = re.compile(r"[\w\s+\-*/%(),.<>=!&|~]*")
_SYMBOL = re.compile(r"[a-z]+\d+|-?\d[\w.]*")
_FUNCTIONS = frozenset(
    {
        "Max", "Min", "FloorDiv", "CeilDiv", "CleanDiv", "ModularIndexing", "Mod", "PythonMod", "ceiling", "floor",
        "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "And", "Or", "Not", "Pow", "Abs", "sqrt", "Piecewise", "ToFloat", "Where",
        "TruncToFloat", "TruncToInt", "RoundToInt", "RoundDecimal", "IntTrueDiv", "FloatTrueDiv", "FloatPow",
        "Identity", "PowByNatural", "True", "False", "oo", "int_oo", "zoo", "nan", "Integer", "Symbol",
        "OpaqueUnaryFn_sqrt",
    }
)  # fmt: skip


def strange_names(archive: Archive, limits: Limits) -> Iterator[tuple[str, str]]:
    """Names and formulas that no exporter writes, each with what it is. Raises `TargetProblem` for damaged JSON."""
    told: set[str] = set()
    for member in archive.names:
        if not member.endswith(".json"):
            continue
        stack: list[Any] = [read_json(archive.read(member, limits.json_size), member, limits)]
        while stack:
            item = stack.pop()
            if isinstance(item, list):
                stack.extend(item)
            elif isinstance(item, dict):
                stack.extend(item.values())
                for text, what in _of(item):
                    if text not in told:
                        told.add(text)
                        yield text, what


def _of(item: dict[str, Any]) -> Iterator[tuple[str, str]]:
    target = item.get("target")
    if isinstance(target, str) and "inputs" in item and (_BROUGHT.match(target) or not _TARGET.fullmatch(target)):
        yield target, "no operator"
    formula = item.get("expr_str")
    if isinstance(formula, str) and not _is_formula(formula):
        yield formula, "no formula of sizes"
    if item.get("use_pickle") is True:
        yield str(item.get("path_name", "")), "a pickled object"


def _is_formula(text: str) -> bool:
    if not _FORMULA.fullmatch(text) or re.search(r"\.\s*[A-Za-z_]", text):
        return False
    return all(word in _FUNCTIONS or _SYMBOL.fullmatch(word) for word in re.findall(r"[A-Za-z_]\w*", text))
