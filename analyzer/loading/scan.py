"""What opening a model file in its framework would do besides loading numbers, found without opening it there.

Pickles are read by ``picklescan``; the rest is read from the file's own structure.
"""

from __future__ import annotations

import io
import logging
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from analyzer.findings import Confidence, Evidence, Finding, Level
from analyzer.loading.archives import Archive, open_archive
from analyzer.loading.files import check_file, head_of, inside, is_pointer, map_file, read_file, shown
from analyzer.loading.formats import Format, detect
from analyzer.loading.graphdef import read_program
from analyzer.loading.hdf5 import datasets, open_file
from analyzer.loading.keras_model import config_parts, custom_classes, read_config
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.saved_model import read_program as read_saved_program
from analyzer.loading.tensorflow_effects import EffectKind, effects
from analyzer.loading.torch_names import foreign_operators, strange_names
from analyzer.problem import TargetProblem

UNSAFE_PICKLE = "security/unsafe-pickle"
KERAS_CODE = "security/keras-code"
EXTERNAL_DATA = "security/external-data"
UNSAFE_OPERATOR = "security/unsafe-operator"

_NO_LAYERS = frozenset({"numpy", "torch", "jax", "tensorflow", "scipy", "onnx", "h5py", "pip", "setuptools", "absl"})
_WEIGHTS = frozenset(  # what PyTorch's own reader of weights allows and `picklescan` does not know
    {f"torch._utils.{name}" for name in ("_rebuild_parameter", "_rebuild_parameter_with_state", "_rebuild_tensor_v3")}
)
_MANY = 20  # names told in one finding
NESTED = 3  # archives within archives that are looked into: a program, its weights, their sample


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


def refusal(
    path: Path, findings: Sequence[Finding], custom: Sequence[str] | None = None, limits: Limits = DEFAULT
) -> str | None:
    """Why no engine may run this file, as the end of a sentence; None where nothing in it acts.

    `findings` are those of `scan`, `custom` those of `custom_operators` (None: looked for).
    """
    for finding in sorted(findings, key=lambda f: f.level is not Level.ERROR):
        if finding.rule.startswith("security/"):
            return _WHY[finding.rule]
    return of_other_libraries(custom_operators(path, limits) if custom is None else custom)


def of_other_libraries(custom: Sequence[str]) -> str | None:
    """The end of a sentence on `custom` operators; None where there are none."""
    return f"it has operators of other libraries ({shown(', '.join(custom), 80)})" if custom else None


def custom_operators(path: Path, limits: Limits = DEFAULT) -> list[str]:
    """Operators and layers of other libraries, in any file but ONNX: what they do is not known."""
    try:
        found = detect(path)
        if found in (Format.GRAPHDEF, Format.SAVED_MODEL):
            saved = found is Format.SAVED_MODEL
            program = read_saved_program(path, limits) if saved else read_program(path, limits)
            return sorted({effect.op for effect in effects(program, assets=saved) if effect.kind is EffectKind.UNKNOWN})
        if found in (Format.KERAS, Format.KERAS_H5):
            return custom_classes(read_config(path, limits), limits)
        if found is Format.TORCH_EXPORT:
            with open_archive(path, limits) as archive:
                return foreign_operators(archive, limits)
    except (TargetProblem, RecursionError, MemoryError):
        pass  # loading says what is wrong
    return []


_WHY = {
    UNSAFE_PICKLE: "loading the file may run code that is pickled in it",
    KERAS_CODE: "loading the file in Keras may run code that is stored in it",
    EXTERNAL_DATA: "the file makes engines open files that are not part of it",
    UNSAFE_OPERATOR: "the file acts outside of itself when it runs",
}


def _pickles(path: Path, target: str, limits: Limits) -> Iterator[Finding]:
    """All pickles of a file: the file itself, or members of an archive whose name or content says so, at any depth."""
    if head_of(path, 4) == b"PK\x03\x04":
        yield from _members(path, target, limits, "", NESTED)
        return
    yield from _judged(map_file(path, limits)[: limits.pickle_size].tobytes(), target, "")


def _members(path: Path, target: str, limits: Limits, above: str, depth: int) -> Iterator[Finding]:
    with open_archive(path, limits) as archive:
        for member in archive.names:
            if archive.size(member) >= 4 and archive.view(member)[:4].tobytes() == b"PK\x03\x04":
                if depth == 0:
                    yield _hidden(target, f"{above}{member}", "archives within archives hide what they hold")
                    continue
                with tempfile.NamedTemporaryFile(suffix=".zip") as inner:  # directories of archives need a file
                    inner.write(archive.read(member, limits.tensor_size))
                    inner.flush()
                    yield from _members(Path(inner.name), target, limits, f"{above}{member}/", depth - 1)
            elif _may_be_pickle(archive, member):
                data = archive.read(member, limits.pickle_size)
                if data[:6] == b"\x93NUMPY":
                    data = _array_objects(data)
                yield from _judged(data, target, f"{above}{member}")


