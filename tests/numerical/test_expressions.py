"""Expressions of one source line are told apart by their operators; steps of a loop are one."""

from __future__ import annotations

from build import Builder, run

from analyzer.findings import Location
from analyzer.graph import set_location
from analyzer.numerical.explanation import expression


def expressions(lines: dict[str, int]) -> list[str]:
    """Of ``a = x - y; log(norm(a)) - log(norm(y)); b = a - y; log(norm(b))``, whose operators stand on `lines`."""
    b = Builder()
    x, y = b.input("x", (3,)), b.input("y", (3,))
    first = b.op("Sub", x, y, name="first")
    second = b.op("Sub", first, y, name="second")
    logs = [b.op("Log", b.op("ReduceL2", v, name=f"norm{i}"), name=f"log{i}") for i, v in enumerate((first, y, second))]
    graph = b.graph(*logs)
    for node in graph.nodes():
        set_location(node, Location("net.py", lines.get(node.name or "", 1)))
    found = run(graph, {"x": (-5, 5), "y": (-5, 5)}).warnings
    return [expression(w) for w in found if not w.backward and w.rule.endswith("log-of-nonpositive")]


def test_what_stands_on_other_lines_is_no_part_of_it() -> None:
    assert expressions({"first": 2, "second": 2}) == ["ReduceL2(.)"] * 3


def test_two_expressions_of_a_line_differ() -> None:
    assert expressions({}) == ["ReduceL2(Sub(.,.))", "ReduceL2(.)", "ReduceL2(Sub(Sub(.,.),.))"]
