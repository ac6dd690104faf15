"""PyTorch: what a module's own `__call__` asks for, the hooks of modules and whether a tracer is at work."""

from __future__ import annotations

from analyzer.tracing.language.values import DictV, Instance, Layer, Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_modules import hooks_of, is_module
from analyzer.tracing.paths.tracer import Tracer

TRACING = "torch.jit.trace"  # under which the tracer of paths keeps that PyTorch's is at work
_OF_ALL = "hooks of all modules"
_TABLES = {
    "_forward_hooks": "after",
    "_forward_pre_hooks": "before",
    "_backward_hooks": "back",
    "_backward_pre_hooks": "first back",
}
_GLOBAL = frozenset(f"torch.nn.modules.module._global{table}" for table in _TABLES)


@operator(
    " ".join(
        f"torch.nn.modules.module.register_module_{kind}_hook"
        for kind in ("forward", "forward_pre", "backward", "full_backward", "full_backward_pre")
    ),
    "hook *rest",
)
def register_for_all(op: Op, hook: Value, rest: tuple[Value, ...]) -> Value:
    for name in _GLOBAL:
        table = _table(op.tr, name)
        op.tr.touch(table)
        table.open = True
    op.tr.give((hook,))
    return op.tr.unknown("a handle of a hook")


@operator("torch._C._get_tracing_state", "")
def tracing_state(op: Op) -> Value:
    """None unless `torch.jit.trace` or an export runs the module."""
    return op.tr.machine.get(TRACING)


def hooks_of_all(tr: Tracer, name: str) -> Value:
    """A table of the hooks that every module has, open once the program registers one; None for any other name."""
    return _table(tr, name) if name in _GLOBAL and tr.knows_objects else None


def _table(tr: Tracer, name: str) -> DictV:
    tables = tr.machine.setdefault(_OF_ALL, tr.unknown(_OF_ALL))
    found = tables.attrs.setdefault(name, DictV())
    assert isinstance(found, DictV)
    return found


def table_of_hooks(tr: Tracer, module: Layer | Instance, name: str) -> Value:
    """A module's table of hooks where none is registered; None for any other name, and for what is not known."""
    if name not in _TABLES or not is_module(module) or not tr.knows_objects or hooks_of(module, _TABLES[name]):
        return None
    return DictV()
