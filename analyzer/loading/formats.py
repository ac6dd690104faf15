"""Which format a file or folder has, told by its content; the name's ending only breaks ties."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from analyzer.loading.files import head_of, is_pointer

HEAD = 64 * 1024  # bytes; every format shows itself within them


class Format(StrEnum):
    """What a path holds; the value is what a person reads."""

    ONNX = "onnx"
    GRAPHDEF = "tensorflow graph"
    SAVED_MODEL = "tensorflow saved model"
    KERAS = "keras model"
    KERAS_H5 = "keras h5 model"
    TORCH_EXPORT = "torch exported program"
    TORCH_SCRIPT = "torchscript"
    TORCH = "torch weights"
    PICKLE = "pickle"
    SAFETENSORS = "safetensors weights"
    CHECKPOINT = "tensorflow checkpoint"
    KERAS_WEIGHTS = "keras weights"
    NUMPY = "numpy weights"
    POINTER = "git lfs pointer"

    @property
    def has_graph(self) -> bool:
        """Whether such a file holds a graph, not weights alone."""
        return self in GRAPHS


GRAPHS = frozenset(
    {Format.ONNX, Format.GRAPHDEF, Format.SAVED_MODEL, Format.KERAS, Format.KERAS_H5, Format.TORCH_EXPORT}
)
_MODEL_ENDINGS = frozenset(
    {
        ".onnx", ".pb", ".pbtxt", ".keras", ".h5", ".hdf5", ".safetensors", ".pt", ".pth", ".pt2", ".ckpt", ".bin",
        ".npz", ".index", ".tflite", ".pkl", ".pickle",
    }
)  # fmt: skip
_OLD_PICKLE_ENDINGS = frozenset({".pkl", ".pickle", ".dill", ".joblib"})
_PICKLE_ENDINGS = frozenset({".pt", ".pth", ".bin", ".ckpt", ".tar", ".th", ".sav", ".pk", ".weights", ".model"})


def detect(path: Path) -> Format | None:
    """The format of a file or folder, or None if it is no model. Reads a few kilobytes, follows no link."""
    if path.is_symlink():
        return None
    if path.is_dir():
        return Format.SAVED_MODEL if _is_saved_model(path) else None
    if not path.is_file():
        return None
    return detect_content(path, head_of(path, HEAD))


def detect_content(path: Path, head: bytes) -> Format | None:
    """Like `detect` for a plain file that begins with `head`."""
    if is_pointer(head):
        return Format.POINTER if path.suffix.lower() in _MODEL_ENDINGS else None
    if head.startswith(b"PK\x03\x04"):
        return _zip_format(path)
    if head.startswith(b"\x89HDF\r\n\x1a\n"):
        return {"model": Format.KERAS_H5, "weights": Format.KERAS_WEIGHTS}.get(_hdf5_contents(path))
    if _is_safetensors(head):
        return Format.SAFETENSORS
    if head[:2] in (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"):
        return _pickle_format(path, head)
    if head[:1] in (b"(", b"c", b"]", b"}") and path.suffix.lower() in _OLD_PICKLE_ENDINGS:
        return Format.PICKLE  # protocols 0 and 1 have no header
    if _is_table(path):
        return Format.CHECKPOINT if path.suffix == ".index" else None
    if b"\x00" not in head[:1024] and all(c >= 32 or c in b"\t\n\r\x0c" for c in head[:256]):
        return _text_format(head)
    return _protobuf_format(path, head)


def _is_saved_model(folder: Path) -> bool:
    return any((folder / name).is_file() and not (folder / name).is_symlink() for name in SAVED_MODEL_FILES)


SAVED_MODEL_FILES = ("saved_model.pb", "saved_model.pbtxt")


def _zip_format(path: Path) -> Format | None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()[:100_000]
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError, RecursionError):
        return {".keras": Format.KERAS, ".pt2": Format.TORCH_EXPORT, ".npz": Format.NUMPY}.get(
            path.suffix.lower(), Format.TORCH if path.suffix.lower() in (".pt", ".pth", ".bin", ".ckpt") else None
        )
    below = {name.partition("/")[2] for name in names}
    if "config.json" in names and ("model.weights.h5" in names or "metadata.json" in names):
        return Format.KERAS
    if any(n.startswith("models/") and n.endswith(".json") for n in below | set(names)) or (
        "serialized_exported_program.json" in names
    ):
        return Format.TORCH_EXPORT
    if "constants.pkl" in below and any(n.startswith("code/") for n in below):
        return Format.TORCH_SCRIPT
    if "data.pkl" in below:
        return Format.TORCH
    if names and all(name.endswith(".npy") for name in names):
        return Format.NUMPY
    return None


def _is_safetensors(head: bytes) -> bool:
    if len(head) < 10:
        return False
    length = int.from_bytes(head[:8], "little")
    return 2 <= length <= 100_000_000 and head[8:9] == b"{" and re.match(rb'\{\s*("|\})', head[8:64]) is not None


def _pickle_format(path: Path, head: bytes) -> Format | None:
    if b"\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19" in head[:32] or b"torch" in head[:4096]:
        return Format.TORCH  # the legacy format opens with its magic number
    return Format.PICKLE if path.suffix.lower() in _PICKLE_ENDINGS | _OLD_PICKLE_ENDINGS else None


def _is_table(path: Path) -> bool:
    """Whether the file ends as a table of LevelDB does, which is what a checkpoint's index is."""
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            if file.tell() < 48:
                return False
            file.seek(-8, 2)
            return file.read(8) == b"\x57\xfb\x80\x8b\x24\x75\x47\xdb"
    except OSError:
        return False


