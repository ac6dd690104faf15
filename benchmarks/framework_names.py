"""Names and arguments of frameworks in other people's code: what is reported of packages, by installed versions.

    python benchmarks/framework_names.py transformers keras scipy torch tensorflow

Everything is checked as if the repository pinned exactly what is installed, so each certain finding is either a mistake
in that package or a false alarm; all are printed to be judged by hand. A second pass without any version counts the
findings that are only possible.
"""

from __future__ import annotations

import argparse
import ast
import sysconfig
import warnings
from collections import Counter
from importlib import metadata
from pathlib import Path

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.checkers.framework_api import check_framework_names

PACKAGES = {"torch": "torch", "tensorflow": "tensorflow_cpu", "keras": "keras", "numpy": "numpy"}


def installed() -> Versions:
    """The versions of this environment, as pins."""
    found = {}
    for name, package in PACKAGES.items():
        text = metadata.version(package).partition("+")[0]
        found[name] = tuple(int(part) for part in text.split(".")[:3])
    return Versions(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", SyntaxWarning)
    root = Path(sysconfig.get_paths()["purelib"])
    pinned, files, counts = installed(), 0, Counter[str]()
    for package in arguments.packages:
        for file in sorted((root / package).rglob("*.py")):
            try:
                tree = ast.parse(file.read_bytes())
            except (SyntaxError, ValueError):
                continue
            files += 1
            name = file.relative_to(root).as_posix()
            for problem in check_framework_names(tree, name, pinned):
                counts["certain" if problem.certain else "possible"] += 1
                if problem.certain:
                    print(f"{name}:{problem.site.line} {problem.rule} {problem.message}")
            counts["possible without a version"] += len(list(check_framework_names(tree, name, Versions())))
    print(f"{files} files: {dict(counts)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
