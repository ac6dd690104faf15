"""Arrays on disk: one file of raw bytes and a manifest that travels in the JSON message.

A manifest maps a name to ``{"dtype", "shape", "offset"}``; strings travel in the manifest itself (``"values"``).
bfloat16 and float8 values are widened to float32, which holds them exactly; ``"logical"`` keeps what they were.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

Manifest = dict[str, dict[str, Any]]
ALIGNMENT = 64  # bytes, a cache line: engines map the file and read vectors
PLAIN_KINDS = "biufc"


def write(path: Path, arrays: dict[str, np.ndarray]) -> Manifest:
    """Write `arrays` to `path`; returns the manifest."""
    manifest: Manifest = {}
    offset = 0
    with open(path, "wb") as file:
        for name, array in arrays.items():
            array = np.asarray(array)
            entry: dict[str, Any] = {"shape": list(array.shape)}
            if array.dtype.kind in "OUS":
                entry |= {"dtype": "str", "values": [_text(v) for v in array.ravel()]}
                manifest[name] = entry
                continue
            if array.dtype.kind not in PLAIN_KINDS:  # ml_dtypes
                entry["logical"] = str(array.dtype)
                array = array.astype(np.float32)
            gap = -offset % ALIGNMENT
            file.write(b"\0" * gap)
            offset += gap
            entry |= {"dtype": array.dtype.str, "offset": offset}
            data = np.ascontiguousarray(array)
            file.write(data.tobytes() if data.size == 0 else data.view(np.uint8).data if data.ndim else data.tobytes())
            offset += data.nbytes
            manifest[name] = entry
    return manifest


def read(path: Path, manifest: Manifest) -> dict[str, np.ndarray]:
    """Read what `write` wrote. Raises ValueError when the manifest does not fit the file."""
    size = path.stat().st_size
    whole = np.memmap(path, dtype=np.uint8, mode="r") if size else np.zeros(0, np.uint8)
    arrays: dict[str, np.ndarray] = {}
    total = 0
    for name, entry in manifest.items():
        shape = tuple(int(n) for n in entry["shape"])
        if entry["dtype"] == "str":
            arrays[name] = np.array(entry["values"], dtype=object).reshape(shape)
            continue
        dtype = np.dtype(entry["dtype"])
        start, count = int(entry["offset"]), int(np.prod(shape, dtype=np.int64))
        if dtype.kind not in PLAIN_KINDS or min((start, *shape)) < 0 or start + count * dtype.itemsize > size:
            raise ValueError(f"the manifest of {name!r} does not fit the file of {size} bytes")
        total += count * dtype.itemsize
        if total > size:
            raise ValueError(f"the manifest names more than the file's {size} bytes")
        arrays[name] = np.array(whole[start : start + count * dtype.itemsize]).view(dtype).reshape(shape)
    return arrays


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
