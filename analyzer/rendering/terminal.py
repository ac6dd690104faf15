"""What `assay` shows in a terminal: progress while it works, then a table a person reads at a glance."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from types import TracebackType

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from analyzer.findings import Confidence, Finding, Level, Report, Status, TargetReport, Verdict
from analyzer.rendering.clauses import mend
from analyzer.rendering.markdown_text import clean

_COLOURS = {Level.ERROR: "red", Level.WARNING: "yellow", Level.NOTE: "cyan"}
_VERDICTS = {
    Verdict.PASS: ("✔ nothing blocks", "bold green"),
    Verdict.FAIL: ("✘ blocked", "bold red"),
    Verdict.INCOMPLETE: ("● incomplete: something could not be analysed", "bold yellow"),
}
SHOWN = 40  # rows of a table on one or two screens
FEW = 3  # findings that are only possible: more of them are one line
SCRIPTS = 3  # commands that show a finding again; report.md has each


class LiveProgress:
    """One line a target, with the stage it is in. Without a terminal, one plain line when a target is done."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stages: dict[str, str] = {}
        self._live = Live(console=console, refresh_per_second=8, transient=True) if console.is_terminal else None

    def __enter__(self) -> LiveProgress:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def started(self, target: str, stages: Sequence[str]) -> None:
        self._stages[target] = "waiting"
        self._show()

    def stage(self, target: str, stage: str) -> None:
        self._stages[target] = stage
        self._show()

    def finished(self, target: str, report: TargetReport) -> None:
        self._stages.pop(target, None)
        if self._live is None:
            self._console.print(Text(f"{clean(target)}: {report.status} in {sum(report.seconds.values()):.1f} s"))
        self._show()

    def _show(self) -> None:
        if self._live is None:
            return
        busy = [(target, stage) for target, stage in self._stages.items() if stage != "waiting"]
        lines: list[RenderableType] = [
            Spinner("dots", Text.assemble((clean(target), "bold"), "  ", (stage, "dim"))) for target, stage in busy[:12]
        ]
        waiting = len(self._stages) - len(busy)
        if waiting:
            lines.append(Text(f"  and {waiting} waiting", style="dim"))
        self._live.update(Group(*lines))


_PLACE = re.compile(r" \([^()]*:\d+\)$")  # where a sentence ends with its file and line


def show(report: Report, console: Console, *, output: str | None = None) -> None:
    """Print `report`: the targets, the findings worst first, the verdict. `output`: the folder of its files."""
    if report.targets:
        console.print(_targets(report))
    live, possible = _folded([finding for finding in report.findings if finding.suppressed is None])
    if live:
        console.print(_findings(live[:SHOWN], report))
    if len(live) > SHOWN:
        console.print(Text(f"… and {len(live) - SHOWN} more in report.md", style="dim"))
    if possible:
        rules = Counter(finding.rule.removeprefix("numerical/") for finding in possible)
        counted = ", ".join(f"{count} {clean(rule)}" for rule, count in rules.most_common(5))
        text = f"… and {len(possible)} that are possible only, which block nothing ({counted}); report.md has each"
        console.print(Text(text, style="dim"))
    for error in _errors(report):
        console.print(Text(f"! {clean(error, 1000)}", style="yellow"))
    for note in report.notes:
        console.print(Text(f"· {clean(note, 1000)}", style="dim"))
    console.print(_verdict(report))
    if output:
        scripts = dict.fromkeys(f.reproducer for f in live if f.reproducer and f.reproducer.endswith(".py"))
        for script in list(scripts)[:SCRIPTS]:
            console.print(
                Text(f"  reproduce: python {clean(os.path.join(output, script), 1000)}", style="dim"), soft_wrap=True
            )
        console.print(Text(f"  report: {os.path.join(output, 'report.md')}", style="dim"), soft_wrap=True)


def _folded(findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding]]:
    """The findings to list, and those of the numerical analysis that are possible only, where there are many."""
    possible = [f for f in findings if f.confidence is Confidence.POSSIBLE and f.rule.startswith("numerical/")]
    if len(possible) <= FEW:
        return list(findings), []
    hidden = set(map(id, possible))
    return [f for f in findings if id(f) not in hidden], possible


