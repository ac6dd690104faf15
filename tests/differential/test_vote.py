"""Where the oracle is lost, only two independent engines outvote a third."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from analyzer.differential.backend import parse
from analyzer.differential.localize import _agreeing, _without_oracle
from analyzer.differential.structure import Operation, Unit
from analyzer.differential.verdict import Outcome

UNIT = Unit("y", (Operation("op", "Conv", ("x",), ("y",)),), ("x",), ("y",))
X = {"x": np.ones((1, 4), np.float32)}
RIGHT, WRONG = np.ones((1, 4), np.float32), np.full((1, 4), 3.0, np.float32)


@pytest.mark.parametrize(
    ("values", "blamed", "oracle"),
    [
        ({"onnxruntime": WRONG, "onnxruntime:opt=disable": RIGHT, "openvino": RIGHT}, "onnxruntime", "majority"),
        ({"onnxruntime": WRONG, "onnxruntime:opt=disable": WRONG, "openvino": RIGHT}, "openvino", "none"),
        ({"onnxruntime": RIGHT, "onnxruntime:opt=disable": RIGHT, "openvino": RIGHT}, "", ""),
    ],
    ids=["two engines agree", "two modes of one engine are one voice", "all agree"],
)
def test_two_modes_of_one_engine_count_once(values: dict[str, np.ndarray], blamed: str, oracle: str) -> None:
    runners: Any = [SimpleNamespace(name=n, backend=parse(n)) for n in values]
    outcomes = {n: Outcome({"y": a}) for n, a in values.items()}
    errors: dict[str, dict[str, float]] = {n: {} for n in values}
    blames = _without_oracle(UNIT, X, outcomes, runners, {}, errors)
    assert [b.backend for b in blames] == ([blamed] if blamed else [])
    assert all(b.oracle.startswith(oracle) for b in blames)


@pytest.mark.parametrize(
    ("values", "agreeing"),
    [
        ({"onnxruntime": WRONG, "openvino": WRONG}, ("onnxruntime", "openvino")),
        ({"onnxruntime": WRONG, "onnxruntime:opt=disable": WRONG}, ()),
        ({"onnxruntime": WRONG, "openvino": RIGHT}, ()),
    ],
    ids=["the oracle stands alone", "one engine in two modes", "nobody agrees"],
)
def test_the_oracle_is_the_suspect_only_where_independent_engines_agree(
    values: dict[str, np.ndarray], agreeing: tuple[str, ...]
) -> None:
    runners: Any = [SimpleNamespace(name=n, backend=parse(n)) for n in values]
    outcomes = {n: Outcome({"y": a}) for n, a in values.items()}
    assert _agreeing(outcomes, list(values), runners, 1e-7, X) == agreeing
