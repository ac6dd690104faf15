"""The JSON answer: complete, as its schema says, and each vector's verdict read off it is the decided one."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema

from analyzer.commands.cli import main
from analyzer.validity.evaluator import OUTSIDE, VALID
from analyzer.validity.explain import check_vector
from analyzer.validity.space_reader import read_space


def verdict_of(data: Mapping[str, Any], vector: Mapping[str, Any]) -> bool | None:
    """The verdict of a vector, read off an answer; None where it is undecided or outside. As a reader reads."""
    values = {n: list(range(d["min"], d["max"] + 1, d["step"])) if "step" in d else d.get("values")
              for n, d in data["hyperparameters"].items()}  # fmt: skip
    for structure in data["structures"]:
        if any(vector[n] != v for n, v in structure["fixed"].items()):
            continue
        if structure["verdict"] == "empty":
            return None
        result: bool | None = structure["always_fails"] is None
        for part in structure["parts"]:
            runs = part["first_failing"]
            if runs is None:
                if not part["always_valid"]:
                    return None
                continue
            cell = 0
            for name in part["names"]:
                cell = cell * len(values[name]) + values[name].index(vector[name])
            code = next(c for c, end in zip((r[0] for r in runs), itertools.accumulate(r[1] for r in runs), strict=True)
                        if cell < end)  # fmt: skip
            if code == OUTSIDE:
                return None
            result = result and code == VALID
        return result
    return None


SPACE = """version: 1
model:
  inputs: {x: {shape: [batch, 3, image, image]}}
  layers:
    - {name: conv, op: Conv2d, in_channels: 3, out_channels: c, kernel_size: k, padding: pad}
    - {name: flat, op: Flatten}
    - {name: fc, op: Linear, in_features: 512, out_features: 10}
hyperparameters:
  k: [1, 3, 5, 9]
  c: [8, 16, 32]
  pad: ["same", 0, 1]
  image: {min: 3, max: 9}
conditions: [k <= image + 2]
symbols: {batch: [1, 2]}
"""


def answered(folder: Path, text: str) -> dict[str, Any]:
    (folder / "space.yml").write_text(text)
    main(["space", str(folder / "space.yml"), "--json", str(folder / "out.json")])
    data = json.loads((folder / "out.json").read_text())
    schema = json.loads(resources.files("analyzer.configuration.schemas").joinpath("space.schema.json").read_text())
    jsonschema.validate(data, schema)
    return dict(data[0])


def test_each_vector_has_its_verdict_twice_and_rightly(tmp_path: Path) -> None:
    data = answered(tmp_path, SPACE)
    space = read_space(SPACE, "space.yml")
    listed = {tuple(v["vector"].values()): v["valid"] for v in data["vectors"]}
    compared = 0
    for values in itertools.product(*(h.values or () for h in space.by_name.values())):
        vector = dict(zip(space.by_name, values, strict=True))
        try:
            real = check_vector(space, vector) is None
        except ValueError:
            assert values not in listed
            assert verdict_of(data, vector) is None
            continue
        compared += 1
        assert (listed[values], verdict_of(data, vector)) == (real, real), vector
    assert compared == data["total"] > 100
    assert sum(listed.values()) == data["valid"]
    assert 0 < data["valid"] < data["total"]
    assert data["core"]["sentences"]
    assert data["repairs"]
    assert data["completeness"] == {"decided": True, "not_checked": {}, "undecided": []}


def test_contracts_of_unbounded_sizes_are_in_it(tmp_path: Path) -> None:
    text = SPACE.replace("{min: 3, max: 9}", "{min: 3}").replace('["same", 0, 1]', "[0]").replace("[1, 3, 5, 9]", "[3]")
    data = answered(tmp_path, text.replace("[8, 16, 32]", "[32]"))
    assert data["total"] is None
    assert data["contract"] == ["image = 6"]
