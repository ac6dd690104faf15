"""``nn.Module`` -> ONNX, with module scopes and source lines in the metadata of each node.

``torch.export`` then ``torch.onnx.export(program, dynamo=True, optimize=False)``: with optimisation on, batch norm
would be folded away. Where the environment's torch is too old for that, or lacks onnxscript, the traced program
itself is handed back (``program.pt2``).
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import pathlib
import traceback
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from . import (
    allowances,
    complex_numbers,
    corrected_forms,
    creation,
    evaluation_mode,
    example_run,
    generators,
    module_allowances,
    opaque,
    own_types,
    reserved_names,
    sparse_tensors,
    specialized,
    translations,
    unique_names,
)
from .entry import Built
from .examples import array, check, match
from .failure import ExportFailure, Project, describe, is_defect
from .shown import examples_show

EMBED_LIMIT = 64 << 20  # bytes of weights above which they are written beside the model, where nobody copies them


def export(built: Built, request: Mapping[str, Any], out: str, project: Project) -> dict[str, Any]:
    """Write ``model.onnx`` (or ``program.pt2``) to `out`; returns what else there is to tell."""
    import torch

    entry = request["entry"]
    module = built.torch_module()
    notes: list[str] = []
    if module.training:
        evaluation_mode.enter(module)
        notes.append("exported in evaluation mode (dropout off, batch statistics fixed)")
    args, kwargs, named = _inputs(module, built, request)
    own_types.register((args, kwargs), torch)
    shapes, axes = _dynamic(named, request, torch)
    own = built.inputs is not None and not built.made_up
    told = {
        "versions": _versions(torch),
        "axes": axes,
        "created": _created(module),
        "untrained": _untrained(module),
        "inputs": list(named),
    }
    first: BaseException | None = None
    with reserved_names.renamed(module, torch) as given:
        for program, note, fixed in _programs(entry, module, args, kwargs, named, shapes, project, built, torch):
            result = {
                **told,
                "notes": [*notes, note] if note else notes,
                "recorded": fixed is not None and note.startswith(specialized.NOTE),
                "read": _read_inputs(program, fixed, args, kwargs, torch),
                **(examples_show(_by_node(program, args, kwargs, named, torch)) if own else {}),
            }
            if generators.take_away(program):
                result["notes"] = [*result["notes"], generators.NOTE]
            try:
                result["format"] = _write_onnx(program, out, torch, given)
            except _NoExporter as missing:
                torch.export.save(program, os.path.join(out, "program.pt2"))
                said = f"{missing}; the traced program was handed back instead of ONNX"
                result.update(format="pt2", notes=[*result["notes"], said])
            except BaseException as error:
                if isinstance(error, (KeyboardInterrupt, MemoryError)):
                    raise
                first = first or error
                continue
            light = example_run.is_light(program, torch)
            return {**result, "ran": light and _ran(module, args, kwargs, torch)[1] is None}
    assert first is not None  # without a program there is a failure
    raise ExportFailure(
        f"{entry}: torch {torch.__version__} traced the model but could not write it as ONNX: {_cause(first)}",
        project.of_traceback(first) or built.place,
    ) from first


def _untrained(module: Any) -> list[str]:
    """The weights that training leaves as they are: those without a gradient, where others have one."""
    named = list(module.named_parameters())
    found = [name for name, weight in named if not weight.requires_grad]
    return found if len(found) < len(named) else []


def convert(request: Mapping[str, Any], out: str, project: Project) -> dict[str, Any]:
    """The parts of a program of another environment (`torch_parts`, beside this file inside) -> ``model.onnx``."""
    import torch

    entry = request["entry"]
    try:
        parts = importlib.import_module(".torch_parts", __package__)
        program = parts.put_together(pathlib.Path(project.root, request["program"]))
        return {"format": _write_onnx(program, out, torch), "ok": True, "framework": "torch"}
    except _NoExporter as missing:
        raise ExportFailure(
            f"{entry}: {missing}, neither where the project's code runs nor where Assay does; add onnxscript to the "
            "requirements"
        ) from missing
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, MemoryError)):
            raise
        raise ExportFailure(
            f"{entry}: the traced program could not be written as ONNX by torch {torch.__version__}: {_cause(error)}; "
            "add onnxscript to the project's own environment"
        ) from error


def _inputs(
    module: Any, built: Built, request: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]:
    """Positional and keyword arguments, and all by the name of the parameter they go to."""
    described: Mapping[str, Any] = request.get("inputs") or {}
    taken: dict[str, int] = {}
    names = _parameters(module)
    if built.inputs is None:
        if not described:
            raise ExportFailure(
                f"{request['entry']}: gives a module without example inputs; return (model, inputs) or describe them "
                "under `inputs:` in the configuration",
                built.place,
            )
        chosen = match(names or list(described), described)
        order = [n for n in names if n in chosen] or list(chosen)
        symbols = request.get("symbols") or {}
        values = {n: _tensor(array(n, chosen[n], symbols, taken, seed), chosen[n]) for seed, n in enumerate(order)}
        if not names or order == names[: len(order)]:
            return tuple(values.values()), {}, values
        return (), values, values
    if isinstance(built.inputs, dict):
        return (), built.inputs, dict(built.inputs)
    positional = names + [f"input_{i}" for i in range(len(names), len(built.inputs))]
    return built.inputs, {}, {positional[i]: value for i, value in enumerate(built.inputs)}


def _by_node(program: Any, args: Any, kwargs: Any, named: Mapping[str, Any], torch: Any) -> dict[str, Any]:
    """Example tensors by the names that the program gives its inputs: of structures and ``*args`` too."""
    leaves = torch.utils._pytree.tree_leaves((args, kwargs))
    names = getattr(getattr(program, "graph_signature", None), "user_inputs", ())
    return {**named, **(dict(zip(names, leaves)) if len(names) == len(leaves) else {})}  # noqa: B905


def _read_inputs(program: Any, fixed: specialized.Fixed | None, args: Any, kwargs: Any, torch: Any) -> list[str] | None:
    """The program's inputs that alone decide what a recorded model read; None where others may."""
    leaves = torch.utils._pytree.tree_leaves((args, kwargs))
    names = getattr(getattr(program, "graph_signature", None), "user_inputs", ())
    if fixed is None or fixed.read is None or len(names) != len(leaves):
        return None
    return [names[place] for place in fixed.read if isinstance(names[place], str)]


