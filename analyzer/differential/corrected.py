"""Source text of the oracle's operators for scripts that stand alone, for use where `onnx.reference` is wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import resources

import onnx

NEVER_RIGHT = 1 << 30  # above every operator set
WRONG_BEFORE = {  # operator -> the operator set from which `onnx.reference` is right
    "BatchNormalization": 14, "Softmax": 13, "LogSoftmax": 13, "Hardmax": 13, "QuantizeLinear": 19,
    "DequantizeLinear": 19, "Resize": 11, "RoiAlign": 16, "GridSample": 20,
    **dict.fromkeys(
        (
            "LRN", "GlobalMaxPool", "GlobalLpPool", "LpNormalization", "MeanVarianceNormalization", "Pad", "Upsample",
            "GatherElements", "Scatter",
        ),
        NEVER_RIGHT,
    ),
}  # fmt: skip
SOURCES = ("reference_operators.py", "reference_repairs.py")


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
    attributes = {a.name: a for a in node.attribute}
    if node.op_type == "MaxPool":
        padded = "pads" in attributes and any(attributes["pads"].ints)
        return padded or ("auto_pad" in attributes and attributes["auto_pad"].s == b"SAME_LOWER")
    if node.op_type in ("LSTM", "GRU", "RNN"):
        return len(node.input) > 4 and bool(node.input[4])  # with lengths
    if node.op_type == "LpPool":
        return "ceil_mode" in attributes and bool(attributes["ceil_mode"].i)
    if node.op_type == "ConvTranspose":
        return "group" in attributes and attributes["group"].i > 1
    return opset < WRONG_BEFORE.get(node.op_type, 0)


def definitions(names: Iterable[str]) -> str:
    """The classes of the oracle's operators called `names` with everything of their modules that they use."""
    folder = resources.files("analyzer.differential") / "worker"
    texts = [(folder / source).read_text("utf-8") for source in SOURCES]
    modules = [ast.parse(text) for text in texts]
    kinds = (ast.ClassDef, ast.FunctionDef)
    defined = {
        d.name: (d, text) for m, text in zip(modules, texts, strict=True) for d in m.body if isinstance(d, kinds)
    }
    wanted: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name in defined and name not in wanted:
            wanted.add(name)
            queue += [n.id for n in ast.walk(defined[name][0]) if isinstance(n, ast.Name)]
    used = {n.id for name in wanted for n in ast.walk(defined[name][0]) if isinstance(n, ast.Name)}
    lines = dict.fromkeys(line for m in modules for line in _imports(m, used).splitlines())
    parts = ["\n".join(lines)]
    parts += [ast.get_source_segment(text, d) or "" for name, (d, text) in defined.items() if name in wanted]
    return "\n\n\n".join(parts)


def _imports(module: ast.Module, used: set[str]) -> str:
    """The module's imports of what is used; NumPy is there already."""
    lines = []
    for statement in module.body:
        if isinstance(statement, ast.Import) or (isinstance(statement, ast.ImportFrom) and not statement.level):
            kept = [a for a in statement.names if (a.asname or a.name) in used and a.name != "numpy"]
            if kept:
                lines.append(ast.unparse(_only(statement, kept)))
    return "\n".join(lines)


def _only(statement: ast.Import | ast.ImportFrom, names: list[ast.alias]) -> ast.Import | ast.ImportFrom:
    if isinstance(statement, ast.Import):
        return ast.Import(names)
    return ast.ImportFrom(statement.module, names, statement.level)