_NODE_TEXT = re.compile(rb"(?:\s|#[^\n]*\n)*(?:node|library|versions)\s*:?\s*[{<]")
_SAVED_TEXT = re.compile(rb"(?:\s|#[^\n]*\n)*(?:saved_model_schema_version\s*:|meta_graphs\s*:?\s*[{<])")


def _text_format(head: bytes) -> Format | None:
    if is_onnx_text(head):
        return Format.ONNX
    if _SAVED_TEXT.match(head):
        return Format.SAVED_MODEL
    if _NODE_TEXT.match(head) and re.search(rb'\bop\s*:\s*"', head) and not re.search(rb"\bop_type\s*:", head):
        return Format.GRAPHDEF
    return None


def _protobuf_format(path: Path, head: bytes) -> Format | None:
    """Tell the protocol buffers apart by the numbers and kinds of their first fields."""
    seen: set[tuple[int, int]] = set()
    for number, wire, content in _fields(head):
        seen.add((number, wire))
        if number == 7 and wire == 2 and (1, 0) in seen and seen <= _ONNX_FIELDS:
            return Format.ONNX if _is_message(content, _GRAPH_FIELDS) else None
        if number == 2 and wire == 2 and seen == {(1, 0), (2, 2)} and _is_message(content, _META_FIELDS):
            # ONNX has a producer's name here, which reads as a message only by accident.
            return Format.SAVED_MODEL if path.name.startswith("saved_model") or not _is_name(content) else Format.ONNX
        if number == 1 and wire == 2 and seen == {(1, 2)}:
            return Format.GRAPHDEF if _is_node(content) else None
        if not seen <= _ONNX_FIELDS and not seen <= _GRAPHDEF_FIELDS:
            return None
    if seen and path.suffix.lower() == ".onnx" and (1, 0) in seen and seen <= _ONNX_FIELDS:
        return Format.ONNX
    return None


_ONNX_FIELDS = frozenset(
    {(1, 0), (2, 2), (3, 2), (4, 2), (5, 0), (6, 2), (7, 2), (8, 2), (14, 2), (20, 2), (25, 2), (26, 2)}
)
_GRAPHDEF_FIELDS = frozenset({(1, 2), (2, 2), (3, 0), (4, 2), (5, 2)})
_GRAPH_FIELDS = frozenset({(1, 2), (2, 2), (5, 2), (10, 2), (11, 2), (12, 2), (13, 2), (14, 2), (15, 2), (16, 2)})
_META_FIELDS = frozenset({(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2)})
_NODE_FIELDS = frozenset({(1, 2), (2, 2), (3, 2), (4, 2), (5, 2), (6, 2), (7, 2)})


def _is_name(content: bytes) -> bool:
    return len(content) < 256 and content.isascii() and content.decode("ascii").isprintable()


def _is_message(content: bytes, fields: frozenset[tuple[int, int]]) -> bool:
    for count, (number, wire, _) in enumerate(_fields(content)):
        if (number, wire) not in fields:
            return False
        if count >= 8:
            break
    return bool(content)


def _is_node(content: bytes) -> bool:
    """A NodeDef begins with its name and its operator."""
    texts = []
    for number, wire, value in _fields(content):
        if (number, wire) not in _NODE_FIELDS:
            return False
        if number in (1, 2):
            texts.append(value)
        if number >= 2:
            break
    return len(texts) == 2 and all(t and t.isascii() and t.decode("ascii").isprintable() for t in texts)


def _fields(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Field number, wire type and (as far as `data` goes) content of a message's fields; stops at what is no field."""
    position = 0
    for _ in range(64):
        tag, position = _varint(data, position)
        if tag is None or not 0 < tag >> 3 < 64 or tag & 7 not in (0, 1, 2, 5):
            if tag is not None:
                yield 0, 7, b""
            return
        wire = tag & 7
        if wire == 0:
            value, position = _varint(data, position)
            if value is None:
                return
            yield tag >> 3, wire, b""
        elif wire == 2:
            length, position = _varint(data, position)
            if length is None:
                return
            yield tag >> 3, wire, data[position : position + length]
            position += length
        else:
            yield tag >> 3, wire, b""
            position += 8 if wire == 1 else 4
        if position >= len(data):
            return


def _varint(data: bytes, position: int) -> tuple[int | None, int]:
    value = shift = 0
    while position < len(data) and shift < 64:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
    return None, position


def is_onnx_text(head: bytes) -> bool:
    """Whether `head` begins the textual syntax of ONNX (``<ir_version: 10, …>`` and a graph)."""
    stripped = head.lstrip()
    return stripped.startswith(b"<") and b"ir_version" in stripped[:512]


def is_lite(path: Path) -> bool:
    """Whether a file is a TensorFlow Lite model, which Assay compares with others and reads no graph from.

    Source: the ``file_identifier`` of TensorFlow Lite's schema, which a flatbuffer holds in bytes 4 to 8.
    """
    return path.is_file() and not path.is_symlink() and head_of(path, 8)[4:] == b"TFL3"


def _hdf5_contents(path: Path) -> str:
    """``model`` if there is an architecture in the file, ``weights`` if it looks like Keras's weights, else empty."""
    import h5py

    try:
        with h5py.File(path, "r", locking=False) as file:
            if "model_config" in file.attrs:
                return "model"
            if "layer_names" in file.attrs or "layers" in file or "_layer_checkpoint_dependencies" in file:
                return "weights"
            return "weights" if path.name.endswith((".weights.h5", ".weights.hdf5")) else ""
    except Exception:  # h5py raises many kinds for damaged files
        return "model" if path.suffix.lower() in (".h5", ".hdf5") else ""
