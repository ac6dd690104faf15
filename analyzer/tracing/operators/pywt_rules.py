"""PyWavelets: how many coefficients the filters of a discrete wavelet have (tables of `pywt` 1.8)."""

from __future__ import annotations

import re

from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.table import Op, operator

_BY_ORDER = {"db": (2, 38), "sym": (2, 20), "coif": (6, 17)}  # coefficients for each order, and the highest order
_BIORTHOGONAL = {
    "1.1": 2, "1.3": 6, "1.5": 10, "2.2": 6, "2.4": 10, "2.6": 14, "2.8": 18, "3.1": 4, "3.3": 8, "3.5": 12,
    "3.7": 16, "3.9": 20, "4.4": 10, "5.5": 12, "6.8": 18,
}  # fmt: skip
_FILTERS = ("dec_lo", "dec_hi", "rec_lo", "rec_hi")


def filter_length(name: str) -> int | None:
    """The number of coefficients of each filter; None of a wavelet that is not known here."""
    if name in ("haar", "dmey"):
        return 2 if name == "haar" else 62
    found = re.fullmatch(r"(db|sym|coif)(\d+)|(?:bior|rbio)(\d\.\d)", name)
    if found is None:
        return None
    if found[3] is not None:
        return _BIORTHOGONAL.get(found[3])
    each, most = _BY_ORDER[found[1]]
    return each * int(found[2]) if 1 <= int(found[2]) <= most else None


@operator("pywt.Wavelet", "name='' filter_bank=None")
def wavelet(op: Op, name: Value, filter_bank: Value) -> Value:
    made = op.tr.unknown("a wavelet", "data", "Wavelet", "object")
    made.kind = "pywt.Wavelet"
    length = filter_length(name.lower()) if isinstance(name, str) and filter_bank is None else None
    if length is not None:
        numbers = [Unknown("a coefficient", "data", pytype="float") for _ in range(length)]
        made.attrs |= {"dec_len": length, "rec_len": length, "name": name}
        made.attrs["len()"] = size = Unknown("how many coefficients", "data", pytype="int")
        size.term = length
        made.attrs |= {filter: ListV(list(numbers)) for filter in _FILTERS}
        made.attrs["filter_bank"] = tuple(made.attrs[filter] for filter in _FILTERS)
    return made
