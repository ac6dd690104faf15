"""Shapes that docstrings name: `Shape:` sections, arguments in Google's, NumPy's and Sphinx's style, plain sentences.

What a docstring says of an argument is an assumption of one more round in which nothing is proved; what it says of a
given argument or a result and does not hold is advice.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from analyzer.tracing.contracts.declared_shapes import Contract, Sizes, give_shape, known_sizes
from analyzer.tracing.contracts.shape_comments import commented, mismatch
from analyzer.tracing.imports.libraries import MARK
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Function, Unknown, Value
from analyzer.tracing.paths.general_position import BATCH
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer

RULE = "tracing/shape-comment"
RESULT = "return"
_HEADING = re.compile(
    r"\s*(Args|Arguments|Parameters|Params|Inputs?|Returns?|Outputs?|Shapes?|Yields|Raises|Examples?|Notes?"
    r"|Attributes|References|Keyword Arguments)\s*:{0,2}\s*$"
)
_TAKES = frozenset(("Args", "Arguments", "Parameters", "Params", "Input", "Inputs", "Keyword Arguments"))
_GIVES = frozenset(("Return", "Returns", "Output", "Outputs"))
_ENTRY = re.compile(
    r"(?P<indent>\s*)(?:[-*] )?[`*]*(?P<name>[A-Za-z_]\w*)[`*]*\s*(?:\((?P<type>[^)]*)\))?\s*:(?!:)(?P<text>.*)"
)
_NAMED = re.compile(
    r"(?:shapes?|sizes?)\b[\s:=]*(?:is\b|of\b)?[\s:=]*(?:torch\.Size|tf\.TensorShape)?(?P<shape>[(\[][^()\[\]]*[)\]])"
)
_BRACKETS = re.compile(r"[(\[][^()\[\]]*[)\]]")
_FIELD = re.compile(r"\s*:(?:param|arg|parameter|argument)\s+(?:[\w.\[\], ]+\s)?\*{0,2}(?P<name>\w+)\s*:(?P<text>.*)")
_GIVEN_BACK = re.compile(r"\s*:returns?\s*:(?P<text>.*)")
_OF_TENSOR = re.compile(r"(?:\w*(?:[Tt]ensor|[Aa]rray)s?\b(?:\s+of)?\s*|^\s*)(?P<shape>[(\[][^()\[\]]*[)\]])")
_FIRST = re.compile(r"\s*(?P<shape>[(\[][^()\[\]]*[)\]])")  # what an entry begins with
_OF_ALL = re.compile(
    r"\b(?:inputs?|arguments?|operands?|tensors?|arrays?|blocks?|matrices)\b[^.:;()\[\]]{0,40}?\bshapes?\b"
    r"(?:\s+(?:is|are|of))?\s*:?\s*(?P<shape>[(\[][^()\[\]]*[)\]])"
)
_SAME = re.compile(
    r"\b[Ss]ame (?:shape|size|dimensions?)\b(?: and \w+)? (?:as|of) (?:the )?[`'\"]*(?P<name>[A-Za-z_]\w*)"
)
_TYPE = re.compile(r"\s*(?:\w+\.)*\w*(?:Tensor|ndarray|NDArray)(?:\[[^\[\]]*\])?\s*")  # and nothing beside it
_SEVERAL = re.compile(  # values, each of which has the shape that is named
    r"\b(?:lists?|tuples?|dict(?:ionarie)?s?|iterables?)\s*(?:\[|of\b)"
    r"|\bsequences?\s*(?:\[|of\s+(?:\w+\.)*\w*(?:tensor|array)s?\b)",
    re.IGNORECASE,
)
_TYPES = frozenset(("int", "float", "str", "bool", "tuple", "list", "dict", "none", "optional", "callable"))
ALL = "every"  # tensor among the arguments


@dataclass(frozen=True)
class Declared:
    """A shape, the text that names it, and its line: from 0 in a docstring, in the file once it was found there."""

    contract: Contract
    text: str
    line: int


def shapes_in(docstring: str, names: Sequence[str] = ()) -> dict[str, Declared]:
    """The shapes by the names that the docstring gives them, in small letters; the result under ``return``.

    An entry that names several shapes, or one with a condition, or that is of several values, says nothing here. Of
    the parameters `names` plain sentences tell, too: ``points shape (..., 3)``.
    """
    found: dict[str, Declared] = {}
    section, lines = "", docstring.splitlines()
    same: dict[str, str] = {}
    for number, line in enumerate(lines):
        heading = _HEADING.match(line)
        if heading is not None:
            section = heading[1]
            continue
        if (field := _FIELD.match(line) or _GIVEN_BACK.match(line)) is not None:
            name = field.groupdict().get("name", RESULT).lower()
            declared = _declared(_whole(lines, number, field["text"]), number, False, _OF_TENSOR)
            if declared is not None:
                found.setdefault(name, declared)
            continue
        if not section and (plain := _outside(lines, number)) is not None:
            found.setdefault(*plain)
            continue
        in_shapes = section in ("Shape", "Shapes")
        if not in_shapes and section not in _TAKES and section not in _GIVES:
            continue
        entry = _ENTRY.match(line)
        if entry is None and section not in _GIVES:
            continue
        name = entry["name"].lower() if entry is not None else RESULT
        text = _whole(lines, number, entry["text"] if entry is not None else line)
        if entry is not None and section in _TAKES and (other := _SAME.search(text)) is not None:
            same.setdefault(name, other["name"].lower())
        if section in _GIVES or (in_shapes and name in ("output", "returns")):
            name = RESULT if section not in _GIVES or not any(k == RESULT for k in found) else ""
        if entry is not None and _SEVERAL.search(entry["type"] or ""):
            continue
        declared = _declared(text, number, in_shapes)
        if declared is None and entry is not None and section in _TAKES:
            declared = _beginning(text, number, "ensor" in (entry["type"] or "") + text)
            declared = declared or _below_type(lines, number, entry["text"])
        if declared is not None and name and name not in found:
            found[name] = declared
    for name in names:
        sentences = [(n, m) for n, line in enumerate(lines) for m in _sentence(name).finditer(_without_markup(line))]
        if len(sentences) == 1 and not sentences[0][1]["more"] and name.lower() not in found:
            ((number, told),) = sentences
            contract = commented(told["shape"])
            if contract is not None:
                found[name.lower()] = Declared(contract, told["shape"], number)
    return {**{name: found[other] for name, other in same.items() if other in found}, **found}


def _outside(lines: list[str], number: int) -> tuple[str, Declared] | None:
    """What a line before all sections says: ``x: (N, D)`` of an argument, or of every one that is a tensor."""
    line = lines[number]
    entry = _ENTRY.match(line)
    if entry is not None:
        declared = _beginning(re.split(r"→|->|=>", entry["text"])[0], number, False)
        declared = declared or _below_type(lines, number, entry["text"])
        if declared is not None:
            return entry["name"].lower(), declared
    found = _OF_ALL.search(_without_markup(line))
    if found is None or re.search(r"\b([Rr]eturns?|[Oo]utputs?|[Rr]esults?|[Gg]ives?)\b", line):
        return None
    spaced = re.fullmatch(r"([(\[])([\w ]+)([)\]])", found["shape"])  # [1 1 H W]
    text = ", ".join(spaced[2].split()) if spaced is not None else found["shape"][1:-1]
    contract = commented(f"[{text}]")
    return (ALL, Declared(contract, found["shape"], number)) if contract is not None else None


def _beginning(text: str, line: int, is_tensor: bool) -> Declared | None:
    """A shape that an entry begins with: of what it calls a tensor, or of three axes of which one is a batch."""
    found = _FIRST.match(_without_markup(text))
    parts = [p.strip() for p in found["shape"][1:-1].split(",")] if found is not None else []
    if any(p.lower() in _TYPES for p in parts) or not (is_tensor or (len(parts) > 2 and parts[0].lower() in BATCH)
                                                       or (len(parts) > 1 and parts[0] in ("N", "B"))):  # fmt: skip
        return None
    return _declared(text, line, False, _FIRST)


def _below_type(lines: list[str], number: int, told: str) -> Declared | None:
    """A shape that begins what is said below an argument's type: ``x: torch.Tensor`` and then ``(..., 3) points``."""
    if _TYPE.fullmatch(told) is None:
        return None
    return _beginning(_whole(lines, number, "").strip(), number + 1, True)


