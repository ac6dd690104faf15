"""A `Report` as Markdown for a person: the summary that `report.md`, the comment and the step summary share.

Knows nothing of GitHub but its flavour of Markdown; addresses are handed in as `Links`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import jinja2
from markupsafe import Markup

from analyzer.findings import (
    DeviationMap,
    DistanceHistogram,
    Finding,
    Location,
    Report,
    Status,
    TargetReport,
    Verdict,
)
from analyzer.rendering.clauses import brief, chain, group_keys, mend, mends, stated
from analyzer.rendering.distance_histogram import bars, title, verdict
from analyzer.rendering.headline import duration, headline, informing
from analyzer.rendering.markdown_text import cell_code, code, environment, fence_after, truncate_blocks
from analyzer.rendering.mermaid import diagram
from analyzer.rendering.rules import LOOSENED, NO_LONGER_ANALYSED

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
COMMENT_LIMIT = 64_000  # GitHub refuses a body above 65,536 characters
ROWS = 40  # of a table; the page has all
MAPS = 3  # graphs in a comment: GitHub draws each when it is opened
_OF_WEIGHTS = re.compile(r" \((?:initial values? .*|checkpoint)\)\Z")


def _no_address(_: Location) -> str | None:
    return None


@dataclass(frozen=True, slots=True)
class Links:
    """Where things can be looked at. All addresses are ours: none comes from the report.

    `fetch` is the command that downloads the run's files; reproducer paths are relative to what it fetches.
    """

    line: Callable[[Location], str | None] = _no_address
    pictures: Mapping[str, str] = field(default_factory=dict)  # picture below the output folder -> address
    files: str | None = None
    fetch: str | None = None


def summary(
    report: Report,
    *,
    links: Links | None = None,
    notices: Sequence[str] = (),
    name: str = "Assay",
    limit: int = COMMENT_LIMIT,
    elsewhere: Collection[str] = (),
) -> str:
    """The whole review, at most `limit` characters long. `notices` are sentences about what could not be posted.

    Findings whose fingerprint is in `elsewhere` have a comment of their own: what stands there is not repeated.
    """
    text = _template("summary.md").render(
        view=View(report, links or Links(), frozenset(elsewhere)), notices=notices, head=headline(report, name)
    )
    cut = "*The rest does not fit here: see `report.md` and `report.json` of this run.*"
    return truncate_blocks(_tidy(text), limit, cut)


def evidence(finding: Finding, links: Links | None = None) -> str:
    """Why a finding holds, for a person who checks it by hand."""
    macros: Any = _template("finding.md").module
    return _tidy(str(macros.evidence(finding, links or Links()))).strip()


@dataclass(frozen=True)
class View:
    """The report as the templates want it. Everything is computed here, nothing in the template."""

    report: Report
    links: Links
    elsewhere: frozenset[str] = frozenset()

    @property
    def blocking(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.report.blocking if f.rule != LOOSENED)

    @property
    def problems(self) -> tuple[tuple[Finding, ...], ...]:
        """The blocking findings; one group are those that one change mends, that stand on one line of a model, or that
        one rule raises at a model without lines."""
        groups: list[list[Finding]] = []
        by_key: dict[tuple[object, ...], list[Finding]] = {}
        for finding in self.blocking:
            keys = group_keys(finding)
            group = next((by_key[key] for key in keys if key in by_key), None)
            if group is None:
                group = []
                groups.append(group)
            group.append(finding)
            by_key |= {key: by_key.get(key, group) for key in keys}
        return tuple(map(tuple, groups))

    @property
    def unfolded(self) -> tuple[Finding, ...]:
        """The blocking findings of which this text alone tells."""
        return tuple(f for f in self.blocking if f.fingerprint not in self.elsewhere)[:ROWS]

    @property
    def loosened(self) -> tuple[Finding, ...]:
        """What the change's configuration asks no longer."""
        return tuple(f for f in self.report.findings if f.rule == LOOSENED)

    @property
    def informing(self) -> tuple[Finding, ...]:
        return informing(self.report)

    @property
    def known(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.report.findings if not f.new and f.suppressed is None)

    @property
    def suppressed(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.report.findings if f.suppressed is not None)

    @property
    def fixed(self) -> tuple[Finding, ...]:
        return self.report.fixed

    @property
    def more(self) -> tuple[str, ...]:
        """What the last fold of a review with problems holds."""
        told = ((self.informing, "to look at"), (self.fixed, "fixed"), (self.known, "known"))
        return (*(f"{len(some)} {word}" for some, word in told if some), "checks")

    @property
    def green(self) -> bool:
        """Nothing that a person has to read."""
        loud = self.informing or self.fixed or self.maps or self.distances or self.loosened
        return self.report.verdict is Verdict.PASS and not loud

    @property
    def not_analysed(self) -> tuple[tuple[str, tuple[TargetReport, ...]], ...]:
        """The targets of which less is known than of the others, by what became of them; a problem says it already."""
        told = {f.target for f in self.blocking if f.rule == NO_LONGER_ANALYSED}
        titles = {Status.FAILED: "Failed", Status.TRACED: "Traced only", Status.SKIPPED: "Skipped"}
        groups = (
            (title, tuple(t for t in self.report.targets if t.status is status and t.id not in told))
            for status, title in titles.items()
        )
        return tuple((title, targets) for title, targets in groups if targets)

    @property
    def analysed(self) -> tuple[TargetReport, ...]:
        return tuple(t for t in self.report.targets if t.status is Status.ANALYSED)

    @property
    def files(self) -> Mapping[str, str]:
        """The file of each target."""
        return {target.id: target.file for target in self.report.targets}

    @property
    def unknown(self) -> tuple[tuple[str, int], ...]:
        """Operators without a rule, most frequent first."""
        total: dict[str, int] = {}
        for target in (t for t in self.report.targets if t.kind != "python"):
            for operator, count in target.unknown_operators.items():
                total[operator] = total.get(operator, 0) + count
        return tuple(sorted(total.items(), key=lambda item: (-item[1], item[0])))

    @property
    def maps(self) -> tuple[DeviationMap, ...]:
        """Maps that show a suspicious layer, the guiltiest first."""
        found = [m for t in self.report.targets for m in t.maps if any(n.responsible or n.highlighted for n in m.nodes)]
        return tuple(sorted(found, key=lambda m: -sum(n.responsible for n in m.nodes))[:MAPS])

    @property
    def drawn(self) -> tuple[DeviationMap, ...]:
        """Maps as text, where no picture of them can be shown."""
        return () if self.pictures else self.maps

    @property
    def distances(self) -> tuple[DistanceHistogram, ...]:
        """Pairs of engines that ground truth calls inconsistent, the most instances first."""
        found = [d for t in self.report.targets for d in t.distances if d.inconsistent]
        return tuple(sorted(found, key=lambda d: -d.triggering)[:MAPS])

    @property
    def backends(self) -> tuple[str, ...]:
        """What was said of each comparison, with the model's name."""
        return tuple(
            dict.fromkeys(f"{_as_name(t.id)}: {sentence}" for t in self.report.targets for sentence in t.backends)
        )

    @property
    def deviating(self) -> tuple[str, ...]:
        """The comparisons worth a reader's time before the fold: those that no problem above tells of."""
        told = {_as_name(f.target) for f in self.blocking if f.rule.startswith("differential/")}
        return tuple(
            sentence
            for sentence in self.backends
            if " agrees with " not in sentence and not any(sentence.startswith(f"{name}: ") for name in told)
        )

    @property
    def assumptions(self) -> tuple[tuple[str, tuple[str, ...], int], ...]:
        """What was assumed of each model, and how many ranges of weights besides: the page has those."""
        told = []
        for target in self.report.targets:
            kept = tuple(a for a in target.assumptions if not _OF_WEIGHTS.search(a))
            if target.assumptions:
                told.append((target.id, kept, len(target.assumptions) - len(kept)))
        return tuple(told)

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        found = {name: version for t in self.report.targets for name, version in t.versions.items()}
        tool = self.report.tool.get("version")
        return (*((("assay", str(tool)),) if tool else ()), *sorted(found.items()))

    @property
    def notes(self) -> tuple[str, ...]:
        own = tuple(f"{t.id}: {note}" for t in self.report.targets for note in t.notes)
        return tuple(dict.fromkeys((*self.report.notes, *own)))

    @property
    def checked(self) -> tuple[int, int]:
        """Operators that could fail numerically, and how many of them were proved safe."""
        operators = [t.unsafe_operators for t in self.report.targets]
        return sum(u.checked for u in operators), sum(u.safe for u in operators)

    @property
    def pictures(self) -> tuple[tuple[str, str], ...]:
        """Pictures that can be shown, as pairs of what they are and address; of consistent engines none."""
        graphs, histograms = [], []
        for target in self.report.targets:
            wanted = {f"distances-{n}" for n, d in enumerate(target.distances, 1) if d.inconsistent}
            for picture in (p for p in target.pictures if p in self.links.pictures):
                stem = PurePosixPath(picture).stem
                if stem in wanted:
                    histograms.append(picture)
                elif not stem.startswith("distances-"):
                    graphs.append(picture)
        return tuple(
            (kind, self.links.pictures[p])
            for kind, some in (("Deviation graph", graphs), ("Histogram of distances", histograms))
            for p in some[:MAPS]
        )


