"""Torch's exported programs (``.pt2``) taken apart for an engine: plain JSON and raw bytes, and nothing else.

PyTorch's own reader unpickles, evaluates and imports what a file names. So the archive is read here, by parsers that
call nothing, in all three layouts: files of torch 2.8 and later (a file a weight), those of torch 2.7 (`torch.save` of
all weights within) and older ones. What an engine gets (`differential/worker/torch_parts.py`) holds tensors as
strided views of bytes, the example's structure, and the program's JSON without guards, notes and foreign names.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.archives import Archive, open_archive
from analyzer.loading.files import shown
from analyzer.loading.json_text import read_json
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.torch_archive import DTYPES, Stored, read_saved, stored
from analyzer.loading.torch_names import is_foreign, is_plain, operators, strange
from analyzer.problem import TargetProblem

PROGRAM, STORAGES = "program.json", "storages.bin"  # the two files of a program that was taken apart
# ``torch/_export/serde/schema.py``, ScalarType
SCALAR_TYPES = {
    1: "UINT8", 2: "INT8", 3: "INT16", 4: "INT32", 5: "INT64", 6: "FLOAT16", 7: "FLOAT", 8: "DOUBLE", 10: "COMPLEX64",
    11: "COMPLEX128", 12: "BOOL", 13: "BFLOAT16", 28: "UINT16", 29: "FLOAT8E4M3FN", 30: "FLOAT8E5M2",
}  # fmt: skip
_TORCH_NAMES = {ours: torch for torch, ours in DTYPES.items()}
_KEPT = ("nn_module_stack", "stack_trace", "torch_fn")  # of a node's notes: the others name things to look up
_ALIGNED = 64  # bytes: the largest vector register, and a cache line
_CLASSIC = "serialized_exported_program.json"
_CLASSIC_PARTS = {"weights": "state_dict", "constants": "constants", "example": "example_inputs"}


@dataclass(frozen=True)
class Layout:
    """Where an archive keeps the parts of its program."""

    program: str
    folder: str = ""
    name: str = ""  # of the model; empty in files of torch before 2.8

    @staticmethod
    def of(archive: Archive) -> Layout:
        found = sorted(n for n in archive.names if re.search(r"(^|/)models/[^/]+\.json$", n))
        if found:
            folder, _, member = found[0].rpartition("models/")
            return Layout(found[0], folder, member.removesuffix(".json"))
        if _CLASSIC in archive:
            return Layout(_CLASSIC)
        raise TargetProblem(f"{shown(archive.path)} has no program in it; it is damaged or of another kind.")

    def saved(self, kind: str) -> str:
        """The member that `torch.save` wrote with all ``weights`` or ``constants``, or the ``example``."""
        if not self.name:
            return f"serialized_{_CLASSIC_PARTS[kind]}.pt"
        if kind == "example":
            return f"{self.folder}data/sample_inputs/{self.name}.pt"
        return f"{self.folder}data/{kind}/{self.name}.pt"

    def listed(self, kind: str) -> str:
        """The member that says which file holds which tensor."""
        return f"{self.folder}data/{kind}/{self.name}_{kind}_config.json"


def tensors(archive: Archive, layout: Layout, kind: str, limits: Limits) -> dict[str, Stored]:
    """All ``weights`` or ``constants`` by name. Raises `TargetProblem` for pickled objects and for damage."""
    listed = layout.listed(kind)
    if layout.name and listed in archive:
        config = read_json(archive.read(listed, limits.json_size), f"'{shown(listed)}'", limits)["config"]
        return {str(name): _listed(archive, layout, kind, str(name), entry, limits) for name, entry in config.items()}
    found = _saved(archive, layout.saved(kind), limits)
    if not isinstance(found or {}, dict):
        raise TargetProblem(f"'{shown(layout.saved(kind))}' in {shown(archive.path)} holds no tensors by name.")
    strangers = [name for name, value in (found or {}).items() if not isinstance(value, Stored)]
    if strangers:
        raise TargetProblem(f"'{shown(strangers[0])}' in {shown(archive.path)} is no tensor.")
    return {str(name): value for name, value in (found or {}).items()}


def _listed(archive: Archive, layout: Layout, kind: str, name: str, entry: Mapping[str, Any], limits: Limits) -> Stored:
    meta, member = entry.get("tensor_meta"), f"{layout.folder}data/{kind}/{entry['path_name']}"
    if entry.get("use_pickle") or meta is None:
        raise TargetProblem(f"the weight '{shown(name)}' is a pickled object, which is not read.")
    dtype = SCALAR_TYPES.get(meta["dtype"])
    if dtype is None:
        raise TargetProblem(f"the weight '{shown(name)}' has an element type that is not known.")
    sizes, strides = ([whole(size) for size in meta[key]] for key in ("sizes", "strides"))
    what = f"the weight '{shown(name)}' of shape {sizes}"
    made = stored(archive.view(member), ir.DataType[dtype], whole(meta["storage_offset"]), sizes, strides, what, limits)
    return made.marked(parameter=bool(entry.get("is_param")), gradient=bool(meta.get("requires_grad")))


def whole(size: Mapping[str, Any]) -> int:
    """A size that is a number. Raises ValueError or KeyError."""
    value = size["as_int"]
    if type(value) is not int or value < 0:
        raise ValueError("a size is no number")
    return value


def _saved(archive: Archive, member: str, limits: Limits) -> Any:
    """What `torch.save` wrote into a member, read without calling anything; None where it is missing or empty."""
    if member not in archive or archive.size(member) == 0:
        return None
    with tempfile.NamedTemporaryFile(suffix=".pt") as inner:  # the mapped bytes outlive the name
        inner.write(archive.view(member).data)
        inner.flush()
        return read_saved(Path(inner.name), f"'{shown(member)}'", limits)


def take_apart(path: Path, folder: Path, limits: Limits = DEFAULT) -> None:
    """Write the program at `path` into `folder` as `PROGRAM` and `STORAGES`.

    Raises:
        TargetProblem: damaged, or it holds what is not data.
    """
    try:
        with open_archive(path, limits) as archive:
            layout = Layout.of(archive)
            program = read_json(archive.read(layout.program, limits.json_size), f"'{shown(layout.program)}'", limits)
            weights = tensors(archive, layout, "weights", limits)
            constants = tensors(archive, layout, "constants", limits)
            example = _saved(archive, layout.saved("example"), limits)
            folder.mkdir(parents=True, exist_ok=True)
            with (folder / STORAGES).open("wb") as file:
                table = _Table(file)
                written = {
                    "program": _cleaned(program, limits),
                    "weights": {name: table.number(tensor) for name, tensor in weights.items()},
                    "constants": {name: table.number(tensor) for name, tensor in constants.items()},
                    "example": table.tree(example) if example else None,
                    "tensors": table.tensors,
                }
        (folder / PROGRAM).write_text(json.dumps(written), encoding="utf-8")
    except TargetProblem as problem:
        raise TargetProblem(f"{shown(path)}: {problem}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError) as error:
        raise TargetProblem(f"{shown(path)} has a damaged program ({type(error).__name__}: {shown(error)}).") from None


@dataclass
class _Table:
    """The tensors of a program; each storage is written once, so that what was shared stays so."""

    file: Any
    tensors: list[dict[str, Any]] = field(default_factory=list)
    _places: dict[int, tuple[int, np.ndarray]] = field(default_factory=dict)  # by identity of the bytes, kept alive

    def number(self, tensor: Stored) -> int:
        name = _TORCH_NAMES.get(tensor.dtype.name)
        if name is None:
            raise TargetProblem(f"a tensor has the element type {tensor.dtype.name}, which PyTorch does not have.")
        self.tensors.append(
            {
                "start": self._place(tensor.data), "bytes": len(tensor.data), "dtype": name, "offset": tensor.offset,
                "shape": list(tensor.shape), "strides": list(tensor.strides), "parameter": tensor.parameter,
                "gradient": tensor.gradient,
            }
        )  # fmt: skip
        return len(self.tensors) - 1

    def tree(self, value: Any) -> dict[str, Any]:
        """A structure of tensors and plain values as tagged JSON."""
        if isinstance(value, Stored):
            return {"tensor": self.number(value)}
        if isinstance(value, tuple | list):
            return {type(value).__name__: [self.tree(item) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[self.tree(key), self.tree(item)] for key, item in value.items()]}
        if value is None or isinstance(value, bool | int | float | str):
            return {"value": value}
        raise TargetProblem(f"its example holds a {type(value).__name__} besides tensors, which is not read.")

    def _place(self, data: np.ndarray) -> int:
        at = data.__array_interface__["data"][0]
        if at not in self._places or len(self._places[at][1]) != len(data):
            start = -(-self.file.tell() // _ALIGNED) * _ALIGNED
            self.file.write(bytes(start - self.file.tell()))
            self.file.write(data.data)
            self._places[at] = (start, data)
        return self._places[at][0]


def _cleaned(item: Any, limits: Limits) -> Any:
    """The program's JSON as PyTorch may have it: what it would look up, import or evaluate beyond that is refused."""
    if isinstance(item, list):
        return [_cleaned(each, limits) for each in item]
    if not isinstance(item, dict):
        return item
    for text, what in strange(item):
        raise TargetProblem(f"it names '{shown(text, 80)}', which is {what}.")
    for name in operators(item):
        if is_foreign(name):
            raise TargetProblem(f"it calls '{shown(name, 80)}', which is no operator of PyTorch's own that computes.")
    if "as_custom_obj" in item or "custom_obj" in item:
        raise TargetProblem("it holds an object of a library besides tensors, which is not read.")
    for key in ("in_spec", "out_spec"):
        if isinstance(item.get(key), str) and not is_plain(item[key], limits):
            raise TargetProblem("it takes or returns containers other than tuples, lists and dicts.")
    made = {key: _cleaned(value, limits) for key, value in item.items()}
    if "guards_code" in made:
        made["guards_code"] = []  # Python to be evaluated; the analyses check sizes themselves
    if isinstance(made.get("metadata"), dict):
        made["metadata"] = {key: value for key, value in made["metadata"].items() if key in _KEPT}
    if "treespec_namedtuple_fields" in made:
        made["treespec_namedtuple_fields"] = {}
    return made
