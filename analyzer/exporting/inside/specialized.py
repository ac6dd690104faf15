"""A module as it runs on its example inputs: what it reads from its own values (branches, sizes, numbers) is fixed.

Tracers that know no values refuse code that asks for them (``if x.sum() > 0``, ``range(int(lengths.max()))``). The
module is run once on real values and every operator recorded; what is traced afterwards replays the record.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

NOTE = (
    "the model asks for its own values while it runs (a branch, a size, a number); they were fixed as the example "
    "inputs give them, so other branches were not analysed"
)


def fix(module: Any, args: Any, kwargs: Any, torch: Any) -> bool:
    """Replace ``module.forward`` by the record of one run; False where this torch cannot record."""
    from torch.fx import traceback
    from torch.fx.experimental.proxy_tensor import make_fx

    known = inspect.signature(make_fx).parameters
    options = {"_error_on_data_dependent_ops": False, "record_stack_traces": True}
    if "_error_on_data_dependent_ops" not in known:
        return False

    def functional(state: Any, args: Any, kwargs: Any) -> Any:
        return torch.func.functional_call(module, state, args, kwargs)

    given = {k: v for k, v in options.items() if k in known}
    recorded = make_fx(functional, **given)(_state(module), args, kwargs or {})
    for node in reversed(list(recorded.graph.nodes)):
        if node.target is torch.ops.aten._local_scalar_dense.default and not node.users:
            recorded.graph.erase_node(node)
    recorded.recompile()

    @functools.wraps(module.forward)
    def forward(*args: Any, **kwargs: Any) -> Any:
        flat = torch.utils._pytree.tree_leaves((_state(module), args, kwargs))
        with traceback.preserve_node_meta():
            return torch.fx.Interpreter(recorded).run(*flat)

    module.forward = forward
    return True


def _state(module: Any) -> dict[str, Any]:
    """Parameters and buffers by name, those that are shared under each of their names."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