@functools.lru_cache(maxsize=1024)
def _sentence(name: str) -> re.Pattern[str]:
    """What says of a parameter in passing that it has a shape, and no other."""
    return re.compile(
        rf"(?<![\w.]){re.escape(name)}\s*(?:has |is |of |with |:|,)*\s*(?:a )?shape:?\s*(?P<shape>[(\[][^()\[\]]*[)\]])"
        r"(?P<more>\s*(?:or|and)\b)?"
    )


def _whole(lines: list[str], number: int, text: str) -> str:
    """An entry with the lines that are indented below it."""
    depth = _depth(lines[number])
    for line in lines[number + 1 :]:
        if not line.strip() or _depth(line) <= depth:
            break
        text += " " + line.strip()
    return text


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _declared(text: str, line: int, in_shapes: bool, beside: re.Pattern[str] | None = None) -> Declared | None:
    plain = _without_markup(text)
    shapes = [m["shape"] for m in _NAMED.finditer(plain)]
    if not shapes and beside is not None:
        shapes = [m["shape"] for m in [beside.match(plain) if beside is _FIRST else beside.search(plain)] if m]
    if in_shapes:
        shapes = [m[0] for m in _BRACKETS.finditer(plain) if "," in m[0]]
    if len(shapes) != 1 or _SEVERAL.search(plain) or re.search(r"\b(if|or|otherwise|when|either|optional)\b", plain):
        return None
    contract = commented(shapes[0])
    return Declared(contract, shapes[0], line) if contract is not None else None


