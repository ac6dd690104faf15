"""What is known of a value by its type: the standard library's results, their methods and elements."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.language.known_types import element, member, parts, returned
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.tracing import explore, read_source
from scripts.frameworks.extract_stdlib import DATA


def traced(tmp_path: Path, source: str) -> Shared:
    (tmp_path / "net.py").write_text(source)
    _, tree = read_source(tmp_path / "net.py", tmp_path)
    return explore(tmp_path, "net.py", tree, Versions())


@pytest.mark.parametrize(
    ("kind", "name", "type_"),
    [
        ("str", "split", "-> list[str]"), ("str", "encode", "-> bytes"), ("pathlib.Path", "parent", "pathlib.Path"),
        ("pathlib.Path", "exists", "-> bool"), ("pathlib.PurePath", "parent", "pathlib.PurePath"),
        ("logging.Logger", "info", "-> None"), ("re.Match", "start", "-> int"), ("str", "no_such_method", None),
        ("typing.IO", "readlines", "-> list[str]"), ("list[str]", "append", "-> None"),
    ],
)  # fmt: skip
def test_members(kind: str, name: str, type_: str | None) -> None:
    assert member(kind, name) == type_


def test_what_functions_return() -> None:
    assert returned("pathlib.Path") == "pathlib.Path"
    assert returned("os.path.join") == "str"
    assert returned("re.match") == "?re.Match"
    assert returned("collections.namedtuple") is None  # it makes a type
    assert returned("nothing.such") is None
    assert element("list[tuple[str,int]]") == "tuple[str,int]"
    assert parts("tuple[str,list[a,b],int]") == ["str", "list[a,b]", "int"]


def test_the_data_file_holds_types_alone() -> None:
    data = json.loads(gzip.decompress(DATA.read_bytes()))
    for names in data.values():
        for found in names.values():
            assert isinstance(found, str) or (isinstance(found, list) and len(found) == 2)


PROGRAM = """
import logging, re, tempfile
from pathlib import Path
log = logging.getLogger("x")
def f(folder: Path, names: list[str]):
    log.info("start")
    folder.mkdir()
    for line in open(folder / "table.txt"):
        first, second = line.strip().split(",")
        first.lower()
    with tempfile.TemporaryDirectory() as where:
        where.upper()
    found = re.match("a", first)
    if found is None:
        return
    found.start()
    for name in names:
        name.lower().endswith("x")
"""


def test_calls_of_known_types_are_understood(tmp_path: Path) -> None:
    assert not traced(tmp_path, PROGRAM).unknown_calls


def test_what_an_unknown_text_decides_proves_nothing(tmp_path: Path) -> None:
    source = """
import torch, platform
if platform.system().lower() == "windows":
    torch.zeros(2, 3) @ torch.zeros(4, 5)
"""
    (found,) = traced(tmp_path, source).problems.values()
    assert not found.proved


def test_a_file_is_no_none_and_a_match_may_be(tmp_path: Path) -> None:
    source = """
import torch, re
from pathlib import Path
if Path("a") is None:
    torch.zeros(2, 3) @ torch.zeros(4, 5)
if re.match("a", input()) is None:
    torch.zeros(2, 3) @ torch.zeros(5, 4)
"""
    assert {p.site.line for p in traced(tmp_path, source).problems.values()} == {7}