def _errors(report: Report) -> list[str]:
    """Why targets could not be analysed; one line where several have the same reason (a package that is missing)."""
    groups: dict[str, list[str]] = {}
    for target in report.targets:
        if target.error:
            reason = _PLACE.sub("", target.error.removeprefix(f"{target.path}: ").removeprefix(f"{target.id}: "))
            groups.setdefault(reason, []).append(target.error)
    return [errors[0] if len(errors) == 1 else f"{len(errors)} models: {reason}" for reason, errors in groups.items()]


def _targets(report: Report) -> Table:
    file = _shared_file(report)
    rows = []
    for target in report.targets:
        found = [f for f in report.findings if f.target == target.id and f.suppressed is None]
        checked = target.unsafe_operators
        rows.append(
            (
                Text(
                    clean(target.id.removeprefix(f"{file}:") if file else target.id),
                    style="yellow" if target.status is Status.FAILED else "",
                ),
                Text(clean(target.kind)),
                str(target.nodes or "–"),
                f"{checked.safe}/{checked.checked}" if checked.checked else "–",
                str(sum(target.unknown_operators.values()) or "–"),
                _counts(found),
                "cached" if target.cached else f"{sum(target.seconds.values()):.1f}",
            )
        )
    table = Table(
        box=box.SIMPLE_HEAD, pad_edge=False, title=f"in {clean(file)}" if file else None, title_justify="left"
    )
    titles = ("model", "kind", "nodes", "proved safe", "unknown", "findings", "seconds")
    told = [i for i, title in enumerate(titles) if i != 1 or not file]  # all are entry points of that file
    told = [i for i in told if not (2 <= i <= 4 and all(row[i] == "–" for row in rows))]
    for i in told:
        table.add_column(
            titles[i],
            overflow="fold" if i == 0 else "ellipsis",
            justify="right" if i > 1 else "left",
            style="dim" if titles[i] in ("kind", "seconds") else None,
        )
    for row in rows:
        table.add_row(*(row[i] for i in told))
    return table


def _shared_file(report: Report) -> str:
    """The file that holds all entry points, which is then told once; empty where there is none."""
    files = {target.id.rpartition(":")[0] for target in report.targets}
    return files.pop() if len(files) == 1 and len(report.targets) > 1 else ""


def _counts(findings: Sequence[Finding]) -> Text:
    parts = [(sum(f.level is level for f in findings), level) for level in Level]
    text = Text(" ").join(Text(f"{n} {level}{'s' * (n > 1)}", style=_COLOURS[level]) for n, level in parts if n)
    return text or Text("none", style="green")


def _findings(findings: Sequence[Finding], report: Report) -> Table:
    compared, files = report.base is not None, {f.target: f.target for f in findings}
    files.update((target.id, target.file) for target in report.targets)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_lines=False)
    table.add_column("", no_wrap=True)
    table.add_column("problem", ratio=5)
    table.add_column("layer", ratio=2, overflow="fold")
    table.add_column("where", ratio=2, overflow="fold")
    for finding in findings:
        sure = "" if finding.confidence is Confidence.POSSIBLE else f"\n{finding.confidence}"
        state = "\nknown" if compared and not finding.new else ""
        place = f"{finding.location.path}:{finding.location.line}" if finding.location else files[finding.target]
        table.add_row(
            Text(f"{finding.level}{sure}{state}", style=_COLOURS[finding.level] if finding.new else "dim"),
            Text.assemble(clean(finding.message, 400), *_change(finding), "\n", (clean(finding.rule), "dim")),
            Text(clean(finding.layer or finding.node)),
            Text(clean(place)),
        )
    return table


def _change(finding: Finding) -> tuple[str | tuple[str, str], ...]:
    unproved = " (not proved)" if finding.proof == "not proved" else ""
    return ("\n", ("mend: ", "green"), clean(mend(finding), 200) + unproved) if finding.suggestion else ()


def _verdict(report: Report) -> Text:
    words, style = _VERDICTS[report.verdict]
    new = len(report.blocking)
    count = f" by {new} finding{'s' * (new > 1)}" if report.verdict is Verdict.FAIL else ""
    fixed = f" · {len(report.fixed)} fixed" if report.fixed else ""
    return Text.assemble((words + count, style), (f"{fixed} · {report.seconds:.1f} s", "dim"))
