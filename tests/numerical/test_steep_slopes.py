"""A derivative overflows where the operand is not 0 but tiny; a usual epsilon keeps it finite."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, run
from onnx import numpy_helper

RULE = "numerical/gradient-overflow"


def told(
    operator: str,
    least: float,
    *,
    tf: bool = False,
    numerator: float = 1.0,
    trained: bool = True,
    power: float = -1.0,
    dtype: str = "float32",
) -> list[str]:
    b = Builder()
    domain = {"domain": "tf"} if tf else {}

    def stored(name: str, value: float, dtype: str) -> str:
        b.initializers.append(numpy_helper.from_array(np.full(3, value, dtype), name))
        return name

    given = stored("w", 1.0, dtype) if trained else b.input("w", (3,), dtype)
    made = b.op("Add", b.op("Abs", given), stored("val_1", least, dtype))
    if operator == "Div":
        made = b.op("RealDiv" if tf else "Div", b.input("a", (3,), dtype), made, **domain)
    elif operator == "Pow":
        made = b.op(operator, made, stored("val_2", power, dtype))
    else:
        made = b.op(operator, made, **domain)
    found = run(b.graph(made), {"w": (-2.0, 2.0), "a": (-numerator, numerator)})
    assert all(w.backward for w in found.warnings), found.warnings
    return [w.danger for w in found.warnings if w.rule == RULE]


STEEP = [
    ("Reciprocal", 1e-20, {}),
    ("Div", 1e-20, {}),
    ("Pow", 1e-20, {}),
    ("Pow", 1e-13, {"power": -2.0}),
    ("Pow", 1e-30, {"power": -0.5}),
    ("Rsqrt", 1e-30, {"tf": True}),
    ("Div", 1e-20, {"tf": True}),
    ("Reciprocal", 1e-3, {"dtype": "float16"}),
    ("Div", 1e-3, {"dtype": "float16"}),
    ("Log", 1e-6, {"dtype": "float16"}),
    ("Rsqrt", 1e-5, {"dtype": "float16", "tf": True}),
]


@pytest.mark.parametrize(("operator", "least", "more"), STEEP)
def test_a_derivative_beyond_the_type_is_told(operator: str, least: float, more: dict[str, float]) -> None:
    assert len(told(operator, least, **more)) == 1  # type: ignore[arg-type]
    assert not told(operator, least, trained=False, **more)  # type: ignore[arg-type]


GENTLE = [
    ("Reciprocal", 1e-12, {}),
    ("Div", 1e-12, {"numerator": 1e6}),
    ("Div", 1e-20, {"numerator": 1e-5}),
    ("Pow", 1e-12, {}),
    ("Pow", 1e-12, {"power": -2.0}),
    ("Pow", 1e-12, {"power": -0.5}),
    ("Pow", 1e-30, {"power": 0.5}),
    ("Log", 1e-30, {}),
    ("Sqrt", 1e-30, {}),
    ("Rsqrt", 1e-24, {"tf": True}),
    ("Reciprocal", 1e-2, {"dtype": "float16"}),
    ("Log", 1e-4, {"dtype": "float16"}),
    ("Sqrt", 1e-6, {"dtype": "float16"}),
    ("Rsqrt", 1e-3, {"dtype": "float16", "tf": True}),
]


@pytest.mark.parametrize(("operator", "least", "more"), GENTLE)
def test_a_finite_one_is_not(operator: str, least: float, more: dict[str, float]) -> None:
    assert not told(operator, least, **more)  # type: ignore[arg-type]
