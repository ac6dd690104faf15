"""Items and attributes that are set under names nobody knows: what was there before is not what is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

PROGRAM = """
import json
import torch

class Config:
    def __init__(self, size, other=2):
        self.size, self.other = size, other

def read():
    with open("settings") as stream:
        return json.loads(stream.read())

told = read()
config, held = Config(-1), {{"size": -1}}
{}
torch.zeros({})
"""


def errors(tmp_path: Path, change: str, asked: str) -> list[str]:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM.format(change, asked))
    _, tree = read_source(path, tmp_path)
    problems = explore(tmp_path, "program.py", tree, Versions()).problems.values()
    return [p.message for p in problems if p.level == "error"]


OF_OBJECTS = [
    "config.__dict__.update(told)",
    "config.__dict__.update(**told)",
    "vars(config).update(told)",
    "config.__dict__ = told",
    "config.__dict__ |= told",
    "for key, value in told.items():\n    config.__dict__[key] = value",
    "for key, value in told.items():\n    setattr(config, key, value)",
]
OF_DICTIONARIES = [
    "held.update(told)",
    "held.update(**told)",
    "held |= told",
    "held = held | told",
    "held = {**held, **told}",
    "held = dict(held, **told)",
    "for key in told:\n    held[key] = told[key]",
]


@pytest.mark.parametrize("change", OF_OBJECTS)
def test_attributes_may_be_those_of_a_file(tmp_path: Path, change: str) -> None:
    assert errors(tmp_path, change, "config.size") == []


@pytest.mark.parametrize("change", OF_DICTIONARIES)
def test_items_may_be_those_of_a_file(tmp_path: Path, change: str) -> None:
    assert errors(tmp_path, change, 'held["size"]') == []


@pytest.mark.parametrize(
    ("change", "asked"),
    [
        ("config.__dict__.update({'other': 3})", "config.size"),
        ("config.__dict__.update(told)\nconfig.size = -1", "config.size"),
        ("config.__dict__['other'] = told['a']", "config.size"),
        ("held.update({'other': 3})", 'held["size"]'),
        ("held = {**told, **held}", 'held["size"]'),
        ("held['other'] = told['a']", 'held["size"]'),
        ("for key in told:\n    held[key] = -1", 'held["size"]'),
    ],
)
def test_what_is_set_by_name_alone_stays(tmp_path: Path, change: str, asked: str) -> None:
    assert errors(tmp_path, change, asked)


def test_a_whole_number_sets_no_text(tmp_path: Path) -> None:
    change = "held = {'size': -1, 0: 2}\nnumber = torch.zeros(told['n']).shape[0]\nheld[number] = told['b']"
    assert errors(tmp_path, change, 'held["size"]')
    change = "held = {0: -1}\nnumber = torch.zeros(told['n']).shape[0] - 1\nheld[number] = told['b']"
    assert errors(tmp_path, change, "held[0]") == []


def test_items_made_of_a_hidden_state_are_kept(tmp_path: Path) -> None:
    assert errors(tmp_path, "config.__dict__['size'] = 4", "config.size") == []
    assert errors(tmp_path, "config.__dict__['size'] = -4", "config.size")
