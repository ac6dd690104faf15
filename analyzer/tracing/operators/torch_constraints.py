"""torch.distributions.constraints: how many of a value's last axes a constraint reads together."""

from __future__ import annotations

_BY_AXES = {
    0: "boolean nonnegative nonnegative_integer positive positive_integer real unit_interval",
    1: "multinomial one_hot real_vector simplex",
    2: "corr_cholesky lower_cholesky lower_triangular positive_definite positive_semidefinite square symmetric",
}
_DISCRETE = frozenset(("boolean", "multinomial", "nonnegative_integer", "one_hot", "positive_integer"))
_HOME = "torch.distributions.constraints"

EVENT_DIMS = {f"{_HOME}.{n}.event_dim": axes for axes, names in _BY_AXES.items() for n in names.split()}
ARE_DISCRETE = {f"{_HOME}.{n}.is_discrete": n in _DISCRETE for names in _BY_AXES.values() for n in names.split()}
