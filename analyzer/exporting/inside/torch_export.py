"""``nn.Module`` -> ONNX, with module scopes and source lines in the metadata of each node.

``torch.export`` then ``torch.onnx.export(program, dynamo=True, optimize=False)``: with optimisation on, batch norm
would be folded away. Where the environment's torch is too old for that, or lacks onnxscript, the traced program
itself is handed back (``program.pt2``).
"""

from __future__ import annotations

import importlib
import inspect
import os
import pathlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from . import (
    creation,
    evaluation_mode,
    example_gradients,
    example_run,
    generators,
    own_types,
    reserved_names,
    specialized,
)
from .entry import Built
from .examples import array, check, match
from .failure import ExportFailure, Project, describe, is_defect
from .shown import examples_show
from .torch_tracing import cause, programs, ran
from .torch_writing import NoExporter, write_onnx

Traced = tuple[Any, str, "specialized.Fixed | None"]  # a program, what there is to say of it, and what it fixed


def export(built: Built, request: Mapping[str, Any], out: str, project: Project) -> dict[str, Any]:
    """Write ``model.onnx`` (or ``program.pt2``) to `out`; returns what else there is to tell."""
    import torch

    entry = request["entry"]
    module = built.torch_module()
    batches, training = _normalised(module, torch), example_gradients.modes(module)
    if module.training:
        evaluation_mode.enter(module)
    args, kwargs, named = _inputs(module, built, request)
    own_types.register((args, kwargs), torch)
    shapes, axes = _dynamic(named, request, torch)
    own = built.inputs is not None and not built.made_up
    told = {
        "versions": _versions(torch),
        "axes": axes,
        "created": _created(module),
        "untrained": _untrained(module),
        "batches": batches,
        "inputs": list(named),
    }
    first: BaseException | None = None
    with reserved_names.renamed(module, torch) as given:
        ways = partial(programs, entry, module, args, kwargs, named, shapes, project, built, torch)
        for program, note, fixed in _with_results(module, training, ways):
            notes = evaluation_mode.note(module, training)
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
                result["format"] = write_onnx(program, out, torch, given)
            except NoExporter as missing:
                torch.export.save(program, os.path.join(out, "program.pt2"))
                said = f"{missing}; the traced program was handed back instead of ONNX"
                result.update(format="pt2", notes=[*result["notes"], said])
            except BaseException as error:
                if isinstance(error, (KeyboardInterrupt, MemoryError)):
                    raise
                first = first or error
                continue
            light = example_run.is_light(program, torch)
            raised = ran(module, args, kwargs, torch)[1] if light else None
            result["ran"] = light and raised is None
            if own and isinstance(raised, torch.linalg.LinAlgError) and is_defect(raised, project):
                raise ExportFailure(  # a trace has no values to factorise, and its checks are left out
                    f"{entry}: the model raises on its example inputs: {describe(raised)}",
                    project.of_traceback(raised) or built.place,
                    "running",
                ) from raised
            if result["ran"] and own:
                result["undefined"] = example_gradients.undefined(module, training, args, kwargs, project, torch)
            return result
    assert first is not None  # without a program there is a failure
    raise ExportFailure(
        f"{entry}: torch {torch.__version__} traced the model but could not write it as ONNX: {cause(first)}",
        project.of_traceback(first) or built.place,
    ) from first


def _with_results(module: Any, training: Mapping[Any, bool], ways: Callable[[], Iterator[Traced]]) -> Iterator[Traced]:
    """What the `ways` of tracing give; in training mode where evaluation gives no result (a loss of training alone)."""
    for program, note, fixed in ways():
        if training[module] and not module.training and evaluation_mode.gives_nothing(program):
            evaluation_mode.back_to_training(module, training)
            yield from ways()
            return
        yield program, note, fixed


def _untrained(module: Any) -> list[str]:
    """The weights that training leaves as they are: those without a gradient, where others have one."""
    named = list(module.named_parameters())
    found = [name for name, weight in named if not weight.requires_grad]
    return found if len(found) < len(named) else []


def _normalised(module: Any, torch: Any) -> list[str]:
    """The running means of layers that normalise each batch by its own statistics, in training mode as they stand."""
    kind = torch.nn.modules.batchnorm._BatchNorm
    layers = ((name, part) for name, part in module.named_modules() if isinstance(part, kind) and part.training)
    return [
        f"{name}.running_mean".lstrip(".") for name, part in layers if part._buffers.get("running_mean") is not None
    ]


def convert(request: Mapping[str, Any], out: str, project: Project) -> dict[str, Any]:
    """The parts of a program of another environment (`torch_parts`, beside this file inside) -> ``model.onnx``."""
    import torch

    entry = request["entry"]
    try:
        parts = importlib.import_module(".torch_parts", __package__)
        program = parts.put_together(pathlib.Path(project.root, request["program"]))
        return {"format": write_onnx(program, out, torch), "ok": True, "framework": "torch"}
    except NoExporter as missing:
        raise ExportFailure(
            f"{entry}: {missing}, neither where the project's code runs nor where Assay does; add onnxscript to the "
            "requirements"
        ) from missing
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, MemoryError)):
            raise
        raise ExportFailure(
            f"{entry}: the traced program could not be written as ONNX by torch {torch.__version__}: {cause(error)}; "
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
