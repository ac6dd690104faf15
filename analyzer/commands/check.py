"""`assay check`: its arguments, and what they choose. `checking` runs the analyses, which take longer to load."""

from __future__ import annotations

import argparse
import glob
import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from analyzer.commands.output import add_format
from analyzer.configuration.config import Config, TargetConfig
from analyzer.configuration.reader import DEFAULT_NAME, read_config
from analyzer.findings import FailOn
from analyzer.problem import TargetProblem, UsageProblem
from analyzer.running.aside import read_aside
from analyzer.running.keys import keys_of
from analyzer.running.outcome import Keys
from analyzer.selecting.changed_sources import changed_sources
from analyzer.selecting.model_code import read_model_code
from analyzer.selecting.revisions import Revisions
from analyzer.selecting.targets import Selection, select
from analyzer.walls.choice import add_sandbox

RUN = "analyzer.commands.checking"
ANALYSES = ("numerical", "validity", "differential", "tracing")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="TARGET",
        help="a model file, a folder, path/to/file.py:callable, a .py file, or a configured id "
        "(default: what .assay.yml names, else what is found)",
    )
    parser.add_argument("--config", metavar="FILE", help="the configuration (default: .assay.yml when it exists)")
    parser.add_argument("--base", metavar="REV", help="compare with this git revision: only what is new counts")
    parser.add_argument("--out", metavar="DIR", default="assay-report", help="where the report goes")
    parser.add_argument("--only", metavar="LIST", help=f"analyses to run: {','.join(ANALYSES)}")
    parser.add_argument(
        "--fail-on", choices=("never", "confirmed", "possible"), help="what blocks (default: confirmed)"
    )
    add_sandbox(parser)
    parser.add_argument("--exports", metavar="DIR", help="graphs that `assay export` has made; used before any export")
    parser.add_argument("--cache", metavar="DIR", help="keep results here and reuse them while nothing changes")
    parser.add_argument("--jobs", type=int, default=0, metavar="N", help="targets at once (default: one a core)")
    parser.add_argument("--no-report", action="store_true", help="print only; write nothing")
    add_format(parser)


def chosen_targets(arguments: Sequence[str], config: Config, root: Path, base: Path | None) -> tuple[Selection, Keys]:
    """The targets, and what their outcomes depend on: found in a child process, for it parses what it looks through."""

    def look() -> Any:
        selection = select(arguments, config, root)
        if base is not None and not arguments:
            selection = _with_sources(selection, root, base, config)
        if base is None and not selection.targets:
            raise TargetProblem(_nothing(root, selection))
        known = {id(target): number for number, target in enumerate(config.targets)}
        sides = {"head": root} | ({"base": base} if base is not None else {})
        keys = keys_of(selection.targets, config, sides)
        return {
            "targets": [known.get(id(t), {"id": t.id, "path": t.path, "entry": t.entry}) for t in selection.targets],
            "notes": list(selection.notes),
            "keys": [[side, identity, *pair] for (side, identity), pair in keys.items()],
        }

    outside = [Path(name.partition(".py:")[0]).absolute().parent for name in arguments]
    found = read_aside(look, [root, *([base] if base is not None else []), *(p for p in outside if p.is_dir())])
    targets = (config.targets[item] if isinstance(item, int) else TargetConfig(**item) for item in found["targets"])
    keys = {(side, identity): (key, entry) for side, identity, key, entry in found["keys"]}
    return Selection(tuple(targets), tuple(found["notes"])), keys


def _with_sources(selection: Selection, root: Path, base: Path, config: Config) -> Selection:
    """Changed Python files that build models are traced besides the models."""
    sources = changed_sources(root, base, config, selection.targets)
    notes = sources.notes if sources.targets and not selection.targets else (*selection.notes, *sources.notes)
    return Selection((*selection.targets, *sources.targets), notes)


def _nothing(root: Path, selection: Selection) -> str:
    """What stands here instead of a model, what of it can be checked, and the command for it."""
    code = read_model_code(root)
    sentences = list(selection.notes) or ["No target is left to check."]
    if code.classes:
        named = ", ".join(f"{c.name} ({c.path}:{c.line})" for c in code.classes[:3])
        more = f" and {len(code.classes) - 3} more" if len(code.classes) > 3 else ""
        files = len({c.path for c in code.classes})
        sentences.append(
            f"But {files} Python {'file defines' if files == 1 else 'files define'} models: {named}{more}."
        )
        entries = (
            f"Name a function that makes one in {DEFAULT_NAME} (`entry: file.py:function`)"
            if (root / DEFAULT_NAME).exists()
            else "`assay init` makes entry points of those that an example calls or that take no arguments"
        )
        sentences.append(f"{entries}; `assay trace .` reads the source of all for shape errors.")
    elif code.scripts:
        sentences.append(f"But {code.scripts[0]} trains one: `assay trace {code.scripts[0]}` reads it.")
    else:
        below = sorted(path.relative_to(root) for path in root.rglob("*.ipynb"))
        found = [path for path in below if not any(part.startswith(".") for part in path.parts)]
        if found and not code.files:
            others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            sentences.append(
                f"Assay does not read notebooks such as {found[0]}{others}: put the model's code into a .py file, or "
                "export the model to ONNX."
            )
        else:
            sentences.append(f"Of {code.files} Python files none defines a model.")
        sentences.append("So nothing was checked.")
    return "\n".join(sentences)


def configuration(args: argparse.Namespace, root: Path) -> Config:
    default = root / DEFAULT_NAME
    config = Config()
    if args.config or default.is_file():
        config = read_config(Path(args.config) if args.config else default, name=args.config)
    if args.only is not None:
        chosen = tuple(part.strip() for part in args.only.split(",") if part.strip())
        unknown = [part for part in chosen if part not in ANALYSES]
        if unknown or not chosen:
            raise UsageProblem(f"--only {args.only}: choose from {', '.join(ANALYSES)}, separated by commas.")
        config = replace(config, only=chosen)
    if args.fail_on:
        config = replace(config, fail_on=FailOn(args.fail_on))
    return replace(config, exclude=(*config.exclude, *_own_folders(args, root)))


def _own_folders(args: argparse.Namespace, root: Path) -> list[str]:
    """Globs of what Assay itself writes below `root`: graphs and reproducers of an earlier run are no targets."""
    named = [root / name for name in (args.out, args.cache, args.exports) if name]
    below = [Path(os.path.abspath(path)) for path in named]
    return [glob.escape(path.relative_to(root).as_posix()) for path in below if path != root and root in path.parents]


def base_tree(revision: str | None, root: Path, stack: ExitStack) -> tuple[Path, str] | None:
    if revision is None:
        return None

    revisions = Revisions(root)
    commit = revisions.resolve(revision)
    if commit is None:
        raise UsageProblem(f"--base {revision}: no such commit here; fetch it, or run inside a git repository.")
    folder = Path(stack.enter_context(temporary()))
    revisions.export(commit, folder)
    return folder / revisions.prefix(), commit


def temporary() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="assay-")
