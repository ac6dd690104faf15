"""Methods of arrays that may be PyTorch's or NumPy's: whose they are, as far as the call tells."""

from __future__ import annotations

from analyzer.tracing.language.values import Value


def library_of_call(method: str, args: tuple[Value, ...], kwargs: dict[str, Value]) -> str | None:
    """NumPy's where PyTorch has no such call, None where both have it and mean something else, "" where they agree.

    An axis and `keepdims` by name are NumPy's spelling, which few write for tensors.
    """
    if method == "transpose":
        return "numpy" if len(args) > 2 or (len(args) == 1 and not kwargs) or "axes" in kwargs else ""
    if method in ("max", "min"):  # PyTorch's give values and indices along a dimension
        if "axis" in kwargs or "keepdims" in kwargs:
            return "numpy"
        return None if args else ""
    if method in ("repeat", "sort", "take", "nonzero", "resize", "put"):
        return "numpy" if "axis" in kwargs and method in ("repeat", "take") else None
    return ""
