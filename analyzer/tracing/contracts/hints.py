"""The shapes of the tensors that names of a file stand for, for an editor to show beside them."""

from __future__ import annotations

from dataclasses import dataclass

from analyzer.tracing.language.tensors import show_shape
from analyzer.tracing.paths.frames import Shared

MOST_SHAPES = 2  # of a name with more of them only those that programs give it are shown: numbers, without a symbol
UNNAMED = "tensor."  # begins the sizes of a tensor without a name: a shape of them says less than any other


@dataclass(frozen=True, slots=True)
class Hint:
    """What to show behind a name: `line` and `column` count from 1, the column in characters, after the name's end."""

    line: int
    column: int
    shape: str


def hints(shared: Shared, path: str, text: str) -> tuple[Hint, ...]:
    """The hints of the file `path`, which holds `text`, in the order of its lines."""
    lines = text.splitlines()
    found = []
    for (where, line, end), tensors in sorted(shared.assigned.items()):
        known = [t.dims for t in tensors if t.dims is not None]
        shapes = dict.fromkeys(show_shape(dims) for dims in known)
        named = dict.fromkeys(shape for shape in shapes if UNNAMED not in shape)
        shapes = named or shapes
        if len(shapes) > MOST_SHAPES:
            shapes = dict.fromkeys(show_shape(dims) for dims in known if all(isinstance(d, int) for d in dims))
        if where != path or line > len(lines) or not 0 < len(shapes) <= MOST_SHAPES:
            continue
        before = lines[line - 1].encode("utf-8", "surrogatepass")[:end].decode("utf-8", "ignore")
        found.append(Hint(line, len(before) + 1, " | ".join(shapes)))
    return tuple(found)