def where(finding: Finding, view: View) -> Markup:
    """The finding's line, as a link where there is an address, else the model's file; for a table cell."""
    location = finding.location
    if location is None:
        return cell_code(view.files.get(finding.target, finding.target))
    return at(location, view.links)


def at(location: Location, links: Links) -> Markup:
    """A line of a file, as a link where there is an address."""
    shown = cell_code(f"{location.path}:{location.line}")
    address = links.line(location)
    return Markup(f"[{shown}]({address})") if address else shown


def reproduce(finding: Finding, links: Links) -> tuple[str, ...]:
    """The commands that show the problem again, one a line."""
    if finding.reproducer is None:
        return ()
    run = f"python {finding.reproducer}" if finding.reproducer.endswith(".py") else f"# see {finding.reproducer}"
    return (links.fetch, run) if links.fetch else (run,)


def commands(findings: Sequence[Finding], links: Links) -> tuple[str, ...]:
    """The commands that show several problems again; files are fetched once."""
    return tuple(dict.fromkeys(line for finding in findings for line in reproduce(finding, links)))


def _as_name(identity: str) -> str:
    return identity if "`" in identity else f"`{identity}`"


def _mermaid(deviations: DeviationMap) -> Markup:
    return Markup(f"```mermaid\n{diagram(deviations)}\n```")