def _hidden(target: str, member: str, why: str) -> Finding:
    return Finding(
        UNSAFE_PICKLE,
        Level.ERROR,
        Confidence.PROVED,
        f"'{shown(member, 80)}' was not looked into: {why}.",
        target,
        operand=shown(member),
        evidence=Evidence("static", ("No format of a framework needs it; nothing was unpickled.",)),
    )


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
        found = {f"{shown(g.module)}.{shown(g.name)}" for g in result.globals if g.safety == safety}
        names = sorted(found - _WEIGHTS)
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
    files: list[tuple[Path | io.BytesIO, str]] = [(path, shown(path))]
    if head_of(path, 4) == b"PK\x03\x04":
        yield from _pickles(path, target, limits)
        with open_archive(path, limits) as archive:
            inner = [name for name in archive.names if name.endswith((".h5", ".hdf5"))]
            files = [(io.BytesIO(archive.view(name).tobytes()), f"'{shown(name)}'") for name in inner]
    for content, name in files:
        try:
            with open_file(content, name, limits) as file:
                for _ in datasets(file, limits):
                    pass
        except TargetProblem as problem:
            if "refused" in str(problem):
                yield _outside(target, str(problem))
                return
    for part in config_parts(read_config(path, limits), limits, functions=True):
        config = part["config"] if isinstance(part["config"], dict) else {}
        kind, name = str(part["class_name"]), shown(config.get("name", ""))
        if isinstance(config.get("vocabulary"), str):
            yield _outside(
                target, f"The layer '{name}' reads its vocabulary from {shown(config['vocabulary'], 60)}.", name
            )
            continue
        if kind == "Lambda" and _is_bytecode(config.get("function")):
            message = f"The layer '{name}' is a Lambda: loading the file in Keras runs Python bytecode stored in it."
        elif kind == "TFSMLayer":
            other = shown(config.get("filepath", ""), 60)
            message = f"The layer '{name}' loads another SavedModel ({other}) when the file is opened."
        elif kind == "TorchModuleWrapper":
            message = f"The layer '{name}' holds a pickled PyTorch module: loading the file in Keras unpickles it."
        elif _reaches_files(part):
            named = kind if config else str(part["config"])
            message = f"'{shown(named, 60)}' of {shown(part['module'], 60)} is no layer: Keras opens files by it."
        elif _imports(part):
            named = f"{part.get('module') or ''}>{part.get('registered_name') or kind}"
            message = f"'{shown(named, 80)}' names a module that Keras would import: loading the file runs its code."
        else:
            continue
        yield Finding(
            KERAS_CODE,
            Level.ERROR,
            Confidence.PROVED,
            message[:200],
            target,
            layer=name,
            node=name,
            op=kind,
            evidence=Evidence("static", ("Read from the architecture, which is JSON; nothing was executed.",)),
        )


def _reaches_files(part: Mapping[str, Any]) -> bool:
    """Whether it names what no model is made of: functions of Keras that download, unpack, load and save."""
    module = str(part.get("module") or "").replace("keras.src.", "keras.")
    return module.startswith(("keras.utils", "keras.saving", "keras.datasets")) and part["class_name"] != "FeatureSpace"


def _imports(part: Mapping[str, Any]) -> bool:
    """Whether Keras would import a module of Python itself to find the object: no layer lies there.

    A layer of a project's own, or of a library of layers, is missing where Assay runs: no engine loads it.
    """
    module = str(part.get("module") or "").partition(".")[0]
    return module != "builtins" and (module in sys.stdlib_module_names or module in _NO_LAYERS)


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
    trained = [graph for part in proto.training_info for graph in (part.initialization, part.algorithm)]
    graphs = [proto.graph, *trained, *proto.functions]
    for tensor in (tensor for graph in graphs for tensor in _tensors(graph, limits.depth)):
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
    """All tensors of a graph or a function; `depth` graphs down."""
    for sparse in getattr(graph, "sparse_initializer", ()):
        yield from (sparse.values, sparse.indices)
    yield from getattr(graph, "initializer", ())
    for attributes in (*(node.attribute for node in graph.node), getattr(graph, "attribute_proto", ())):
        for attribute in attributes:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors
            for sparse in (attribute.sparse_tensor, *attribute.sparse_tensors):
                yield from (sparse.values, sparse.indices)
            if depth > 0:
                for inner in [*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs]:
                    yield from _tensors(inner, depth - 1)


def _tensorflow(path: Path, target: str, limits: Limits) -> Iterator[Finding]:
    saved = detect(path) is not Format.GRAPHDEF
    program = read_saved_program(path, limits) if saved else read_program(path, limits)
    for effect in effects(program, assets=saved):
        if effect.kind is EffectKind.UNKNOWN:
            continue  # no engine here has it: `refusal` keeps them away
        acts = effect.kind is EffectKind.ACTS
        yield Finding(
            UNSAFE_OPERATOR,
            Level.ERROR if acts else Level.WARNING,
            Confidence.PROVED,
            f"The node '{shown(effect.node, 80)}' ({shown(effect.op, 60)}) {effect.what} whenever the graph runs.",
            target,
            node=shown(effect.node),
            op=shown(effect.op),
            evidence=Evidence("static", ("TensorFlow graphs are programs; this one acts outside of itself.",)),
        )


def _exported(path: Path, target: str, limits: Limits) -> Iterator[Finding]:
    """An exported program: its pickles, and what its calls and formulas name."""

    yield from _pickles(path, target, limits)
    with open_archive(path, limits) as archive:
        for name, what in strange_names(archive, limits):
            yield Finding(
                UNSAFE_OPERATOR,
                Level.ERROR,
                Confidence.PROVED,
                f"Loading this program in PyTorch would use '{shown(name, 80)}', which is {what}.",
                target,
                operand=shown(name, 80),
                evidence=Evidence("static", ("Read from the program, which is JSON; nothing was executed.",)),
            )


_FORMATS = {
    Format.TORCH: _pickles,
    Format.TORCH_SCRIPT: _pickles,
    Format.TORCH_EXPORT: _exported,
    Format.PICKLE: _pickles,
    Format.NUMPY: _pickles,
    Format.KERAS: _keras,
    Format.KERAS_H5: _keras,
    Format.KERAS_WEIGHTS: _keras,
    Format.ONNX: _onnx,
    Format.GRAPHDEF: _tensorflow,
    Format.SAVED_MODEL: _tensorflow,
}
