"""Which lines had a part in a shape that does not fit: where the layer was made, where its operands come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Layer
from analyzer.tracing.paths.symbols import Site

MOST = 60  # lines of one problem: a reader asks for those that a change has touched, and these are near


def of_layer(layer: Layer) -> tuple[Site, ...]:
    """The lines of the call that made a layer: its own and those of its arguments."""
    if layer.site is None:
        return ()
    lines = (expression.lineno for expression in layer.nodes.values() if hasattr(expression, "lineno"))
    return tuple(dict.fromkeys((layer.site, *(Site(layer.site.path, line) for line in lines))))


def of_operands(operands: Iterable[Tensor]) -> tuple[Site, ...]:
    """The lines that made these tensors, then those that made what these were made of; the nearest first."""
    found: dict[tuple[str, int], Site] = {}
    waiting: list[Tensor] = list(operands)
    seen = set(map(id, waiting))
    for tensor in waiting:
        for site in (*tensor.places, *((tensor.site,) if tensor.site else ())):
            found.setdefault((site.path, site.line), site)
        if len(found) >= MOST:
            break
        more = [source for source in tensor.sources if id(source) not in seen]
        seen |= set(map(id, more))
        waiting += more
    return tuple(found.values())[:MOST]


def as_data(places: Sequence[Site], own: Site) -> dict[str, list[list[str | int]]]:
    """For `Evidence.data`: pairs of a path and a line, without the problem's own."""
    pairs = dict.fromkeys((p.path, p.line) for p in places if (p.path, p.line) != (own.path, own.line))
    return {"causes": [[path, line] for path, line in list(pairs)[:MOST]]} if pairs else {}
