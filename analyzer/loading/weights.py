"""Weights of a checkpoint, by name, without loading them: type, shape, and the values when they are asked for."""

from __future__ import annotations

from pathlib import Path

import onnx_ir as ir

from analyzer.loading import hdf5, numpy_archive, safetensors_file, tensor_bundle, torch_archive
from analyzer.loading.files import head_of, is_pointer, refuse_pointer, shown
from analyzer.loading.formats import Format, detect
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.reading import load
from analyzer.loading.weight import Weight
from analyzer.problem import TargetProblem


def open_weights(path: Path, limits: Limits = DEFAULT) -> dict[str, Weight]:
    """The tensors of a weights file: safetensors, torch, Keras, NumPy, a TensorFlow checkpoint (``.index``, its
    prefix or its folder), or a model file with weights in it.

    Raises:
        NotFetchedProblem: a Git LFS pointer.
        TargetProblem: missing, damaged, hostile, or no weights that Assay can read.
    """
    prefix = tensor_bundle.index_of(path)
    if prefix is not None:
        return tensor_bundle.open_checkpoint(prefix, limits)
    found = detect(path)
    head = b"" if path.is_dir() else head_of(path, 64)
    if is_pointer(head):
        refuse_pointer(path, head)
    if found is Format.SAFETENSORS:
        return safetensors_file.open_safetensors(path, limits)
    if found in (Format.TORCH, Format.TORCH_SCRIPT, Format.PICKLE):
        return torch_archive.open_torch(path, limits)
    if found is Format.NUMPY:
        return numpy_archive.open_npz(path, limits)
    if found in (Format.KERAS_WEIGHTS, Format.KERAS_H5):
        return hdf5.open_hdf5(path, limits)
    if found is Format.KERAS:
        return hdf5.open_keras_weights(path, limits)
    if found in (Format.ONNX, Format.SAVED_MODEL, Format.TORCH_EXPORT, Format.GRAPHDEF):
        initializers = load(path, limits).graph.initializers.values()
        return {v.name or "": _weight(v.const_value) for v in initializers if v.const_value is not None}
    if not path.exists():
        raise TargetProblem(f"{shown(path)} does not exist.")
    raise TargetProblem(
        f"{shown(path)} holds no weights that Assay can read: "
        "safetensors, torch, Keras h5, NumPy npz, TensorFlow checkpoint."
    )


def _weight(tensor: ir.TensorProtocol) -> Weight:
    return Weight(tensor.dtype, tuple(int(d) for d in tensor.shape.numpy()), tensor.numpy)