def _parameters(module: Any) -> list[str]:
    try:
        parameters = inspect.signature(module.forward).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _tensor(values: Any, spec: Mapping[str, Any]) -> Any:
    import torch

    tensor = torch.from_numpy(values)
    return tensor.to(torch.bfloat16) if spec.get("dtype") == "bfloat16" else tensor


def _dynamic(
    named: Mapping[str, Any], request: Mapping[str, Any], torch: Any
) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """``dynamic_shapes`` for torch.export, and the symbols' names by input and axis."""
    described = match(list(named), request.get("inputs") or {})
    symbols = request.get("symbols") or {}
    dims: dict[str, Any] = {}
    shapes: dict[str, Any] = {}
    axes: dict[str, dict[str, str]] = {}
    for name, value in named.items():
        spec = described.get(name)
        if not hasattr(value, "shape"):
            shapes[name] = _nothing_dynamic(value)
            continue
        check(name, tuple(int(d) for d in value.shape), spec)
        wanted = (spec or {}).get("shape") or ()
        moving = {axis: str(d) for axis, d in enumerate(wanted) if not isinstance(d, int)}
        for symbol in moving.values():
            if symbol not in dims:
                low, high = ([*list(symbols.get(symbol, (1, None))), None])[:2]
                limits = {"min": max(1, low or 1)} if high is None else {"min": max(1, low or 1), "max": high}
                dims[symbol] = torch.export.Dim(symbol, **limits) if high is None or high > limits["min"] else None
        shapes[name] = {axis: dims[symbol] for axis, symbol in moving.items() if dims[symbol] is not None} or None
        axes[name] = {str(axis): symbol for axis, symbol in moving.items()}
    return (shapes if dims else None), axes


