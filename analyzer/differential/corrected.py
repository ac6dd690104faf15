"""Source text of the oracle's operators for scripts that stand alone, for use where `onnx.reference` is wrong."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

import onnx

NEVER_RIGHT = 1 << 30  # above every operator set
WRONG_BEFORE = {  # operator -> the operator set from which `onnx.reference` is right
    "BatchNormalization": 14, "Softmax": 13, "LogSoftmax": 13, "Hardmax": 13, "QuantizeLinear": 19,
    "DequantizeLinear": 19, "RoiAlign": 16, "GridSample": 20,
    **dict.fromkeys(
        (
            "LRN", "GlobalMaxPool", "GlobalLpPool", "LpNormalization", "MeanVarianceNormalization", "Pad", "Upsample",
            "GatherElements", "Scatter", "Resize", "Softsign", "Mean", "Unique", "Loop", "Scan",
        ),
        NEVER_RIGHT,
    ),
}  # fmt: skip
RECURRENT = frozenset({"clip", "activations", "input_forget", "layout"})
NOT_PLAIN = {  # operator -> attributes without which `onnx.reference` is right
    "MaxPool": frozenset({"pads", "auto_pad", "ceil_mode", "dilations"}),
    "LpPool": frozenset({"ceil_mode", "auto_pad", "dilations"}),
    "ConvTranspose": frozenset({"output_padding", "output_shape", "auto_pad"}),
    **dict.fromkeys(("LSTM", "GRU", "RNN"), RECURRENT),
}
FILES = ("windows", "recurrent", "loops", "repairs", "operators", "attention", "quantized", "contributed")
SOURCES = tuple(f"reference_{name}.py" for name in FILES)
CONTRIBUTED = ("", "com.microsoft")  # domains in which ONNX Runtime has operators that the specification lacks


@dataclass(frozen=True, slots=True)
class Corrected:
    """Names of the operator classes, and Python that defines them."""

    names: tuple[str, ...]
    source: str


def corrected_operators(model: bytes) -> Corrected:
    """What a script about `model` has to define so that `onnx.reference` computes what the specification says."""
    proto = onnx.load_from_string(model)
    opset = max((o.version for o in proto.opset_import if o.domain in ("", "ai.onnx")), default=1)
    foreign = [n for n in _nodes(proto.graph) if n.domain in CONTRIBUTED and not onnx.defs.has(n.op_type, n.domain)]
    lacking = _defined().keys() & {n.op_type for n in foreign} if foreign else frozenset()
    wrong = [n.op_type for n in _nodes(proto.graph) if n.op_type in lacking or _is_wrong(n, opset)]
    names = tuple(dict.fromkeys(wrong))
    return Corrected(names, definitions(names)) if names else Corrected((), "")


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    """Those of `graph` and of the bodies in it."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for body in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else ())):
                yield from _nodes(body)


def _is_wrong(node: onnx.NodeProto, opset: int) -> bool:
    if node.domain not in ("", "ai.onnx"):
        return False
    given = {a.name: a for a in node.attribute}
    if node.op_type in NOT_PLAIN:
        lengths = node.op_type in ("LSTM", "GRU", "RNN") and len(node.input) > 4 and bool(node.input[4])
        several = node.op_type == "MaxPool" and (len(node.output) > 1 or "strides" not in given)
        groups = node.op_type == "ConvTranspose" and "group" in given and given["group"].i > 1
        return lengths or several or groups or not NOT_PLAIN[node.op_type].isdisjoint(given)
    return opset < WRONG_BEFORE.get(node.op_type, 0)


def definitions(names: Iterable[str]) -> str:
    """The classes of the oracle's operators called `names` with everything of their modules that they use."""
    defined = _defined()
    wanted: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name in defined and name not in wanted:
            wanted.add(name)
            queue += [n.id for n in ast.walk(defined[name][0]) if isinstance(n, ast.Name)]
    used = {n.id for name in wanted for n in ast.walk(defined[name][0]) if isinstance(n, ast.Name)}
    modules = [ast.parse(text) for text in _texts()]
    lines = dict.fromkeys(line for m in modules for line in _imports(m, used).splitlines())
    parts = ["\n".join(lines)]
    parts += [ast.get_source_segment(text, d) or "" for name, (d, text) in defined.items() if name in wanted]
    return "\n\n\n".join(parts)


def _texts() -> list[str]:
    folder = resources.files("analyzer.differential") / "worker"
    return [(folder / source).read_text("utf-8") for source in SOURCES]


def _defined() -> dict[str, tuple[ast.stmt, str]]:
    """What the oracle's modules define, in order: the statement, and the text that it stands in."""
    bodies = ((d, text) for text in _texts() for d in ast.parse(text).body)
    return {name: (d, text) for d, text in bodies if (name := _defines(d))}


def _defines(statement: ast.stmt) -> str:
    """The name that a statement of a module defines; empty for others."""
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef)):
        return statement.name
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
    return next((t.id for t in targets if isinstance(t, ast.Name)), "")


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
