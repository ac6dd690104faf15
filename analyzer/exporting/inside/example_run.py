"""Whether a traced module can be run on its example inputs within the limits of an export."""

from __future__ import annotations

from typing import Any

MOST_MADE = 2 << 30  # bytes of all that the operators make together


def is_light(program: Any, torch: Any) -> bool:
    """Whether everything that the program's operators make, kept at once, takes little memory.

    What has a size that values decide is mostly a part of something else, and counts nothing.
    """
    return sum(_size(node.meta.get("val"), torch) for node in program.graph.nodes) <= MOST_MADE


def _size(made: Any, torch: Any) -> int:
    leaves = [x for x in torch.utils._pytree.tree_leaves(made) if isinstance(x, torch.Tensor)]
    try:
        return sum(int(x.numel()) * x.element_size() for x in leaves)
    except Exception:  # a guard on data, whose class differs between versions
        return 0
