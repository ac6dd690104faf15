"""`argparse`: defaults that a parser is given later, by its parents or as texts, and command lines in the program."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """
import argparse, torch
def pair(text):
    a, b = text.split("x")
    return int(a), int(b)
parent = argparse.ArgumentParser(add_help=False)
parent.add_argument("--dim", type=int, default=8)
parser = argparse.ArgumentParser(parents=[parent])
parser.add_argument("--hidden", type=int, default=16)
parser.add_argument("--size", type=pair, default="4x6")
parser.add_argument("--shape", nargs=2, type=int, default=(3, 5))
parser.add_argument("--lr", type=float, default="1e-3")
parser.add_argument("--on", dest="on", action="store_true")
parser.add_argument("--off", dest="on", action="store_false")
parser.add_argument("--big", dest="width", action="store_const", const=64)
parser.set_defaults(hidden=32, width=7, further=9)
"""
LINES = "args = parser.parse_args([])\n"
TRUE = [
    "torch.ones(args.hidden).shape == (32,)",
    "torch.ones(args.dim, *args.size).shape == (8, 4, 6)",
    "torch.ones(args.shape).shape == (3, 5) and args.lr == 0.001",
    "args.on is False and torch.ones(args.width, args.further).shape == (7, 9)",
    "parser.get_default('hidden') == 32 and parser.parse_known_args([])[1] == []",
    "torch.ones(parser.parse_args([], argparse.Namespace(dim=2)).dim).shape == (2,)",
]


def told(tmp_path: Path, text: str) -> list[str]:
    problems = explore(tmp_path, "run.py", ast.parse(text), Versions()).problems.values()
    return [p.rule for p in problems if p.level == "error"]


@pytest.mark.parametrize("statement", TRUE)
def test_of_no_words(statement: str, tmp_path: Path) -> None:
    text = f"{HEAD}{LINES}assert {statement}\n"
    exec(text, {})
    assert told(tmp_path, text) == []
    assert len(told(tmp_path, f"{HEAD}{LINES}assert not ({statement})\n")) == 1


def test_of_a_user(tmp_path: Path) -> None:
    text = HEAD + "args = parser.parse_args()\nlayer = torch.nn.Linear(32, args.dim)\nlayer(torch.ones(2, {}))\n"
    assert told(tmp_path, text.format("args.hidden")) == []
    assert told(tmp_path, text.format("args.further")) == ["tracing/incompatible-shape"]


def test_of_commands_that_are_not_known(tmp_path: Path) -> None:
    text = HEAD + "sub = parser.add_subparsers()\nsub.add_parser('run').add_argument('--depth', type=int)\n"
    text += "args = parser.parse_args()\ntorch.ones(vars(args)['{}'])\n"
    assert told(tmp_path, text.format("depth")) == []
    plain = HEAD + "args = parser.parse_args()\ntorch.ones(vars(args)['depth'])\n"
    assert told(tmp_path, plain) == ["tracing/uncaught-exception"]
