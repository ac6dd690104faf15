"""Element types that PyTorch makes of two, complex ones among them."""

from __future__ import annotations

import ast
from itertools import product
from pathlib import Path

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore
from analyzer.validity.specs.broadcasting import promoted

NAMES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
         "complex64", "complex128")  # fmt: skip
HEAD = """
import torch
x = torch.zeros(2, 8)
z = torch.zeros(2, 8, dtype=torch.complex64)
def of(kind, data=None):
"""
SILENT = {
    "a complex number": ("complex64", "x + x * 1j"),
    "parts put together": ("complex64", "torch.relu(z.real) + torch.relu(z.imag) * 1j"),
    "real and complex": ("complex64", "x * z"),
    "wide and complex": ("complex128", "x.double() + z"),
    "a type that is given": ("float64", "x + torch.zeros(2, 8, dtype=kind)"),
    "converted to one": ("float64", "x * x.to(kind)"),
}
LOUD = {
    "real ones": ("complex64", "x + x * 2.5"),
    "narrower": ("complex128", "z + x"),
    "floating": ("float64", "x + x.half()"),
}


def told(tmp_path: Path, width: str, value: str) -> list[bool]:
    body = f"    torch.nn.Linear(8, 8, dtype=torch.{width})({value})\n"
    text = HEAD + body + ("of(torch.float64)\n" if "kind" in value else "of(0)\n")
    problems = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    return [p.proved for p in problems if p.level == "error"]


def test_two_types_make_what_pytorch_makes_of_them() -> None:
    for a, b in product(NAMES, NAMES):
        assert promoted(a, b) == str(torch.promote_types(getattr(torch, a), getattr(torch, b))).removeprefix("torch.")


@pytest.mark.parametrize("name", SILENT)
def test_what_fits_is_silent(tmp_path: Path, name: str) -> None:
    assert told(tmp_path, *SILENT[name]) == []


@pytest.mark.parametrize("name", LOUD)
def test_what_does_not_fit_is_proved(tmp_path: Path, name: str) -> None:
    assert told(tmp_path, *LOUD[name]) == [True]
