"""Source text of the judge's operators for scripts that stand alone: where `onnx.reference` is wrong, they carry it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources

import onnx

WRONG_BEFORE = {  # operator -> opset; or absent
    "BatchNormalization": 14, "Softmax": 13, "LogSoftmax": 13, "Hardmax": 13, "QuantizeLinear": 19,
    "DequantizeLinear": 19,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Corrected:
    """Names of the operator classes, and Python that defines them."""

    names: tuple[str, ...]
    source: str


def corrected_operators(model: bytes) -> Corrected:
    """What a script about `model` has to define so that `onnx.reference` computes what the specification says."""
    proto = onnx.load_from_string(model)
    opset = max((o.version for o in proto.opset_import if o.domain in ("", "ai.onnx")), default=1)
    names = tuple(dict.fromkeys(n.op_type for n in proto.graph.node if _is_wrong(n, opset)))
    return Corrected(names, definitions(names)) if names else Corrected((), "")


def _is_wrong(node: onnx.NodeProto, opset: int) -> bool:
    if node.op_type == "MaxPool":
        return any(a.name == "pads" and any(a.ints) for a in node.attribute)
    return node.op_type == "LRN" or opset < WRONG_BEFORE.get(node.op_type, 0)


def definitions(names: Iterable[str]) -> str:
    """The classes of `worker/reference_operators.py` called `names` with everything of that module that they use."""
    text = (resources.files("analyzer.differential") / "worker" / "reference_operators.py").read_text("utf-8")
    module = ast.parse(text)
    defined = {d.name: d for d in module.body if isinstance(d, (ast.ClassDef, ast.FunctionDef))}
    wanted: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name in defined and name not in wanted:
            wanted.add(name)
            queue += [n.id for n in ast.walk(defined[name]) if isinstance(n, ast.Name)]
    used = {n.id for name in wanted for n in ast.walk(defined[name]) if isinstance(n, ast.Name)}
    parts = [_imports(module, used)]
    parts += [ast.get_source_segment(text, d) or "" for name, d in defined.items() if name in wanted]
    return "\n\n\n".join(parts)


def _imports(module: ast.Module, used: set[str]) -> str:
    """The module's imports of what is used; NumPy is there already."""
    lines = []
    for statement in module.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            kept = [a for a in statement.names if (a.asname or a.name) in used and a.name != "numpy"]
            if kept:
                lines.append(ast.unparse(_only(statement, kept)))
    return "\n".join(lines)


def _only(statement: ast.Import | ast.ImportFrom, names: list[ast.alias]) -> ast.Import | ast.ImportFrom:
    if isinstance(statement, ast.Import):
        return ast.Import(names)
    return ast.ImportFrom(statement.module, names, statement.level)