def _without_markup(text: str) -> str:
    """Without roles, backticks and TeX: ``:math:`(N, C_{in}, L)``` is ``(N, C_in, L)``."""
    text = re.sub(r":\w+:|[`$\\]|\\[,;]", "", text)
    text = re.sub(r"(?:text|mathrm)\{([^{}]*)\}", r"\1", text)
    return re.sub(r"_\{([^{}]*)\}", r"_\1", text)


@functools.lru_cache(maxsize=4096)
def _of_node(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, names: tuple[str, ...] = ()
) -> dict[str, Declared]:
    first = node.body[0] if node.body else None
    if not isinstance(first, ast.Expr) or not isinstance(first.value, ast.Constant):
        return {}
    text = first.value.value
    if not isinstance(text, str) or not ("[" in text or "(" in text):
        return {}
    begins = first.value.lineno
    return {name: replace(d, line=begins + d.line) for name, d in shapes_in(text, names).items()}


def documented(function: Function) -> dict[str, Declared]:
    """Parameter (or ``return``) → shape: of the function's docstring, and of its class's for what a layer computes."""
    if isinstance(function.node, ast.Lambda) or function.path.startswith(MARK):
        return {}
    spec = function.node.args
    names = [p.arg for p in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    found = dict(_of_node(function.node, tuple(names)))
    if function.owner is not None and function.name in ("forward", "call", "__call__"):
        inputs = [n for n in names[1:] if n not in ("mask", "training")]
        for name, declared in _of_node(function.owner.node).items():
            if name.rstrip("s") == "input" and name not in names and inputs:
                found.setdefault(inputs[0], declared)
            elif name == RESULT or name in [n.lower() for n in inputs]:
                found.setdefault(name, declared)
    if ALL in found and ALL not in names:
        found = {**dict.fromkeys(_tensors_of(function), found[ALL]), **found}
    written = {n.lower(): n for n in names}  # docstrings and constructors write one name in small and large letters
    return {RESULT if n == RESULT else written.get(n, n): d for n, d in found.items() if n == RESULT or n in written}


def _tensors_of(function: Function) -> list[str]:
    """The parameters without a default that are annotated as tensors."""
    spec = function.node.args
    positional = [*spec.posonlyargs, *spec.args]
    required = positional[: len(positional) - len(spec.defaults)]
    return [p.arg for p in required if p.annotation is not None and ast.unparse(p.annotation).endswith("Tensor")]


# ------------------------------------------------------------------------------------------------ calls and results


def enter(tr: Tracer, function: Function, names: dict[str, Value]) -> Sizes | None:
    """Hold given arguments against the docstring; in the round that trusts it, what nobody gives gets its shape."""
    shapes = documented(function)
    if not shapes:
        return None
    sizes = known_sizes(names)
    for name, declared in shapes.items():
        value = names.get(name)
        if isinstance(value, Unknown) and value.value is None and value.origin == "param" and tr.trusting:
            tensor = tr.tensor_of(value, "torch")
            give_shape(tr, tensor, declared.contract, sizes)
            names[name] = tensor
            tr.documented.append(tensor)
        elif isinstance(value, Tensor):
            _hold(tr, function, value, declared, sizes, f"`{name}`")
    return sizes


def leave(tr: Tracer, function: Function, value: Value, sizes: Sizes | None) -> None:
    """Hold what a function returns against its docstring."""
    declared = documented(function).get(RESULT) if sizes is not None else None
    if declared is not None and sizes is not None and isinstance(value, Tensor):
        _hold(tr, function, value, declared, sizes, "the result")


def _hold(tr: Tracer, function: Function, value: Tensor, declared: Declared, sizes: Sizes, what: str) -> None:
    if value.dims is None or value.shape.vague:
        return
    wrong = mismatch(value.dims, declared.contract, sizes)
    if not wrong or not tr.certain or not tr.feasible():
        return
    message = f"the docstring of `{function.name}` names the shape {declared.text} for {what}, but {wrong}"
    site = Site(function.path, declared.line)
    sentence = f"It is {show_shape(value.dims)} where {tr.place()} is reached."
    tr.report(Diagnostic(RULE, "note", message, site, "docstring", (sentence,), True, None, what))
