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
    Table,
    TargetReport,
    Verdict,
)
from analyzer.rendering.distance_histogram import bars, title, verdict
from analyzer.rendering.markdown_text import cell_code, code, environment, fence_after, truncate_blocks
from analyzer.rendering.mermaid import diagram
from analyzer.rendering.rules import LOOSENED

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
COMMENT_LIMIT = 64_000  # GitHub refuses a body above 65,536 characters
ROWS = 40  # of a table; the page has all
MAPS = 3  # graphs in a comment: GitHub draws each when it is opened
_OF_WEIGHTS = re.compile(r" \((?:initial values? .*|checkpoint)\)\Z")
_REMARK = re.compile(r" \([^()]*\)\Z")  # at the end of a sentence
CHAIN = 8  # rows of a table of evidence; the page has all


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


@dataclass(frozen=True, slots=True)
class Headline:
    symbol: str
    text: str
    extras: tuple[str, ...]
    loud: tuple[str, ...] = ()  # of the extras, what no other line of a text that is not green says


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


def headline(report: Report, name: str = "Assay") -> Headline:
    """The first line: verdict, what is new, and where."""
    blocking, looks = report.blocking, _informing(report)
    missing = [t for t in report.targets if t.status is not Status.ANALYSED]
    changed = "changed " if report.base else ""
    models = counted(report.targets, changed)
    bad = wrong(report)
    if report.verdict is Verdict.FAIL:
        where = f" in {counted(report.targets, changed, bad)}" if report.targets else ""
        text = f"{name}: {len(blocking)} new {_plural(len(blocking), 'problem')}{where}"
        symbol = "❌"
    elif report.verdict is Verdict.INCOMPLETE:
        which = counted(report.targets, changed, {t.id for t in missing})
        text = f"{name}: {which} could not be analysed; nothing blocks"
        symbol = "⚠️"
    elif not report.targets:
        text, symbol = f"{name}: no model changed" if report.base else f"{name}: no model to check", "✅"
    elif looks:
        text, symbol = f"{name}: nothing blocks in {models}, {len(looks)} to look at", "✅"
    else:
        text, symbol = f"{name}: no new problem in {models}", "✅"
    known = sum(1 for f in report.findings if not f.new and f.suppressed is None)
    loosened = any(f.rule == LOOSENED for f in report.findings)
    less = ("asks less than the base",) if loosened else ()
    unknown = tuple(
        f"{count} {word}"
        for status, word in ((Status.TRACED, "traced only"), (Status.SKIPPED, "skipped"), (Status.FAILED, "failed"))
        if (count := sum(t.status is status and t.id not in bad for t in missing))
    )
    extras = (
        *less,
        *((f"{len(looks)} to look at",) if report.verdict is Verdict.FAIL and looks else ()),
        *((f"{len(report.fixed)} fixed",) if report.fixed else ()),
        *((f"{known} known",) if known else ()),
        *unknown,
        duration(report.seconds),
    )
    return Headline(symbol, text, extras, (*less, *unknown))


def _informing(report: Report) -> tuple[Finding, ...]:
    blocking = set(map(id, report.blocking))
    return tuple(
        f for f in report.findings if f.new and f.suppressed is None and id(f) not in blocking and f.rule != LOOSENED
    )


