"""Values as the hyperparameters of refinement types."""

from __future__ import annotations

import inspect
from typing import Any

from analyzer.tracing.language.tensors import OpenSize, Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.spec_facts import defaults_of, open_ended
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.spec import Spec
from analyzer.validity.terms import Poly

_SPATIAL = {
    "kernel_size", "stride", "strides", "padding", "dilation", "dilation_rate", "output_padding", "pool_size", "size",
    "scale_factor", "output_size", "cropping", "pad",
}  # fmt: skip

_SIZES = {
    "in_channels", "out_channels", "in_features", "out_features", "num_features", "num_embeddings",
    "embedding_dim", "units",
    "filters", "groups", "num_groups", "num_channels", "input_dim", "output_dim", "hidden_size", "input_size",
    "embed_dim",
    "num_heads", "upscale_factor", "downscale_factor", "n", "k", "in1_features", "in2_features", "num_classes",
    "chunks",
    "dim", "axis", "dim0", "dim1", "start_dim", "end_dim", "length", "start", "index", "depth_multiplier",
    "d_model", "nhead",
    "num_parameters", "proj_size", "block_size", "height", "width", "kdim", "vdim", "key_dim", "value_dim",
    "split_size_or_sections",
}  # fmt: skip

_OF_ELEMENTS = ("alpha", "rounding_mode")  # of sums and quotients, which change no shape

FLOATS = ("float16", "bfloat16", "float32", "float64")
OF_WEIGHTS = (*FLOATS, "complex64", "complex128")  # what layers can be asked to be of
AUTOCAST = ("float16", "bfloat16", "float32")  # what `torch.autocast` converts into one another

DROP = object()

OPEN_TYPE = object()  # a stated element type that is not known


def hyperparameters_of(tr: Tracer, found: Spec, given: dict[str, Value], name: str) -> dict[str, Any] | None:
    """Hyperparameters as the type takes them; None where one is unknown that must be known."""
    defaults = defaults_of(found)
    unnamed = open_ended(found)
    clean: dict[str, Any] = {}
    for key, value in given.items():
        if key not in defaults and not unnamed:
            continue
        if key == "dtype":
            named = dtype_name(value)
            if key in defaults and value is not None:
                clean[key] = named if named in OF_WEIGHTS else OPEN_TYPE
            continue
        if isinstance(value, Unknown) and value.value is None:
            converted = _of_unknown(tr, key, value, name)
            if converted is DROP:
                if key in _OF_ELEMENTS and unnamed:
                    continue
                if key in defaults and defaults[key] is not inspect.Parameter.empty:
                    continue
                return None
            if converted is None:
                return None
            clean[key] = converted
            continue
        converted = plain(tr, value)
        if converted is DROP:
            if key in defaults and defaults[key] is inspect.Parameter.empty:
                return None
            if key in _SPATIAL or key in _SIZES or key in ("shape", "dims", "target_shape", "normalized_shape"):
                return None
            continue
        clean[key] = converted
    return clean


def _of_unknown(tr: Tracer, key: str, value: Unknown, name: str) -> Any:
    if key in _SIZES:
        term = tr.term_of(value, key)
        return DROP if term is None else term
    if key == "normalized_shape":
        return value.term if value.term is not None and tr.path.assumes(value.term >= 1) else DROP
    if key in _SPATIAL:
        if key == "padding" and value.pytype != "int":
            return None
        if value.pytype == "int" or value.term is not None:
            return tr.term_of(value, key)
        count = next((int(c) for c in name if c.isdigit()), 0)
        if not count:
            return None
        return tuple(tr.fresh(value.label or key, "unknown", 0) for _ in range(count))
    return DROP


def plain(tr: Tracer, value: Value) -> Any:
    """A hyperparameter as the types take it: numbers, terms, text, tuples; `DROP` for anything else."""
    if isinstance(value, Unknown):
        if value.value is not None:
            return plain(tr, value.value[0])
        term = tr.term_of(value) if value.pytype in ("", "int", "number") else None
        return DROP if term is None else term
    if value is None or isinstance(value, (bool, int, float, str, Poly)):
        return value
    if isinstance(value, Tensor):
        if value.value is not None and isinstance(value.value, (int, tuple, Poly)):
            return value.value
        term = tr.term_of(value) if value.dims == () else None
        return DROP if term is None else term
    if isinstance(value, OpenSize) and value.tensor.dims is not None:
        return value.tensor.dims
    if isinstance(value, ListV):
        value = DROP if value.open else tuple(value.items)
    if isinstance(value, tuple):
        parts = tuple(plain(tr, v) for v in value)
        return DROP if any(p is DROP for p in parts) else parts
    return DROP


def dropped(value: Any) -> bool:
    return value is DROP
