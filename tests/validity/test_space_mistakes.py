"""Bad input is told in one sentence with its place and what to write instead; no traceback, no verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.commands.cli import main

GOOD = """version: 1
model:
  inputs: {x: {shape: [4, 3, 32, 32]}}
  layers:
    - {name: c, op: Conv2d, in_channels: 3, out_channels: 8, kernel_size: k}
hyperparameters:
  k: [3, 5]
"""
MISTAKES = {  # replaced, by, what the sentence must say
    "not a number": ("[3, 5]", "[3, .nan]", "space.yml:7: nan is not a number"),
    "beyond every size": ("[3, 5]", f"[3, 1{'0' * 30}]", "0000 is larger than any size"),
    "text in a domain": ("[3, 5]", "[3, 1e30]", "space.yml:5: `kernel_size: 1e30` of `c`, through `k`, is text"),
    "a fraction in a domain": ("[3, 5]", "[3, 2.5]", "write `2` or `3`"),
    "text as a number": ("kernel_size: k", "kernel_size: three", "space.yml:5: `kernel_size: three` of `c` is text"),
    "an unknown reference": ("kernel_size: k", "kernel_size: kk", "did you mean `k`?"),
    "a fraction": ("kernel_size: k", "kernel_size: 2.5", "must be whole; write `2` or `3`"),
    "a mapping": ("kernel_size: k", "kernel_size: {a: 1}", "space.yml:5: `kernel_size` of `c` is a mapping"),
    "an unknown attribute": ("kernel_size: k", "kernal_size: k", "write `kernel_size: k`"),
    "a missing attribute": (", kernel_size: k", "", "space.yml:5: `c` (Conv2d) needs `kernel_size`"),
    "too many inputs": ("op: Conv2d", "op: Conv2d, inputs: [x, x]", "takes 1 inputs and has 2"),
    "no inputs": ("  inputs: {x: {shape: [4, 3, 32, 32]}}\n", "", "space.yml:2: the model has no inputs"),
    "another format": ("version: 1", "version: 9", "space.yml:1: `version: 9` is not known"),
    "a number as a hyperparameter": ("  k: [3, 5]", "  k: [3, 5]\n  7: [1]", "space.yml:8: `7`"),
    "a number as a layer": ("name: c", "name: 7", "write it as text, as in `name: layer7`"),
    "an element type": ("32]}", "32], dtype: flot32}", "write `dtype: float32`"),
    "text as a size": ("32, 32]", "32, thirty two]", "space.yml:3: `thirty two` in the shape of `x`"),
    "a broken condition": ("  k: [3, 5]", "  k: [3, 5]\nconditions: [k <]", "space.yml:8: `k <` is not an expression"),
    "brackets": ("[3, 5]", "[" * 3000 + "]" * 3000, "space.yml:7: more than 400 brackets"),
    "parentheses": ("kernel_size: k", "kernel_size: " + "(" * 3000 + "k" + ")" * 3000, "space.yml:5"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_place_and_ends_with_2(
    mistake: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    old, new, said = MISTAKES[mistake]
    (tmp_path / "space.yml").write_text(GOOD.replace(old, new))
    (tmp_path / "good.yml").write_text(GOOD)
    assert main(["space", str(tmp_path / "space.yml"), str(tmp_path / "good.yml")]) == 2
    printed = " ".join(capfd.readouterr().out.split())
    assert said in printed
    assert "good.yml: valid for all" in printed, "one bad space loses the others"


def test_regions_with_holes_print_as_ranges(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = """version: 1
model:
  inputs: {x: {shape: [1, h]}}
  layers: [{name: fc, op: Linear, in_features: 300, out_features: 2}]
hyperparameters: {h: {min: 280, max: 320}}
derived: {}
"""
    shown = text.replace("[1, h]", '[1, "h // 10 * 10"]')
    (tmp_path / "space.yml").write_text(shown)
    assert main(["space", str(tmp_path / "space.yml")]) == 1
    assert "h ≤ 299 or h ≥ 310" in capfd.readouterr().out