def wrong(report: Report) -> frozenset[str]:
    """The targets with a blocking finding; one that several targets reach counts for the file that it stands in."""
    targets = {f.target for f in report.blocking}
    files = {f.location.path for f in report.blocking if f.location}
    return frozenset(t.id for t in report.targets if t.id in targets or (t.kind == "python" and t.file in files))


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
            keys = _group_keys(finding)
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
        return _informing(self.report)

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
        told = ((self.informing, "to look at"), (self.fixed, "fixed"), (self.known, "known before"))
        return (*(f"{len(some)} {word}" for some, word in told if some), "what was checked")

    @property
    def green(self) -> bool:
        """Nothing that a person has to read."""
        loud = self.informing or self.fixed or self.maps or self.distances or self.loosened
        return self.report.verdict is Verdict.PASS and not loud

    @property
    def not_analysed(self) -> tuple[tuple[str, tuple[TargetReport, ...]], ...]:
        """The targets of which less is known than of the others, by what became of them."""
        titles = {Status.FAILED: "Failed", Status.TRACED: "Traced only", Status.SKIPPED: "Skipped"}
        groups = (
            (title, tuple(t for t in self.report.targets if t.status is status)) for status, title in titles.items()
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
        found = [m for t in self.report.targets for m in t.maps if any(n.guilty or n.highlighted for n in m.nodes)]
        return tuple(sorted(found, key=lambda m: -sum(n.guilty for n in m.nodes))[:MAPS])

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


def _group_keys(finding: Finding) -> tuple[tuple[object, ...], ...]:
    """What findings of one group have in common."""
    fix, place = finding.suggestion, finding.location
    spot = (finding.target, finding.rule) if place is None else (finding.target, place.path, place.line)
    if fix is None or fix.replacement is None or fix.path is None:
        return (spot,)
    return spot, (fix.path, fix.line, fix.end_line, fix.replacement)


def mends(group: Sequence[Finding]) -> tuple[Finding, ...]:
    """Of a group, one finding for each different change."""
    found: dict[str, Finding] = {}
    for finding in group:
        if finding.suggestion is not None:
            found.setdefault(mend(finding), finding)
    return tuple(found.values())


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


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def reproduce(finding: Finding, links: Links) -> tuple[str, ...]:
    """The commands that show the problem again, one a line."""
    if finding.reproducer is None:
        return ()
    run = f"python {finding.reproducer}" if finding.reproducer.endswith(".py") else f"# see {finding.reproducer}"
    return (links.fetch, run) if links.fetch else (run,)


def commands(findings: Sequence[Finding], links: Links) -> tuple[str, ...]:
    """The commands that show several problems again; files are fetched once."""
    return tuple(dict.fromkeys(line for finding in findings for line in reproduce(finding, links)))


def counted(targets: Sequence[TargetReport], changed: str, some: Collection[str] | None = None) -> str:
    """How many models, and how many Python files besides theirs; with `some`, how many of them these ids are.

    A file whose entry point is a model is counted as that: a problem in it is one of the model.
    """
    parts = []
    models = {t.file for t in targets if t.kind != "python"}
    for traced, word in ((False, "model"), (True, "Python file")):
        ids = [t.id for t in targets if (t.kind == "python") is traced and not (traced and t.file in models)]
        chosen = "" if some is None else f"{sum(i in some for i in ids)} of "
        if ids:
            parts.append(f"{chosen}{len(ids)} {changed}{_plural(len(ids), word)}")
            changed = ""  # said once
    return " and ".join(parts) or f"0 {changed}models"


def mend(finding: Finding) -> str:
    """The suggestion in one clause; what it rests on stands with the finding's evidence."""
    text = finding.suggestion.description if finding.suggestion else ""
    for end in (";", " (the ", ": ", ", which "):
        text = text.partition(end)[0]
    return text.rstrip(".")


def stated(finding: Finding) -> str:
    """The message as the beginning of a sentence that goes on."""
    text = finding.message.rstrip(".")
    return f"T{text[1:]}" if text.startswith("the ") else text


def brief(finding: Finding, inside: bool = False) -> str:
    """What is wrong in one clause; how it comes about stands with the evidence. `inside`: of a sentence."""
    text = finding.message if inside else stated(finding)
    if finding.rule.startswith("numerical/"):
        text = text.partition(": ")[0]
    text = text.partition("; ")[0].partition(", and ")[0].rstrip(".")
    cut = _REMARK.sub("", text)
    return cut if len(cut) > len(text) // 3 else text


def chain(table: Table) -> tuple[tuple[Any, ...], ...]:
    """The rows to show: of a chain of values its beginning and those nearest to the operator that fails, the last."""
    if table.columns[:1] != ("value",) or len(table.rows) <= CHAIN:
        return table.rows[:CHAIN]
    return (table.rows[0], *table.rows[1 - CHAIN :])


def _as_name(identity: str) -> str:
    return identity if "`" in identity else f"`{identity}`"


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"


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
