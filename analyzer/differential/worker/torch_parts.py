"""An exported program from its parts: tensors out of raw bytes, the graph out of JSON; nothing is unpickled.

The parts were taken apart and checked by the side that starts this one (`loading/exported_program.py`): PyTorch's
deserializer gets tensors and names of operators, never bytes that it would unpickle.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

PROGRAM, STORAGES = "program.json", "storages.bin"
# Arguments of operators that are words for how to compute. Text that is called anything else (a file name, an address)
# belongs to operators that do more, known or not.
WORDS = frozenset(
    {
        "UPLO", "activation", "algorithm", "approximate", "assert_msg", "attr", "binary_attr", "binary_post_op",
        "driver", "equation", "indexing", "interpolation", "mode", "norm", "ord", "p", "pad_mode", "padding",
        "padding_side", "post_op_algorithm", "post_op_name", "reduce", "reduction", "rounding_mode", "side",
        "unary_algorithm", "unary_attr", "unary_post_op", "unary_post_op_algorithm",
    }
)  # fmt: skip


class NotRead(Exception):
    """The program cannot be put together here; the text says why."""


def put_together(folder: Path) -> Any:
    """The ``ExportedProgram`` whose parts lie in `folder`. Raises `NotRead`."""
    import torch
    from torch._export.serde import schema, serialize

    parts = json.loads((folder / PROGRAM).read_text(encoding="utf-8"))
    _check_operators(parts["program"], torch)
    path = folder / STORAGES
    data = np.memmap(path, np.uint8, mode="c") if path.stat().st_size else np.zeros(0, np.uint8)
    storages: dict[tuple[int, int], Any] = {}
    tensors = [_tensor(entry, data, storages, torch) for entry in parts["tensors"]]
    weights, constants = ({n: tensors[i] for n, i in parts[kind].items()} for kind in ("weights", "constants"))
    example = _value(parts["example"], tensors) if parts["example"] else None
    if example is not None and not (isinstance(example, tuple) and len(example) == 2):
        raise NotRead("the program's example is not arguments and keywords")
    try:
        program = serialize._dict_to_dataclass(schema.ExportedProgram, parts["program"])
        return serialize.ExportedProgramDeserializer().deserialize(program, weights, constants, example)
    except Exception as error:
        text = (str(error).strip().splitlines() or [""])[0]
        raise NotRead(f"PyTorch {torch.__version__} does not take the program: {text[:200]}") from error


def _tensor(entry: Mapping[str, Any], data: np.ndarray, storages: dict[tuple[int, int], Any], torch: Any) -> Any:
    dtype = getattr(torch, str(entry["dtype"]))
    place = (entry["start"], entry["bytes"])
    if entry["bytes"] == 0:
        tensor = torch.zeros(entry["shape"], dtype=dtype)
    else:
        if place not in storages:
            storages[place] = torch.from_numpy(data[place[0] : sum(place)]).untyped_storage()
        tensor = torch.empty(0, dtype=dtype).set_(storages[place], entry["offset"], entry["shape"], entry["strides"])
    if entry["parameter"]:
        return torch.nn.Parameter(tensor, requires_grad=entry["gradient"])
    return tensor.requires_grad_(entry["gradient"])


def _value(tree: Mapping[str, Any], tensors: list[Any]) -> Any:
    ((kind, content),) = tree.items()
    if kind == "tensor":
        return tensors[content]
    if kind == "dict":
        return {_value(key, tensors): _value(item, tensors) for key, item in content}
    if kind in ("tuple", "list"):
        items = [_value(item, tensors) for item in content]
        return tuple(items) if kind == "tuple" else items
    return content


def _check_operators(program: Any, torch: Any) -> None:
    """Refuse calls of anything that takes text other than `WORDS`: a new operator that opens files is among them."""
    stack = [program]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
            name = item.get("target") if "inputs" in item else item.get("as_operator")
            if isinstance(name, str) and name.startswith("torch.ops."):
                _check_operator(name, torch)
        elif isinstance(item, list):
            stack.extend(item)


def _check_operator(name: str, torch: Any) -> None:
    found = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    if not isinstance(found, (torch._ops.OpOverload, torch._ops.HigherOrderOperator)):
        raise NotRead(f"PyTorch {torch.__version__} has no operator {name[:80]}")
    schema = getattr(found, "_schema", None)
    for argument in schema.arguments if schema is not None and not name.startswith("torch.ops.profiler.") else ():
        if "str" in str(argument.type) and argument.name not in WORDS:
            raise NotRead(f"{name[:80]} takes text ({argument.name}): it may do more than compute")
