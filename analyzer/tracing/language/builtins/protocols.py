"""The protocols of `collections.abc`: which of them a plain value or a tensor has."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import DictV, ListV, SetV, Value

PLAIN = (int, float, str, bytes, tuple, ListV, DictV, SetV)


def protocol_of_plain(value: Value, protocol: str) -> bool | None:
    """Whether a plain value has one of the protocols of `collections.abc`."""
    if not (value is None or isinstance(value, PLAIN)):
        return None
    mapping, sized = isinstance(value, DictV), isinstance(value, (str, bytes, tuple, ListV, DictV, SetV))
    if protocol in ("Mapping", "MutableMapping"):
        return mapping
    if protocol in ("Collection", "Sized", "Container", "Reversible"):
        return None if protocol == "Reversible" and isinstance(value, SetV) else sized
    if protocol == "Hashable":
        return False if mapping or isinstance(value, ListV) else None if isinstance(value, (tuple, SetV)) else True
    return None


def protocol_of_tensor(value: Tensor, kind: str) -> bool | None:
    """Whether a tensor has one of the protocols of `collections.abc`, which its class alone decides.

    NumPy's numbers have none of an array's: what has no axes may be either.
    """
    framework = value.framework
    home, _, protocol = kind.rpartition(".")
    if home == "collections" or protocol in _NOT_OF_TENSORS:
        return False
    if framework not in ("torch", "numpy"):
        return True if protocol == "Iterable" else None
    if framework == "numpy" and value.dims == ():
        return protocol == "Hashable" if value.scalar else None
    if protocol == "Hashable":
        return framework == "torch"
    return True if protocol in ("Iterable", "Sized", "Container", "Collection") else None


_NOT_OF_TENSORS = ("Sequence", "MutableSequence", "Mapping", "MutableMapping", "Set", "MutableSet", "Callable",
                   "Iterator", "Generator", "Awaitable", "Coroutine", "List", "Dict", "Tuple", "FrozenSet")  # fmt: skip
