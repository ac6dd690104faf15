"""What fails on inputs like an entry point's example; what else fails is about inputs that nobody described."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analyzer.graph import Graph
from analyzer.numerical.assumptions import Assumption, as_ranges
from analyzer.numerical.interpreter import interpret
from analyzer.numerical.result import Alarm, Interpretation, Options
from analyzer.numerical.shown_ranges import as_examples_show, as_whole


@dataclass(frozen=True)
class LikeExamples:
    """The same target with inputs that nobody described as their examples show them."""

    assumptions: Sequence[Assumption]
    failing: Mapping[tuple[Any, str, int], bool]  # what can fail there (node, rule, operand), and whether it is a root
    whole: LikeExamples | None = None  # with inputs as they are assumed, but whole numbers where examples hold these

    def shows(self, warning: Alarm) -> bool:
        return key(warning) in self.failing

    def first(self, warning: Alarm) -> bool:
        """Whether it is the first failure there, while it follows from one that examples do not show."""
        root = warning.root
        while root is not None and root.root is not None:
            root = root.root
        return root is not None and not self.shows(root) and self.failing.get(key(warning), False)


def key(warning: Alarm) -> tuple[Any, str, int]:
    return warning.node, warning.rule, warning.operand


def like_examples(
    graph: Graph, assumptions: Sequence[Assumption], found: Interpretation, options: Options
) -> LikeExamples | None:
    """None where nothing fails, or where examples tell nothing."""
    like = as_examples_show(graph, assumptions)
    if not (found.warnings or found.overflows) or like == list(assumptions):
        return None
    whole = as_whole(graph, assumptions)
    same = whole == list(assumptions)
    return LikeExamples(
        like, failing(graph, like, options), None if same else LikeExamples(whole, failing(graph, whole, options))
    )


def failing(graph: Graph, assumptions: Sequence[Assumption], options: Options) -> dict[tuple[Any, str, int], bool]:
    found = interpret(graph, as_ranges(assumptions), options=options)
    return {key(w): w.root is None for w in (*found.overflows, *found.warnings)}
