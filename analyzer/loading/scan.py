"""What opening a model file in its framework would do besides loading numbers, found without opening it there.

Pickles are judged by ``picklescan``; the rest is read from the file's own structure.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from analyzer.findings import Confidence, Evidence, Finding, Level
from analyzer.loading.archives import Archive, open_archive
from analyzer.loading.files import check_file, head_of, inside, is_pointer, map_file, read_file, shown
from analyzer.loading.formats import Format, detect
from analyzer.loading.graphdef import read_program
from analyzer.loading.hdf5 import datasets, open_file
from analyzer.loading.keras_model import config_parts, read_config
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.saved_model import read_program as read_saved_program
from analyzer.problem import TargetProblem

UNSAFE_PICKLE = "security/unsafe-pickle"
KERAS_CODE = "security/keras-code"
EXTERNAL_DATA = "security/external-data"
UNSAFE_OPERATOR = "security/unsafe-operator"

_MANY = 20  # names told in one finding


def scan(
    path: Path, root: Path | None = None, *, target: str | None = None, limits: Limits = DEFAULT
) -> tuple[Finding, ...]:
    """Security findings of one model or weights file. Damaged files give what can be told; loading says the rest.

    Args:
        path: a file or a SavedModel's folder.
        root: the repository; without `target`, findings carry the path relative to it.
        target: the target's id in the findings.
        limits: caps.
    """
    inside_root = root is not None and path.is_relative_to(root)
    name = target or (path.relative_to(root).as_posix() if root is not None and inside_root else path.name)
    try:
        found = detect(path)
        if found is None or found is Format.POINTER or (path.is_file() and is_pointer(head_of(path, 64))):
            return ()
        return tuple(_FORMATS[found](path, name, limits)) if found in _FORMATS else ()
    except (TargetProblem, RecursionError, MemoryError):
        return ()


def _pickles(path: Path, target: str, limits: Limits) -> Iterator[Finding]:
    """All pickles of a file: the file itself, or members of an archive whose name or content says so."""
    if head_of(path, 4) == b"PK\x03\x04":
        with open_archive(path, limits) as archive:
            for member in archive.names:
                if _may_be_pickle(archive, member):
                    data = archive.read(member, limits.pickle_size)
                    if data[:6] == b"\x93NUMPY":
                        data = _array_objects(data)
                    yield from _judged(data, target, member)
        return
    yield from _judged(map_file(path, limits)[: limits.pickle_size].tobytes(), target, "")


def _may_be_pickle(archive: Archive, member: str) -> bool:
    if member.endswith((".pkl", ".pickle", ".dill", ".joblib")):
        return True
    if archive.size(member) > archive.limits.pickle_size:
        return False
    if member.endswith(".npy"):
        return True
    start = archive.view(member)[:2].tobytes() if archive.size(member) >= 2 else b""
    return start[:1] == b"\x80" and start[1:] <= b"\x05" and "/data/" not in member


def _array_objects(data: bytes) -> bytes:
    """The pickle behind the header of an array of objects; empty for plain arrays."""
    width = 2 if data[6:7] == b"\x01" else 4
    length = int.from_bytes(data[8 : 8 + width], "little") + 8 + width
    return data[length:] if b"'O'" in data[:length] or b"|O" in data[:length] else b""


def _judged(data: bytes, target: str, member: str) -> Iterator[Finding]:
    from picklescan.scanner import SafetyLevel, scan_pickle_bytes

    if not data:
        return
    with _silent("picklescan"):
        try:
            result = scan_pickle_bytes(io.BytesIO(data), "pickle")
        except Exception:  # whatever a damaged pickle does to the scanner, loading reports the damage
            return
    for safety, level, confidence in (
        (SafetyLevel.Dangerous, Level.ERROR, Confidence.PROVED),
        (SafetyLevel.Suspicious, Level.WARNING, Confidence.POSSIBLE),
    ):
        names = sorted({f"{shown(g.module)}.{shown(g.name)}" for g in result.globals if g.safety == safety})
        if not names:
            continue
        first = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
        what = "calls" if level is Level.ERROR else "may call"
        yield Finding(
            UNSAFE_PICKLE,
            level,
            confidence,
            f"Loading this file by unpickling {what} {first[:140]}.",
            target,
            operand=shown(member),
            evidence=Evidence(
                "static",
                (
                    f"The pickle{f' {shown(member)}' if member else ''} imports these names, which was read from its "
                    "opcodes without running it.",
                    "Weights need none of them: save a state dict for weights_only=True, or use safetensors.",
                ),
                data={"names": names[:_MANY], "count": len(names)},
            ),
        )


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Keep the scanner from printing what a stranger wrote."""
    loggers = [logging.getLogger(n) for n in (name, f"{name}.scanner", "modelscan")]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, value in zip(loggers, before, strict=True):
            logger.disabled = value


