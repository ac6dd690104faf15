"""What the JSON of an exported program makes PyTorch look up, import or evaluate when it is loaded or run.

PyTorch's own reader takes more than data: it resolves a call's target by walking its name from the module `torch`,
evaluates formulas of sizes (SymPy) and guards as Python, and imports the modules that a container's description names.
Only names of operators that compute, formulas and plain containers pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from analyzer.loading.archives import Archive
from analyzer.loading.json_text import read_json
from analyzer.loading.limits import Limits
from analyzer.operators.declaration import BRANCH, CALL, LOOP
from analyzer.operators.registry import names

# Namespaces whose operators compute on tensors. Those of other libraries are missing here: nothing runs them.
COMPUTING = frozenset(
    {
        "aten", "prims", "quantized", "_quantized", "quantized_decomposed", "onednn", "mkldnn", "mkl", "sparse",
        "torchvision", "torchao", "higher_order", "inductor_prims", "rngprims", "export", "profiler", "_native",
    }
)  # fmt: skip
# What of PyTorch's own opens files: a tensor mapped from a file (which makes it), saved, or read by a debugger.
_ACTING = re.compile(r"torch\.ops\.(aten\.(from_file|save|load)\b|debugprims\.)")
_OPERATOR = re.compile(
    r"torch\.ops\.(?!(?:load_library|loaded_libraries|import_module)\b)(?P<namespace>_?[A-Za-z]\w*)"
    r"\.(?:__i?(?:and|or|xor|lshift|rshift)__|_?[A-Za-z]\w*)(?:\.[A-Za-z]\w*)?"
)
_ARITHMETIC = re.compile(
    r"_operator\.(add|sub|mul|floordiv|truediv|mod|neg|pos|pow|abs|eq|ne|lt|le|gt|ge|and_|or_|xor|not_|lshift|rshift"
    r"|getitem|inv|invert|index|matmul|is_|is_not)|math\.(ceil|floor|trunc|sqrt)|torch\._?sym_\w+"
    r"|torch\.fx\.experimental\.sym_node\.sym_\w+"
)
# Operators that take functions: these call parts of the same program. The others call what is not in it.
_CALLING = frozenset(names("torch", BRANCH | LOOP | CALL))
_UNREAD = re.compile(r"torch\._higher_order_ops\.\w+\.[a-z]\w*|torch\._functorch\.predispatch\.\w+|#\w+:[\w.]+")
_FORMULA = re.compile(r"[\w\s+\-*/%(),.<>=!&|~]*")
_SYMBOL = re.compile(r"[a-z]+\d+|-?\d[\w.]*")
_FUNCTIONS = frozenset(
    {
        "Max", "Min", "FloorDiv", "CeilDiv", "CleanDiv", "ModularIndexing", "Mod", "PythonMod", "ceiling", "floor",
        "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "And", "Or", "Not", "Pow", "Abs", "sqrt", "Piecewise", "ToFloat", "Where",
        "TruncToFloat", "TruncToInt", "RoundToInt", "RoundDecimal", "IntTrueDiv", "FloatTrueDiv", "FloatPow",
        "Identity", "PowByNatural", "True", "False", "oo", "int_oo", "zoo", "nan", "Integer", "Symbol",
        "OpaqueUnaryFn_sqrt", "CeilToInt", "Add", "Mul", "Rational", "Float", "Equality", "Unequality", "LessThan",
        "GreaterThan", "StrictLessThan", "StrictGreaterThan", "BooleanTrue", "BooleanFalse", "true", "false",
        "positive", "nonnegative", "negative", "integer", "real", "zero", "nonzero", "finite", "precision",
        "FloorToInt", "LShift", "RShift", "IsNonOverlappingAndDenseIndicator",
    }
)  # fmt: skip
_GUARD = re.compile(r"[\w\s+\-*/%(),.<>=!\[\]]*")
_GUARDED = frozenset({"L", "size", "stride", "storage_offset", "and", "or", "not", "shape", "math"}) | _FUNCTIONS
_CONTAINERS = frozenset(
    {None, "builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict", "torch.Size"}
)


def strange_names(archive: Archive, limits: Limits) -> Iterator[tuple[str, str]]:
    """Names and formulas that no exporter writes, each with what it is. Raises `TargetProblem` for damaged JSON."""
    told: set[str] = set()
    for item in _objects(archive, limits):
        for text, what in strange(item):
            if text not in told:
                told.add(text)
                yield text, what


def foreign_operators(archive: Archive, limits: Limits) -> list[str]:
    """Operators of other libraries than PyTorch's, by name."""
    return sorted({name for item in _objects(archive, limits) for name in operators(item) if is_foreign(name)})


