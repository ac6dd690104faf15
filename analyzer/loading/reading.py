"""`load`: from a path to a `Graph`, whatever the format."""

from __future__ import annotations

from pathlib import Path

from analyzer.graph import Graph
from analyzer.loading.files import check_file, head_of, refuse_pointer, shown
from analyzer.loading.formats import Format, detect, is_lite
from analyzer.loading.graphdef import read_graphdef
from analyzer.loading.keras_model import read_keras
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.onnx_file import read_onnx
from analyzer.loading.saved_model import read_saved_model
from analyzer.loading.torch_program import read_program
from analyzer.problem import Problem, TargetProblem


def load(path: Path, limits: Limits = DEFAULT) -> Graph:
    """The graph of a model file or folder, by parsing only.

    Raises:
        NotFetchedProblem: a Git LFS pointer.
        TargetProblem: missing, damaged, over a limit, a format without a graph, or none that Assay knows.
    """
    if not path.is_dir():
        check_file(path, limits.weights_size)
        refuse_pointer(path, head_of(path, 64))
    found = detect(path)
    try:
        if is_lite(path):
            raise TargetProblem(
                f"{shown(path)} is a TensorFlow Lite model, which is only compared with the one that it was made "
                "from: `assay diff MODEL.keras --against MODEL.tflite`."
            )
        if found is None:
            raise TargetProblem(f"{shown(path)} is not a model that Assay knows: {_known()}.")
        return _load(path, found, limits)
    except Problem:
        raise
    except MemoryError:
        raise TargetProblem(f"{shown(path)} needs more memory than there is.") from None
    except RecursionError:
        raise TargetProblem(f"{shown(path)} is nested too deeply.") from None


def _known() -> str:
    return "ONNX, TensorFlow GraphDef and SavedModel, Keras (.keras, .h5), torch exported programs (.pt2)"


def _load(path: Path, found: Format, limits: Limits) -> Graph:
    if found is Format.ONNX:
        return read_onnx(path, limits)
    if found is Format.GRAPHDEF:
        return read_graphdef(path, limits)
    if found is Format.SAVED_MODEL:
        return read_saved_model(path, limits)
    if found in (Format.KERAS, Format.KERAS_H5):
        return read_keras(path, limits)
    if found is Format.TORCH_EXPORT:
        return read_program(path, limits)
    raise TargetProblem(f"{shown(path)} is {found.value}, which holds no graph; name the model it belongs to.")
