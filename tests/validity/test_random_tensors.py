"""Element types of TensorFlow's random operators: those of the operator's own attribute, as TensorFlow names it."""

from __future__ import annotations

import pytest

from analyzer.validity.registry import spec
from analyzer.validity.spec import CheckResult, TensorType, check

SHAPE = TensorType((2,), "int32", value=(2, 3))


def made(operator: str, bounds: tuple[TensorType, ...], attributes: dict[str, str | None]) -> CheckResult:
    known = spec(operator, "tf")
    assert known is not None
    return check(known, (SHAPE, *bounds), {**attributes, "T": "int32"})


@pytest.mark.parametrize(("kind", "bound"), [("int32", "int32"), ("int64", "int64"), (None, "int32")])
def test_whole_numbers_are_of_the_type_of_their_bounds(kind: str | None, bound: str) -> None:
    bounds = (TensorType((), bound), TensorType((), bound))
    found = made("RandomUniformInt", bounds, {"Tout": kind})
    assert [(o.shape, o.dtype) for o in found.outputs] == [((2, 3), bound)]


@pytest.mark.parametrize("kind", ["float16", "float64"])
@pytest.mark.parametrize("operator", ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"])
def test_floating_numbers_are_of_the_type_that_is_asked_for(operator: str, kind: str) -> None:
    found = made(operator, (), {"dtype": kind})
    assert [(o.shape, o.dtype) for o in found.outputs] == [((2, 3), kind)]