def _nothing_dynamic(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_nothing_dynamic(v) for v in value)
    if isinstance(value, dict):
        return {k: _nothing_dynamic(v) for k, v in value.items()}
    return None


def _programs(
    entry: str,
    module: Any,
    args: Any,
    kwargs: Any,
    named: Any,
    shapes: Any,
    project: Project,
    built: Built,
    torch: Any,
    gradients: bool = False,
) -> Iterator[tuple[Any, str, specialized.Fixed | None]]:
    """The programs of those ways of tracing that succeed, each with what there is to say about it and what it fixed.

    The next is asked for where one cannot be written. Fails as the first way did if none succeeds. With `gradients`,
    which a model may ask for itself (a penalty on them, a differential equation), they are recorded.
    """
    attempts: list[tuple[Any, bool, str]] = [(shapes, False, "")]
    if shapes is not None:
        automatic = _automatic(shapes, torch)
        if automatic is not None:
            attempts.append((automatic, False, "some symbolic dimensions are tied or bounded by the model"))
        attempts.append(
            (None, False, "symbolic dimensions were fixed at their example sizes: the model does not trace with them")
        )
    attempts.append((None, True, "symbolic dimensions were fixed at their example sizes" if shapes else ""))
    first: BaseException | None = None
    traced = False
    for dynamic, strict, note in attempts:
        try:
            with torch.set_grad_enabled(gradients), _all_lines_of(project), _allowances(torch):
                program = _torch_export(torch, module, args, kwargs, named, dynamic, strict)
        except BaseException as error:
            if isinstance(error, (KeyboardInterrupt, MemoryError)):
                raise
            first = first or error
            if dynamic is None and not strict and project.of_traceback(error) and _is_own_error(error):
                first = error  # without symbols the framework's message speaks of sizes a person knows
                break
            continue
        traced = True
        yield program, note, None
    made, raised = _ran(module, args, kwargs, torch, gradients)
    if raised is not None and not gradients and _ran(module, args, kwargs, torch, True)[1] is None:
        yield from _programs(entry, module, args, kwargs, named, shapes, project, built, torch, True)
        return
    if not traced and own_types.register(made, torch):
        yield from _programs(entry, module, args, kwargs, named, shapes, project, built, torch, gradients)
        return
    with sparse_tensors.dense_state(module, torch) as changed:
        if changed:
            yield from _programs(entry, module, args, kwargs, named, shapes, project, built, torch, gradients)
            return
    if raised is not None and not traced and is_defect(raised, project):
        raise ExportFailure(
            f"{entry}: the model raises on its example inputs: {describe(raised)}",
            project.of_traceback(raised) or built.place,
            "running" if built.inputs is not None else "described",
        ) from raised
    for selections in (False, True) if raised is None else ():
        forward = module.forward
        try:
            with torch.set_grad_enabled(gradients), _all_lines_of(project), _allowances(torch):
                fixed = specialized.fix(module, args, kwargs, torch, project.innermost, selections=selections)
                program = _torch_export(torch, module, args, kwargs, named, None, False) if fixed is not None else None
        except Exception:  # the first failure is the one that a person can do something about
            program = None
        if program is not None and fixed is not None:
            traced = True
            yield program, fixed.note, fixed
        module.forward = forward
    if not traced:
        assert first is not None
        raise ExportFailure(
            f"{entry}: the model failed while it was traced with its example inputs: {_cause(first)}",
            project.of_traceback(first) or built.place,
        ) from first


def _ran(module: Any, args: Any, kwargs: Any, torch: Any, gradients: bool = False) -> tuple[Any, BaseException | None]:
    """What the model gives, without any tracing, or what it raises itself."""
    try:
        with torch.set_grad_enabled(gradients):
            return module(*args, **kwargs), None
    except Exception as error:
        return None, error