def _keras(path: Path, target: str, limits: Limits) -> Iterator[Finding]:
    if head_of(path, 4) != b"PK\x03\x04":
        try:
            with open_file(path, shown(path), limits) as file:
                for _ in datasets(file, limits):
                    pass
        except TargetProblem as problem:
            if "refused" in str(problem):
                yield _outside(target, str(problem))
                return
    for part in config_parts(read_config(path, limits), limits):
        kind, name = str(part["class_name"]), shown(part["config"].get("name", ""))
        if kind == "Lambda" and _is_bytecode(part["config"].get("function")):
            message = f"The layer '{name}' is a Lambda: loading the file in Keras runs Python bytecode stored in it."
        elif kind == "TFSMLayer":
            other = shown(part["config"].get("filepath", ""), 60)
            message = f"The layer '{name}' loads another SavedModel ({other}) when the file is opened."
        else:
            continue
        yield Finding(
            KERAS_CODE,
            Level.WARNING,
            Confidence.PROVED,
            message[:200],
            target,
            layer=name,
            node=name,
            op=kind,
            evidence=Evidence("static", ("Read from the architecture, which is JSON; nothing was executed.",)),
        )


def _is_bytecode(function: Any) -> bool:
    """Marshalled code: a list in legacy files, an object of this class in today's."""
    return isinstance(function, list) or (isinstance(function, dict) and function.get("class_name") == "__lambda__")


def _outside(target: str, problem: str, node: str = "") -> Finding:
    return Finding(
        EXTERNAL_DATA,
        Level.ERROR,
        Confidence.PROVED,
        problem[:200],
        target,
        node=node,
        operand=node,
        evidence=Evidence(
            "static",
            ("A runtime that reads this model opens a file that is not part of it; it was not opened here.",),
        ),
    )


def _onnx(path: Path, target: str, limits: Limits) -> Iterator[Finding]:
    import onnx
    from google.protobuf.message import DecodeError

    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(read_file(path, limits))
    except DecodeError:
        return
    told: set[str] = set()
    for tensor in _tensors(proto.graph, limits.depth):
        for entry in tensor.external_data:
            if entry.key != "location" or entry.value in told:
                continue
            told.add(entry.value)
            try:
                place = inside(path.parent, entry.value, f"the tensor '{shown(tensor.name)}'")
                if place.exists():
                    check_file(place, limits.weights_size)
            except TargetProblem as problem:
                text = str(problem)
                if "refused" in text or "link" in text:
                    yield _outside(target, text, shown(tensor.name))


def _tensors(graph: Any, depth: int) -> Iterator[Any]:
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            if depth > 0:
                for inner in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
                    yield from _tensors(inner, depth - 1)


# Operators with effects outside of the graph; saving and restoring checkpoints is what every training graph does.
_EFFECTS = {
    "PyFunc": "calls Python code", "PyFuncStateless": "calls Python code", "EagerPyFunc": "calls Python code",
    "ReadFile": "reads a file", "WriteFile": "writes a file", "MatchingFiles": "lists files",
    "DebugIdentityV2": "writes files", "DumpTensor": "writes a file", "RpcCall": "calls another machine",
    "RpcClient": "calls another machine", "RegisterDataset": "talks to another machine",
}  # fmt: skip


def _tensorflow(path: Path, target: str, limits: Limits) -> Iterator[Finding]:
    program = read_program(path, limits) if detect(path) is Format.GRAPHDEF else read_saved_program(path, limits)
    nodes = [(n.name, n.op) for n in program.nodes]
    nodes += [(name, op) for function in program.functions.values() for name, op, _, _ in function.nodes]
    for name, op in nodes:
        if op in _EFFECTS:
            yield Finding(
                UNSAFE_OPERATOR,
                Level.WARNING,
                Confidence.PROVED,
                f"The node '{shown(name, 80)}' ({op}) {_EFFECTS[op]} whenever the graph runs.",
                target,
                node=shown(name),
                op=op,
                evidence=Evidence("static", ("TensorFlow graphs are programs; this one acts outside of itself.",)),
            )


_FORMATS = {
    Format.TORCH: _pickles,
    Format.TORCH_SCRIPT: _pickles,
    Format.TORCH_EXPORT: _pickles,
    Format.PICKLE: _pickles,
    Format.NUMPY: _pickles,
    Format.KERAS: _keras,
    Format.KERAS_H5: _keras,
    Format.KERAS_WEIGHTS: _keras,
    Format.ONNX: _onnx,
    Format.GRAPHDEF: _tensorflow,
    Format.SAVED_MODEL: _tensorflow,
}
