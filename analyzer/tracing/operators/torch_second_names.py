"""Second names of torch: the documentation calls each an alias of a function that the tables know."""

from __future__ import annotations

_ALIASES = """
    absolute abs | arccos acos | arcsin asin | arctan atan | arctan2 atan2 | multiply mul | subtract sub | divide div
    greater_equal ge | greater gt | less_equal le | less lt | not_equal ne | negative neg
    linalg.matmul matmul | group_norm nn.functional.group_norm | layer_norm nn.functional.layer_norm
    rms_norm nn.functional.rms_norm | special.multigammaln mvlgamma | special.logit logit
    orgqr linalg.householder_product
"""
_OWN = dict(pair.split() for line in _ALIASES.strip().splitlines() for pair in line.split("|"))


def own_name(name: str) -> str:
    """``torch.mul`` for ``torch.multiply``; a name that is no alias stays."""
    home, _, last = name.partition(".")
    return f"torch.{_OWN[last]}" if home == "torch" and last in _OWN else name


def own_method(name: str) -> str:
    """``mul_`` for ``multiply_``."""
    plain = name.removesuffix("_")
    own = _OWN.get(plain, plain)
    return own + name[len(plain) :] if "." not in own else name
