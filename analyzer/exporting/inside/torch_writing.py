"""Traced program -> ``model.onnx``, by ``torch.onnx.export(program, dynamo=True, optimize=False)``."""

from __future__ import annotations

import contextlib
import inspect
import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from . import (
    allowances,
    complex_numbers,
    corrected_forms,
    opaque,
    reserved_names,
    translations,
    unique_names,
)

EMBED_LIMIT = 64 << 20  # bytes of weights above which they are written beside the model, where nobody copies them


class NoExporter(Exception):
    """This environment cannot write ONNX; the text says why."""


def write_onnx(program: Any, out: str, torch: Any, given: Mapping[str, str] = MappingProxyType({})) -> str:
    try:
        import onnx_ir  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise NoExporter(f"the environment has no {error.name}") from error
    accepted = inspect.signature(torch.onnx.export).parameters
    if "dynamo" not in accepted:
        raise NoExporter(f"torch {torch.__version__} has no exporter for traced programs")
    allowances.equal_bounds(program, torch)
    allowances.constants_copied(program, torch)
    allowances.tensors_alone(program, torch)
    with _silence():
        options: dict[str, Any] = {"dynamo": True, "optimize": False, "verbose": False}
        if "custom_translation_table" in accepted:
            options["custom_translation_table"] = {**translations.table(torch), **corrected_forms.table(torch)}
        chosen = {key: value for key, value in options.items() if key in accepted}
        sizes = allowances.sizes_without_values(torch)
        # A complex tensor that is changed in place has no gradient, which decompositions would ask for.
        written = allowances.numbers_of_doubles(program, torch)
        known, opaque_nodes = complex_numbers.known(torch), opaque.where_no_form(torch)
        numbers = allowances.numbers_as_tensors(torch)
        with torch.no_grad(), known, opaque_nodes, allowances.without_checks(torch), written, sizes, numbers:
            exported = _exported(program, chosen, torch)
    reserved_names.take_back(exported.model.graph, given)
    unique_names.make_unique(exported.model.graph)
    weights = sum(v.const_value.nbytes for v in exported.model.graph.initializers.values() if v.const_value is not None)
    exported.save(os.path.join(out, "model.onnx"), external_data=weights > EMBED_LIMIT)
    return "onnx"


def _exported(program: Any, options: dict[str, Any], torch: Any) -> Any:
    try:
        return _with_unknown_kernels(program, options, torch)
    except Exception:
        with allowances.views_may_copy(torch):
            return _with_unknown_kernels(program, options, torch)


def _with_unknown_kernels(program: Any, options: dict[str, Any], torch: Any) -> Any:
    """The ONNX program; operators of libraries that have no ONNX form become nodes of their own name."""
    table = options.get("custom_translation_table")
    while True:
        try:
            return torch.onnx.export(program, **options)
        except Exception as error:
            unknown = opaque.missing(error, torch)
            if table is None or unknown is None or unknown in table:
                raise
            table[unknown] = opaque.translation(unknown)


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """The exporter logs one line for every library that is not installed."""
    import logging
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        previous = logging.root.manager.disable
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(previous)