@contextlib.contextmanager
def _allowances(torch: Any) -> Iterator[None]:
    sizes = allowances.sizes_without_values(torch)
    unmoved, masks = module_allowances.parts_that_stay(torch), module_allowances.masks_of_bytes(torch)
    unset, dense = module_allowances.buffers_without_a_value(torch), sparse_tensors.products_of_dense(torch)
    with (
        dense,
        allowances.unchecked_distributions(torch),
        allowances.data_that_stays(torch),
        allowances.integers_drawn(torch),
        sizes,
        unmoved,
        masks,
        unset,
    ):
        yield


@contextlib.contextmanager
def _all_lines_of(project: Project) -> Iterator[None]:
    """Let the tracer keep every frame of the project, not those of functions called ``forward`` alone (torch 2.6+)."""
    from torch.fx.proxy import TracerBase

    original = getattr(TracerBase, "_filter_traceback_frames", None)
    if original is None:
        yield
        return

    def filtered(self: Any, frames: Any) -> Any:
        known = {(f.filename, f.lineno, f.name) for f in original(self, frames)}
        chosen = [
            f for f in frames if (f.filename, f.lineno, f.name) in known or project.relative(f.filename) is not None
        ]
        return traceback.StackSummary.from_list(chosen)

    TracerBase._filter_traceback_frames = filtered
    try:
        yield
    finally:
        TracerBase._filter_traceback_frames = original


def _is_own_error(error: BaseException) -> bool:
    """Whether running the model would fail alike: shapes that do not fit, a bug in the project's code."""
    return not (type(error).__module__ or "").startswith(("torch._dynamo", "torch._export", "torch.fx"))


def _automatic(shapes: Any, torch: Any) -> Any:
    auto = getattr(torch.export.Dim, "AUTO", None)  # torch 2.6 and later
    if auto is None:
        return None

    def soften(spec: Any) -> Any:
        return dict.fromkeys(spec, auto) if isinstance(spec, dict) and all(isinstance(a, int) for a in spec) else spec

    return {name: soften(spec) for name, spec in shapes.items()}


def _torch_export(torch: Any, module: Any, args: Any, kwargs: Any, named: Any, dynamic: Any, strict: bool) -> Any:
    if dynamic is not None:
        signature = inspect.signature(module.forward).parameters
        if not all(name in signature for name in named):  # *args: by position
            dynamic = tuple(dynamic.values())
    options: dict[str, Any] = {"dynamic_shapes": dynamic}
    if "strict" in inspect.signature(torch.export.export).parameters:
        options["strict"] = strict
    elif strict:
        raise RuntimeError("this torch has one way of tracing only")
    with module_allowances.buffers_stay(module):
        return torch.export.export(module, args, kwargs or None, **options)


def _cause(error: BaseException) -> str:
    """The message below the wrappers that compilers put around it."""
    seen = error
    while seen.__cause__ is not None and type(seen).__module__.startswith("torch"):
        seen = seen.__cause__
    return describe(seen)


class _NoExporter(Exception):
    """This environment cannot write ONNX; the text says why."""


def _write_onnx(program: Any, out: str, torch: Any, given: Mapping[str, str] = MappingProxyType({})) -> str:
    try:
        import onnx_ir  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise _NoExporter(f"the environment has no {error.name}") from error
    accepted = inspect.signature(torch.onnx.export).parameters
    if "dynamo" not in accepted:
        raise _NoExporter(f"torch {torch.__version__} has no exporter for traced programs")
    allowances.equal_bounds(program, torch)
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
        with torch.no_grad(), known, opaque_nodes, allowances.without_checks(torch), written, sizes:
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


def _created(module: Any) -> dict[str, Any]:
    """Module path -> [file, line] where the project created the module, for those called by a container of torch."""
    found = {}
    for name, child in module.named_modules():
        place = creation.place_of(child)
        if place is not None:
            found[name] = list(place)
    return found


def _versions(torch: Any) -> dict[str, str]:
    versions = {"torch": str(torch.__version__)}
    for name in ("onnxscript", "transformers", "torchvision", "keras"):
        version = getattr(__import__("sys").modules.get(name), "__version__", None)
        if isinstance(version, str):
            versions[name] = version
    return versions