def is_foreign(name: str) -> bool:
    """Whether `name` is no operator that Assay runs, though an exporter may write it."""
    match = _OPERATOR.fullmatch(name)
    if match is None:
        return not _ARITHMETIC.fullmatch(name)
    called = name.split(".")[3]
    return match["namespace"] not in COMPUTING or (match["namespace"] == "higher_order" and called not in _CALLING)


def strange(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What one object of the program's JSON names that no exporter writes."""
    for name in operators(item):
        if _ACTING.match(name):
            yield name, "an operator that opens files"
        elif not any(pattern.fullmatch(name) for pattern in (_OPERATOR, _ARITHMETIC, _UNREAD)):
            yield name, "no operator"
    formula = item.get("expr_str")
    if isinstance(formula, str) and not is_formula(formula):
        yield formula, "no formula of sizes"
    for guard in _list(item.get("guards_code")):
        if not _is_guard(str(guard)):
            yield str(guard), "no condition on sizes"
    for key in ("in_spec", "out_spec"):
        if isinstance(item.get(key), str) and "__enum__" in item[key]:
            yield str(item[key])[:200], "no plain container"
    if item.get("use_pickle") is True:
        yield str(item.get("path_name", "")), "a pickled object"


def is_formula(text: str) -> bool:
    """Whether `text` is a formula of sizes as SymPy writes it: ``Add(Symbol('s0', integer=True), Integer(1))``."""
    text = re.sub(r"\b(Symbol|Float|Integer)\('[\w.+-]*'", r"\1(0", text)
    if not _FORMULA.fullmatch(text) or re.search(r"\.\s*[A-Za-z_]", text):
        return False
    return all(word in _FUNCTIONS or _SYMBOL.fullmatch(word) for word in re.findall(r"[A-Za-z_]\w*", text))


def is_plain(treespec: str, limits: Limits) -> bool:
    """Whether a container's description builds tuples, lists and dicts and imports nothing."""
    try:
        protocol, tree = read_json(treespec.encode(), "a container's description", limits)
    except (TypeError, ValueError):
        return False
    stack = [tree]
    while stack:
        item = stack.pop()
        if not isinstance(item, dict) or item.get("type") not in _CONTAINERS:
            return False
        try:
            context = json.loads(item["context"]) if isinstance(item.get("context"), str) else item.get("context")
        except (ValueError, RecursionError):
            return False
        if not (context is None or (isinstance(context, list) and all(type(k) in (str, int) for k in context))):
            return False
        stack.extend(_list(item.get("children_spec")))
    return bool(protocol == 1)


def operators(item: Mapping[str, Any]) -> Iterator[str]:
    """The names in an object that PyTorch resolves to something that can be called."""
    if isinstance(item.get("target"), str) and "inputs" in item:
        yield item["target"]
    if isinstance(item.get("as_operator"), str):
        yield item["as_operator"]


def _is_guard(text: str) -> bool:
    bare = re.sub(r"'\w*'|\"\w*\"", "0", text)  # names of inputs
    if not _GUARD.fullmatch(bare):
        return False
    return all(word in _GUARDED or _SYMBOL.fullmatch(word) for word in re.findall(r"[A-Za-z_]\w*", bare))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(archive: Archive, limits: Limits) -> Iterator[dict[str, Any]]:
    for member in archive.names:
        if not member.endswith(".json"):
            continue
        stack: list[Any] = [read_json(archive.read(member, limits.json_size), member, limits)]
        while stack:
            item = stack.pop()
            if isinstance(item, list):
                stack.extend(item)
            elif isinstance(item, dict):
                yield item
                stack.extend(item.values())
