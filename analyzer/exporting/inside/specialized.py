"""A module as it runs on its example inputs: what it reads from its own values (branches, sizes, numbers) is fixed.

Tracers that know no values refuse code that asks for them (``if x.sum() > 0``, ``range(int(lengths.max()))``). The
module is run once on real values and every operator recorded; what is traced afterwards replays the record.

A number that was read may decide everything that Python does from there on. Operators recorded before the first such
reading carry the frame `INDEPENDENT` in their stack trace; all others hold for the example's numbers only.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

NOTE = (
    "the model asks for its own values while it runs (a branch, a size, a number); they were fixed as the example "
    "inputs give them, so other branches were not analysed, and nothing behind the first such place is proved"
)
INDEPENDENT = 'File "<before any value was read>", line 1, in forward'
_READERS = ("tolist", "numpy", "__array__", "__dlpack__")  # of a tensor's memory: no operator is recorded for them


def fix(module: Any, args: Any, kwargs: Any, torch: Any) -> bool:
    """Replace ``module.forward`` by the record of one run; False where this torch cannot record."""
    from torch.fx import traceback
    from torch.fx.experimental.proxy_tensor import make_fx

    known = inspect.signature(make_fx).parameters
    options = {"_error_on_data_dependent_ops": False, "record_stack_traces": True}
    if "_error_on_data_dependent_ops" not in known:
        return False

    def functional(state: Any, args: Any, kwargs: Any) -> Any:
        with _readings_recorded(torch):
            return torch.func.functional_call(module, state, args, kwargs)

    given = {k: v for k, v in options.items() if k in known}
    recorded = make_fx(functional, **given)(_state(module), args, kwargs or {})
    _mark_independent(recorded.graph, torch)
    for node in reversed(list(recorded.graph.nodes)):
        if torch.Tag.data_dependent_output in getattr(node.target, "tags", ()) and not node.users:
            recorded.graph.erase_node(node)
    recorded.recompile()

    @functools.wraps(module.forward)
    def forward(*args: Any, **kwargs: Any) -> Any:
        flat = torch.utils._pytree.tree_leaves((_state(module), args, kwargs))
        with traceback.preserve_node_meta():
            return torch.fx.Interpreter(recorded).run(*flat)

    module.forward = forward
    return True


def _readings_recorded(torch: Any) -> Any:
    """A mode under which reading a tensor's memory leaves an operator in the record, as ``item`` does."""
    from torch.overrides import TorchFunctionMode

    class Readings(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if getattr(function, "__name__", "") in _READERS and args and isinstance(args[0], torch.Tensor):
                tensor = args[0].detach()
                if tensor.numel():
                    tensor.reshape(-1)[0].item()
            return function(*args, **(kwargs or {}))

    return Readings()


def _mark_independent(graph: Any, torch: Any) -> None:
    """Give the nodes that come before the first reading of a value, or of a size that hangs on values, their frame.

    Numbers read from constants of the program are what every run reads. Where no reading is seen, though some way of
    asking for values made other tracers give up, no node is marked.
    """
    fixed: set[Any] = set()  # nodes that rest on constants alone
    before = []
    for node in graph.nodes:
        if node.op in ("placeholder", "output"):
            continue
        if node.op == "get_attr" or all(source in fixed for source in node.all_input_nodes):
            if not _draws(node, torch):
                fixed.add(node)
        elif _reads(node, torch):
            break
        before.append(node)
    else:
        return
    for node in before:
        node.meta["stack_trace"] = f"{node.meta.get('stack_trace') or ''}\n  {INDEPENDENT}\n    forward\n"


def _reads(node: Any, torch: Any) -> bool:
    """Whether what an operator hands to Python (a number, a size) depends on the values of its operands."""
    tags = getattr(node.target, "tags", ())
    return torch.Tag.data_dependent_output in tags or torch.Tag.dynamic_output_shape in tags


def _draws(node: Any, torch: Any) -> bool:
    return torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())


def _state(module: Any) -> dict[str, Any]:
    """Parameters and buffers by name, those that are shared under each of their names."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
