"""Dtypes between ``onnx_ir``, NumPy and torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir


def torch_dtype(name: str) -> Any:
    """The torch dtype of an ONNX data type's name; KeyError for what torch has not."""
    import torch

    return {
        "FLOAT": torch.float32, "DOUBLE": torch.float64, "FLOAT16": torch.float16, "BFLOAT16": torch.bfloat16,
        "INT64": torch.int64, "INT32": torch.int32, "INT16": torch.int16, "INT8": torch.int8, "UINT8": torch.uint8,
        "UINT16": torch.int32, "UINT32": torch.int64, "UINT64": torch.int64, "BOOL": torch.bool,
        "FLOAT8E4M3FN": torch.float8_e4m3fn, "FLOAT8E5M2": torch.float8_e5m2,
    }[name]  # fmt: skip


def from_numpy(array: Any) -> Any:
    """A torch tensor with the array's dtype; bfloat16 and unsigned types that torch lacks are widened exactly."""
    import torch

    array = np.asarray(array)
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.astype(np.float32)).to(torch.bfloat16)
    if array.dtype.name in ("float8_e4m3fn", "float8_e5m2"):
        return torch.from_numpy(array.astype(np.float32)).to(getattr(torch, array.dtype.name))
    if array.dtype == np.uint16:
        array = array.astype(np.int32)
    elif array.dtype in (np.uint32, np.uint64):
        array = array.astype(np.int64)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"no torch dtype for {array.dtype}")
    return torch.from_numpy(np.array(array, copy=True))


def attribute_dtype(value: Any) -> Any:
    """The torch dtype named by an attribute; the loaders turn TensorFlow's numbers into ONNX's."""
    return torch_dtype(ir.DataType(int(value)).name)
