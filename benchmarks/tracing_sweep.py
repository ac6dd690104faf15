"""Trace the sources of installed packages: no crash, no false error, and what share of library calls is understood.

    python benchmarks/tracing_sweep.py [--most N] [--every K] [--seconds S] [PACKAGE/FOLDER | PACKAGE/FILE.py …]

The sources of published packages are taken to be right: every error or blocking finding printed here is false until
someone has looked at it, but for the defects that `tracing_confirmed.py` shows to be real. One line a file goes to
standard error, so a run in the background shows where it is.
"""

from __future__ import annotations

import argparse
import importlib.util
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from tracing_confirmed import PLACES

from analyzer.findings import Level
from analyzer.frameworks.requested_versions import Versions
from analyzer.problem import TargetProblem
from analyzer.tracing.tracing import explore, read_source

FOLDERS = (
    "keras/src/applications",
    "keras/src/layers",
    "torch/nn",
    "torch/ao/nn",
    "torch/testing/_internal",
    "transformers/models",
)
SECONDS = 3.0  # of processor time for a file of up to a thousand lines, and in proportion above
FRAMEWORKS = ("torch.", "keras.", "tf.", "numpy.", "Tensor.")


class TooSlow(BaseException):
    """A file took longer than its deadline."""


def files(folder: str) -> list[Path]:
    package, _, rest = folder.partition("/")
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return []
    base = Path(next(iter(spec.submodule_search_locations))) / rest
    if base.suffix == ".py":
        return [base]
    names = sorted(base.rglob("modeling_*.py")) if package == "transformers" else sorted(base.rglob("*.py"))
    return [n for n in names if n.stat().st_size > 500]


@contextmanager
def deadline(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooSlow

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@dataclass
class Tally:
    """What one folder showed."""

    known: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    crashes: int = 0
    slow: int = 0
    errors: int = 0
    genuine: int = 0
    over: list[str] = field(default_factory=list)  # files above three seconds for a thousand lines

    @property
    def share(self) -> float:
        calls = sum(self.known.values()) + sum(self.unknown.values())
        return sum(self.known.values()) / calls if calls else 0.0

    def add(self, file: Path, seconds: int) -> None:
        started = time.process_time()
        try:
            with deadline(seconds):
                _, tree = read_source(file, file.parent)
                shared = explore(file.parent, file.name, tree, Versions())
        except TargetProblem as refusal:
            print(f"not traced: {refusal}")
            return
        except TooSlow:
            self.slow += 1
            print(f"SLOW {file}: more than {seconds} s\n{traceback.format_exc(limit=-4)}")
            return
        except Exception:
            self.crashes += 1
            print(f"CRASH {file}\n{traceback.format_exc(limit=-6)}")
            return
        self.seconds.append(time.process_time() - started)
        lines = tree.body[-1].end_lineno or 1 if tree.body else 1
        if self.seconds[-1] > SECONDS * max(1.0, lines / 1000):
            self.over.append(f"{file.name} ({lines} lines, {self.seconds[-1]:.1f} s)")
        for note in shared.notes:
            if "could not be followed further" in note or "does not cover" in note:
                self.crashes += "could not be followed" in note
                print(f"GAP {file}: {note}")
        self.known.update(shared.known_calls)
        self.unknown.update({k: v for k, v in shared.unknown_calls.items() if k.startswith(FRAMEWORKS)})
        for problem in shared.problems.values():
            if problem.level in (Level.ERROR, Level.WARNING):
                blocking = problem.level == Level.ERROR and problem.certain
                genuine = blocking and (file.name, problem.site.line) in PLACES
                self.genuine += genuine
                self.errors += blocking and not genuine
                sure = "genuine" if genuine else "certain" if problem.certain else "possible"
                print(f"{problem.level} {sure} {file}:{problem.site.line} {problem.rule} {problem.message}")
        print(f"{file.name}: {self.seconds[-1]:.1f} s, {shared.steps} steps", file=sys.stderr)


def main() -> int:
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--most", type=int, default=10_000, help="most files of one folder")
    parser.add_argument("--every", type=int, default=1, help="take every K-th file")
    parser.add_argument("--seconds", type=int, default=120, help="deadline of one file")
    arguments = parser.parse_args()
    total = crashes = slow = errors = genuine = 0
    for folder in arguments.folders:
        tally = Tally()
        for file in files(folder)[:: arguments.every][: arguments.most]:
            tally.add(file, arguments.seconds)
        calls = sum(tally.known.values()) + sum(tally.unknown.values())
        middle = sorted(tally.seconds)[len(tally.seconds) // 2] if tally.seconds else 0.0
        print(
            f"{folder}: {len(tally.seconds)} files, {calls} calls, {tally.share:.1%} understood, "
            f"{tally.errors} errors, {tally.genuine} confirmed defects, processor time median {middle:.2f} s, longest "
            f"{max(tally.seconds, default=0):.2f} s"
        )
        print("  above three seconds for a thousand lines:", ", ".join(tally.over) or "none")
        print("  not understood:", ", ".join(f"{n} ({c})" for n, c in tally.unknown.most_common(15)))
        total += len(tally.seconds)
        crashes, errors, genuine = crashes + tally.crashes, errors + tally.errors, genuine + tally.genuine
        slow += tally.slow + len(tally.over)
    print(f"{total} files, {crashes} crashes, {slow} too slow, {errors} false errors, {genuine} confirmed defects")
    return 1 if crashes or errors or slow else 0


if __name__ == "__main__":
    sys.exit(main())
