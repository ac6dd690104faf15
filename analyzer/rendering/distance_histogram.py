"""A `DistanceHistogram` as a picture by Graphviz, and as lines of text where no picture can be shown."""

from __future__ import annotations

from html import escape
from pathlib import Path

import graphviz

from analyzer.findings import DistanceHistogram
from analyzer.rendering.deviation_graph import EDGE, RESPONSIBLE, TEXT, short, write_pictures

BAR = 260  # points of the longest bar
CHARACTERS = 32  # the width of the longest bar
PLAIN = "#6e9cc9"  # lighter than RESPONSIBLE: apart in grey too
NAMES = {"class": "D_CLASS", "mad": "D_MAD"}


def draw(histogram: DistanceHistogram, stem: Path) -> tuple[Path, ...]:
    """Write ``stem.svg`` and ``stem.png``; nothing where Graphviz's program `dot` is not installed."""
    return write_pictures(dot(histogram), stem)


def dot(histogram: DistanceHistogram) -> graphviz.Digraph:
    """One table: a row for each bin with its range, its bar and its count."""
    graph = graphviz.Digraph(
        "distances",
        graph_attr={"bgcolor": "white", "pad": "0.15", "tooltip": graphviz.escape(summary(histogram))},
        node_attr={"shape": "plaintext", "fontname": "Helvetica", "fontsize": "12", "fontcolor": TEXT, "margin": "0"},
    )
    top = max(histogram.counts, default=0) or 1
    rows = [
        f'<TR><TD COLSPAN="3" ALIGN="LEFT"><B>{_text(title(histogram))}</B></TD></TR>',
        f'<TR><TD COLSPAN="3" ALIGN="LEFT"><FONT COLOR="{EDGE}">{_text(verdict(histogram))}</FONT></TD></TR>',
        f'<TR><TD ALIGN="RIGHT"><FONT COLOR="{EDGE}">distance</FONT></TD><TD> </TD>'
        f'<TD ALIGN="LEFT"><FONT COLOR="{EDGE}">instances</FONT></TD></TR>',
    ]
    for index, count in _bins(histogram):
        reached = _reached(histogram, index)
        width = max(round(BAR * count / top), 2)
        bar = (
            f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0"><TR>'
            f'<TD FIXEDSIZE="TRUE" WIDTH="{width}" HEIGHT="16" BGCOLOR="{RESPONSIBLE if reached else PLAIN}"></TD>'
            f'<TD FIXEDSIZE="TRUE" WIDTH="{BAR + 2 - width}" HEIGHT="16"></TD></TR></TABLE>'
        )
        mark = " inconsistent" if reached and count else ""
        rows.append(
            f'<TR><TD ALIGN="RIGHT">{_text(label(histogram, index))}</TD>'
            f'<TD ALIGN="LEFT" WIDTH="{BAR + 8}">{bar if count else " "}</TD>'
            f'<TD ALIGN="LEFT">{count}{mark}</TD></TR>'
        )
    table = '<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="3">' + "".join(rows) + "</TABLE>"
    graph.node("n0", f"<{table}>")
    return graph


def bars(histogram: DistanceHistogram) -> str:
    """The same in text, one line a bin."""
    top = max(histogram.counts, default=0) or 1
    lines = []
    for index, count in _bins(histogram):
        name = label(histogram, index)
        bar = "█" * max(round(CHARACTERS * count / top), 1 if count else 0)
        mark = "  inconsistent" if _reached(histogram, index) and count else ""
        lines.append(f"  {name:>8} {bar:<{CHARACTERS}} {count}{mark}")
    return "\n".join(lines)


def title(histogram: DistanceHistogram) -> str:
    name = NAMES.get(histogram.metric, short(histogram.metric, 20))
    return f"{name} of {short(histogram.first, 60)} and {short(histogram.second, 60)}"


def verdict(histogram: DistanceHistogram) -> str:
    instances = sum(histogram.counts)
    word = "inconsistent" if histogram.inconsistent else "consistent"
    return (
        f"{word}: {histogram.triggering} of {instances} instance{'s' * (instances != 1)} at a distance of "
        f"{histogram.threshold:g} or more"
    )


def summary(histogram: DistanceHistogram) -> str:
    """What the picture says, in words."""
    filled = [(label(histogram, i), n) for i, n in _bins(histogram) if n]
    return f"{title(histogram)}. {verdict(histogram)}. " + "; ".join(f"{n} at {name}" for name, n in filled)


def _bins(histogram: DistanceHistogram) -> list[tuple[int, int]]:
    """Index and count of each bin; a report that came from elsewhere may hold more counts than edges."""
    return list(enumerate(histogram.counts))[: len(histogram.edges)]


def label(histogram: DistanceHistogram, index: int) -> str:
    """The range of one bin; class distances are whole numbers, and 16 is the largest."""
    edges = histogram.edges
    if histogram.metric != "class":
        high = edges[index + 1] if index + 1 < len(edges) else 1.0
        return f"{edges[index]:.1f}–{high:.1f}"
    low, high = edges[index], edges[index - 1] - 1 if index else edges[0]
    return f"{low:g}" if high <= low else f"{low:g}–{high:g}"


def _reached(histogram: DistanceHistogram, index: int) -> bool:
    """Whether the whole bin lies at the threshold or above; a distance of 0 never triggers."""
    return histogram.edges[index] >= histogram.threshold and histogram.edges[index] > 0


def _text(text: str) -> str:
    return escape(text, quote=True)
