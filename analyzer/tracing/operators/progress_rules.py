"""Progress bars: what is gone through is what they are given."""

from __future__ import annotations

from analyzer.tracing.language.builtins import BUILTINS, Call
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.table import Op, operator


@operator(
    "tqdm.tqdm tqdm.auto.tqdm tqdm.notebook.tqdm tqdm.autonotebook.tqdm tqdm.std.tqdm tqdm.rich.tqdm tqdm.gui.tqdm "
    "tqdm.asyncio.tqdm tqdm.tqdm_notebook tqdm.notebook.tqdm_notebook fastprogress.progress_bar "
    "fastprogress.fastprogress.progress_bar fastprogress.master_bar fastprogress.fastprogress.master_bar "
    "alive_progress.alive_it",
    "iterable=None *rest",
)
def progress(op: Op, iterable: Value, rest: tuple[Value, ...]) -> Value:
    return iterable if iterable is not None else op.tr.unknown("a progress bar", "imprecise")


@operator("rich.progress.track", "sequence *rest")
def track(op: Op, sequence: Value, rest: tuple[Value, ...]) -> Value:
    return sequence


@operator(
    "tqdm.trange tqdm.auto.trange tqdm.notebook.trange tqdm.autonotebook.trange tqdm.std.trange tqdm.rich.trange "
    "tqdm.tnrange tqdm.notebook.tnrange",
    "start *rest",
)
def ranged(op: Op, start: Value, rest: tuple[Value, ...]) -> Value:
    return BUILTINS["range"].run(Call(op.tr, (start, *rest), {}, op.node))


@operator("tqdm.contrib.tenumerate", "iterable start=0 *rest")
def enumerated(op: Op, iterable: Value, start: Value, rest: tuple[Value, ...]) -> Value:
    return BUILTINS["enumerate"].run(Call(op.tr, (iterable, start), {}, op.node))


@operator("tqdm.contrib.tzip", "*iterables")
def zipped(op: Op, iterables: tuple[Value, ...]) -> Value:
    return BUILTINS["zip"].run(Call(op.tr, iterables, {}, op.node))
