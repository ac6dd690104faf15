"""``nn.Module`` -> traced programs: one way after another, each with what there is to say about it."""

from __future__ import annotations

import contextlib
import inspect
import traceback
from collections.abc import Iterator
from typing import Any

from . import (
    allowances,
    module_allowances,
    own_memory,
    own_types,
    sparse_tensors,
    specialized,
    tensor_subclasses,
)
from .entry import Built
from .failure import ExportFailure, Project, describe, is_defect


def programs(
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
    subclasses: bool = False,
) -> Iterator[tuple[Any, str, specialized.Fixed | None]]:
    """The programs of those ways of tracing that succeed, each with what there is to say about it and what it fixed.

    The next is asked for where one cannot be written. Fails as the first way did if none succeeds. With `gradients`,
    which a model may ask for itself (a penalty on them, a differential equation), they are recorded; `subclasses` of
    tensors are being followed.
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
            with torch.set_grad_enabled(gradients), _all_lines_of(project), _allowances(module, torch):
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
    made, raised = ran(module, args, kwargs, torch, gradients)
    if raised is not None and not gradients and ran(module, args, kwargs, torch, True)[1] is None:
        yield from programs(entry, module, args, kwargs, named, shapes, project, built, torch, True)
        return
    if not traced and own_types.register(made, torch):
        yield from programs(entry, module, args, kwargs, named, shapes, project, built, torch, gradients)
        return
    if not traced and not subclasses and tensor_subclasses.refused(first):
        with tensor_subclasses.followed(torch):
            yield from programs(entry, module, args, kwargs, named, shapes, project, built, torch, gradients, True)
        return
    with sparse_tensors.dense_state(module, torch) as changed:
        if changed:
            yield from programs(entry, module, args, kwargs, named, shapes, project, built, torch, gradients)
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
            with torch.set_grad_enabled(gradients), _all_lines_of(project), _allowances(module, torch):
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
            f"{entry}: the model failed while it was traced with its example inputs: {cause(first)}",
            project.of_traceback(first) or built.place,
        ) from first


def ran(module: Any, args: Any, kwargs: Any, torch: Any, gradients: bool = False) -> tuple[Any, BaseException | None]:
    """What the model gives, without any tracing, or what it raises itself."""
    try:
        with torch.set_grad_enabled(gradients):
            return module(*args, **kwargs), None
    except Exception as error:
        return None, error


@contextlib.contextmanager
def _allowances(module: Any, torch: Any) -> Iterator[None]:
    listings = module_allowances.listings_with_duplicates(module, torch)
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
        listings,
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
    with own_memory.kept(module, torch), module_allowances.buffers_stay(module):
        return torch.export.export(module, args, kwargs or None, **options)


def cause(error: BaseException) -> str:
    """The message below the wrappers that compilers put around it."""
    seen = error
    while seen.__cause__ is not None and type(seen).__module__.startswith("torch"):
        seen = seen.__cause__
    return describe(seen)