def _rest(items: Sequence[Any], shown: int) -> int:
    return max(0, len(items) - shown)


def _names(items: Iterable[tuple[str, int]]) -> Markup:
    return Markup(", ").join(Markup(f"{code(name)} × {count}") for name, count in items)


@cache
def templates() -> jinja2.Environment:
    """The environment of all Markdown templates; what a template prints is escaped unless one of ours made it."""
    made = environment(str(TEMPLATES))
    made.globals.update(
        where=where,
        at=at,
        reproduce=reproduce,
        commands=commands,
        mermaid=_mermaid,
        bars=bars,
        distance_title=title,
        distance_verdict=verdict,
        rest=_rest,
        mend=mend,
        mends=mends,
        stated=stated,
        brief=brief,
        duration=duration,
        chain=chain,
        names=_names,
        ROWS=ROWS,
    )
    return made


def _template(name: str) -> jinja2.Template:
    return templates().get_template(name)


def _tidy(text: str) -> str:
    """No trailing spaces, no more than one empty line in a row, outside fences."""
    lines: list[str] = []
    fenced = ""
    for line in text.split("\n"):
        was, fenced = fenced, fence_after(line, fenced)
        if not was and not fenced and not line.strip() and lines and not lines[-1].strip():
            continue
        lines.append(line if was else line.rstrip())
    return "\n".join(lines).strip() + "\n"
