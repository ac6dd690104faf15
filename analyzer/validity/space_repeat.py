"""`repeat:` in a described model: a layer, or a group of layers, as often as a hyperparameter says.

A repetition is written out to its largest number; a copy beyond the number at hand is left out by its `when:`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from analyzer.problem import UsageProblem

MAX_COPIES = 1_000  # of one block
INDEX = "i"  # the number of the copy, from 0, in the expressions of a repeated layer


def repeated(
    layers: Sequence[Any],
    largest: Callable[[str], Any],
    name: str,
    lines: Mapping[tuple[str | int, ...], int],
) -> Iterator[tuple[int, Any]]:
    """The layers with repetitions written out, each with the index of the item that it comes from.

    `largest` gives the largest value of what `repeat:` says. Raises UsageProblem where that is unknown.
    """
    renamed: dict[str, str] = {}
    for index, item in enumerate(layers):
        if not isinstance(item, Mapping) or "repeat" not in item:
            yield index, _read_by(item, renamed)
            continue
        where = f"{name}:{lines.get(('model', 'layers', index), 1)}"
        count = largest(str(item["repeat"]))
        if type(count) is not int or not 0 <= count <= MAX_COPIES:
            raise UsageProblem(
                f"{where}: `repeat: {item['repeat']}` is no number to {MAX_COPIES} and no hyperparameter with a `max`"
            )
        group = item["layers"] if isinstance(item.get("layers"), list) else [item]
        for copy in range(count):
            for layer in group:
                if not isinstance(layer, Mapping) or not isinstance(layer.get("name"), str):
                    raise UsageProblem(f"{where}: a repeated layer needs a `name`; its copies are name_0, name_1, …")
                made = {k: _numbered(v, copy) for k, v in layer.items() if k != "repeat"}
                made = _read_by(made, renamed)
                runs = f"{copy} < ({item['repeat']})"
                made["when"] = f"({made['when']}) and {runs}" if "when" in made else runs
                made["name"] = f"{layer['name']}_{copy}"
                renamed[layer["name"]] = made["name"]
                yield index, made


def _read_by(item: Any, renamed: Mapping[str, str]) -> Any:
    """The layer with the names of repeated layers turned into those of their last copies."""
    if not isinstance(item, Mapping):
        return item
    made = dict(item)
    for key in ("input", "inputs"):
        stated = made.get(key)
        if isinstance(stated, str):
            made[key] = renamed.get(stated, stated)
        elif isinstance(stated, list):
            made[key] = [renamed.get(s, s) if isinstance(s, str) else s for s in stated]
    return made


def _numbered(value: Any, copy: int) -> Any:
    """An attribute with the number of the copy put in."""
    if isinstance(value, list):
        return [_numbered(v, copy) for v in value]
    if not isinstance(value, str):
        return value
    try:
        tree = ast.parse(value.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return value
    if not any(isinstance(n, ast.Name) and n.id == INDEX for n in ast.walk(tree)):
        return value

    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.Constant(copy) if node.id == INDEX else node

    return ast.unparse(ast.fix_missing_locations(Put().visit(tree)))
