"""Flags without a default are left out in the default run: who runs the program gives them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

PROGRAM = """
import argparse, json, os, torch
parser = argparse.ArgumentParser()
parser.add_argument("--path")
parser.add_argument("--kind", default=None)
parser.add_argument("--layers", type=int)
args = parser.parse_args()
path = args.path
{}
"""
FAIL = [
    "os.listdir(os.path.join(args.path, 'images'))",
    "os.path.join(path, 'images')",
    "{'relu': 1}[args.kind]",
    "assert args.kind in ('a', 'b')",
    "assert args.path, 'a folder is needed'",
    "json.loads(args.path)",
    "args.path.split('/')",
]


def told(tmp_path: Path, text: str) -> list[str]:
    problems = explore(tmp_path, "run.py", ast.parse(text), Versions()).problems.values()
    return [p.rule for p in problems if p.level in ("error", "warning")]


@pytest.mark.parametrize("statement", FAIL)
def test_left_out(statement: str, tmp_path: Path) -> None:
    assert told(tmp_path, PROGRAM.format(statement)) == []


@pytest.mark.parametrize(
    "statement", ["{'relu': 1}['tanh']", "assert args.layers is None and 1 > 2", "torch.zeros(3).view(2)"]
)
def test_what_no_flag_mends(statement: str, tmp_path: Path) -> None:
    found = told(tmp_path, PROGRAM.format(statement))
    assert len(found) == ("layers" not in statement)


@pytest.mark.parametrize("statement", FAIL)
def test_none_that_the_program_writes(statement: str, tmp_path: Path) -> None:
    text = PROGRAM.format(statement).replace("args = parser.parse_args()", "class args:\n    path = kind = None")
    assert told(tmp_path, text) == ["tracing/uncaught-exception"]


REQUIRED = """
import click, torch

def made(kind):
    if kind == "line":
        return torch.nn.Linear(3, 4)
    raise ValueError("no such model: " + kind)

@click.command()
@click.option("--kind", required=True)
def main(kind):
    model = made({})
    for layer in model.modules():
        print(layer)
    if torch.rand(3)[0] > 0.5:
        print(1)

main()
"""


@pytest.mark.parametrize(("kind", "found"), [("kind", []), ("'lines'", ["tracing/uncaught-exception"])])
def test_what_the_program_refuses_of_a_flag_that_has_to_be_given(tmp_path: Path, kind: str, found: list[str]) -> None:
    assert told(tmp_path, REQUIRED.format(kind)) == found
