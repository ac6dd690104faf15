"""`assay init`: what can be checked in this repository, and the files that make it so."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from analyzer.commands.folders import refuse_links
from analyzer.configuration.config import Config
from analyzer.loading.formats import GRAPHS, detect
from analyzer.problem import UsageProblem
from analyzer.rendering.markdown_text import clean
from analyzer.running.aside import read_aside
from analyzer.selecting.example_calls import ExampleCall, examples_by_model, with_own_name, written
from analyzer.selecting.inferred_inputs import inferred_calls
from analyzer.selecting.keras_models import keras_models
from analyzer.selecting.keras_steps import Batch, own_steps
from analyzer.selecting.missing_packages import Missing, missing_packages
from analyzer.selecting.model_code import ModelClass, read_model_code, runs_when_imported
from analyzer.selecting.targets import discover
from analyzer.tracing.programs.accepted_inputs import accepted, refusal

CONFIGURATION, ENTRIES, WORKFLOW = ".assay.yml", "assay_models.py", ".github/workflows/assay.yml"
ACTIVE = 8  # examples that become targets at once: each is exported, which takes seconds; the others stay commented out
GUARD = 'put what runs under `if __name__ == "__main__":`, and the models can be checked'
SHOWN = 12  # names of a kind on one screen


@dataclass(frozen=True, slots=True)
class Found:
    """What a repository holds that Assay can check."""

    models: tuple[str, ...]  # files with a graph
    weights: tuple[str, ...]  # checkpoints without one
    calls: tuple[ExampleCall, ...]
    built: tuple[ExampleCall, ...]  # Keras models, which know their inputs
    inferred: tuple[ExampleCall, ...]  # no example calls them; what their layers take is known
    losses: tuple[ExampleCall, ...]  # of what trains these
    uncalled: tuple[ModelClass, ...]  # classes that can be made without arguments, and that no example calls
    scripts: tuple[str, ...]
    files: int  # Python files read
    others: tuple[ModelClass, ...] = ()  # classes whose constructor needs arguments that no example gives
    running: tuple[str, ...] = ()  # files of models that cannot be imported: more than definitions runs then

    @property
    def entries(self) -> tuple[ExampleCall, ...]:
        """What may become an entry point, the surest first."""
        return (*self.calls, *self.built, *self.inferred, *self.losses)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="write the files without asking")
    parser.add_argument("--no-workflow", action="store_true", help=f"leave {WORKFLOW} alone")


def run(args: argparse.Namespace, console: Console) -> int:
    """0: written, or shown; 2: a configuration stands there already, or nothing can be checked."""
    root = Path.cwd()
    if (root / CONFIGURATION).exists():
        raise UsageProblem(f"{CONFIGURATION} exists already; edit it, or remove it and run `assay init` again.")

    def search() -> Any:
        found = look(root)
        return {
            "rows": _rows(found),
            "texts": planned(found, root),
            "files": found.files,
            "next": _next(found, root),
            "others": [f"{c.name} ({c.path}:{c.line})" for c in found.others],
        }

    seen = read_aside(search, [root])  # files of strangers are parsed on the way
    _show(seen["rows"], console)
    if not any(names for _, names in seen["rows"]):
        raise UsageProblem(_nothing(seen["files"], seen["others"]))
    texts = {name: str(seen["texts"][name]) for name in (CONFIGURATION, ENTRIES) if name in seen["texts"]}
    if not args.no_workflow and not (root / WORKFLOW).exists():
        texts[WORKFLOW] = _workflow()
    names = ", ".join(texts)
    if not args.yes:
        if not sys.stdin.isatty():
            console.print(Text(f"Nothing was written. `assay init --yes` writes {names}."))
            return 0
        if input(f"Write {names}? [y/N] ").strip().lower() not in ("y", "yes"):
            return 0
    for name in texts:
        refuse_links("init", root / name)
    for name, text in texts.items():
        try:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageProblem(f"{name} cannot be written here ({error.strerror}); make the folder writable.") from None
    console.print(Text(f"Wrote {names}."))
    for line in seen["next"]:
        console.print(Text(str(line)), style="bold", soft_wrap=True)
    return 0


def _nothing(files: int, others: list[str]) -> str:
    if not others:
        return (
            f"nothing here can be checked: no model file, and none of {files} Python files defines a model; "
            "run this in the root of a repository that holds one."
        )
    needs, them = ("needs", "it") if len(others) == 1 else ("need", "them")
    return (
        f"no model here can be made without knowing more: {clean(_some(others), 300)} {needs} arguments, and no "
        f"example, test or README calls {them}; write a function without arguments that gives a model and example "
        "inputs, and name it in .assay.yml (`entry: file.py:function`), or run `assay trace .`, which reads the source "
        "alone."
    )


def _next(found: Found, root: Path) -> list[str]:
    """What to type now: what the entry points need and this environment lacks comes first."""
    calls = [call for call in found.entries if not call.fails]
    if not (calls or found.models or found.weights):
        return ["Next: assay trace .   (reads the source for shape errors; nothing is run)"]
    commands = []
    own = missing_packages(root) if calls else Missing("", ())
    if own.names:
        commands.append(f"{own.command}   (not installed here, and the project names it: {_some(list(own.names))})")
    needed = {"torch": "torch", "keras": "tensorflow"}
    extras = sorted(name for name in {needed[c.model.framework] for c in calls[:ACTIVE]} if find_spec(name) is None)
    if extras:
        commands.append(
            f"pip install 'assay-action[{','.join(extras)}]'   (the entry points run where their packages are)"
        )
    check = "assay check"
    if not (found.models or found.weights or any(c.certain for c in calls)):
        check += f" {ENTRIES}:{calls[0].name}   (its inputs are a guess: where they do not fit, correct them there)"
    return [f"{'then' if at else 'Next'}: {command}" for at, command in enumerate([*commands, check])]


def look(root: Path) -> Found:
    """Search the repository at `root`. Model files are told by content, Python is read as text."""
    code = read_model_code(root)
    examples = [_fitting(some, root) if at < ACTIVE else some[:1] for at, some in enumerate(examples_by_model(code))]
    taken: set[str] = set()
    calls = tuple(with_own_name(call, taken) for some in examples for call in some)
    names = frozenset(taken)
    built = tuple(_judged(call, root) for call in keras_models(code, names))
    called = {call.model.name for call in calls}
    inferred = tuple(
        fitted
        for call in inferred_calls(code, frozenset(called), names | {call.name for call in built})
        if (fitted := _fitted(call, root)) is not None
    )
    called |= {call.model.name for call in inferred}
    taken |= {call.name for call in (*built, *inferred)}
    losses = tuple(loss for call in (*built, *inferred) if (loss := _loss(call, root, taken)) is not None)
    losses += tuple(step for batches in own_steps(code) if (step := _step(batches, root, taken)) is not None)
    torch = dict.fromkeys(c.path for c in code.classes if c.framework == "torch")
    running = {s.path for s in code.sources if s.file is None and s.path in torch and runs_when_imported(s.tree)}
    kinds = {t.path: detect(root / t.path) for t in discover(root, Config()) if t.path}
    return Found(
        tuple(path for path, kind in kinds.items() if kind in GRAPHS),
        tuple(path for path, kind in kinds.items() if kind not in GRAPHS),
        calls,
        built,
        inferred,
        losses,
        tuple(
            c
            for c in code.classes
            if not (c.required or c.abstract or c.name in called or c.name.startswith("_")) and c.path not in running
        ),
        code.scripts,
        code.files,
        tuple(c for c in code.classes if c.required and c.name not in called),
        tuple(path for path in torch if path in running and path not in {call.path for call in calls}),
    )


def _fitting(examples: Sequence[ExampleCall], root: Path) -> list[ExampleCall]:
    """The first example of a model that fits it as it is now, behind those that do not."""
    found: list[ExampleCall] = []
    for call in examples:
        found.append(_judged(call, root))
        if not found[-1].fails:
            break
    return found


def _judged(call: ExampleCall, root: Path) -> ExampleCall:
    """An example, with the reason where it does not fit the model as it is now: no target then, it would block."""
    why = refusal(written([call]), call.name, ENTRIES, root)
    return call if why is None else replace(call, certain=False, fails=why)


def _fitted(call: ExampleCall, root: Path) -> ExampleCall | None:
    """`call` with the first of its inputs that the model takes, as far as tracing follows it; None for no such."""
    found = _first_accepted(call, call.told, root)
    if found is None:
        found = _first_accepted(call, call.tried, root)
        if found is None or _first_accepted(call, (call.control,), root) is not None:
            return None
    return found


def _loss(call: ExampleCall, root: Path, taken: set[str]) -> ExampleCall | None:
    """The loss that the model of `call` is trained with, on the inputs that were found."""
    model = replace(call.model, name=f"the loss of {call.model.name}", line=call.loop)
    named = with_own_name(replace(call, name=f"{call.name}_loss", model=model, line=call.loop), taken)
    found = _first_accepted(named, call.losses[call.body], root) if call.losses.get(call.body) else None
    return found and replace(found, body=call.calling.get(found.body, found.body))


def _step(batches: Sequence[Batch], root: Path, taken: set[str]) -> ExampleCall | None:
    """A model's own training step with the first of its batches that tracing does not refuse."""
    fitting = (batch.entry for batch in batches if not _judged(batch.call, root).fails)
    return next((with_own_name(entry, taken) for entry in fitting), None)


def _first_accepted(call: ExampleCall, bodies: Sequence[tuple[str, ...]], root: Path) -> ExampleCall | None:
    variants = [replace(call, body=body) for body in bodies]
    texts = {written([variant]): variant for variant in variants}
    found = accepted(tuple(texts), call.name, ENTRIES, root)
    return None if found is None else replace(texts[found.text], certain=found.certain)


def planned(found: Found, root: Path) -> dict[str, str]:
    """Paths and texts of the files to write but the workflow; what exists already stays as it is."""
    texts = {CONFIGURATION: configuration(found, requirements=(root / "requirements.txt").is_file())}
    calls = [call for call in found.entries if not call.fails]
    if calls and not (root / ENTRIES).exists():
        texts[ENTRIES] = written(calls)
    return texts


def configuration(found: Found, *, requirements: bool) -> str:
    lines = ["# Made by `assay init`. Every setting: `docs/configuration.md` of Assay.", "version: 1"]
    if requirements:
        lines += ["# what your models import, installed where they are exported", "environment:"]
        lines += ["  requirements: requirements.txt"]
    for title, paths in (("model files are found by their content", found.models), ("so are weights", found.weights)):
        if paths:
            lines.append(f"# {title}: {_some([_word(p) for p in paths])}")
    if found.scripts:
        lines.append(f"# changed Python files are traced by themselves: {_some([_word(p) for p in found.scripts])}")
    calls = found.entries
    known, guessed = [c for c in calls if c.certain], [c for c in calls if not (c.certain or c.fails)]
    if known:
        lines += ["targets:"]
    for number, call in enumerate(known):
        if number == ACTIVE:
            lines.append("  # more examples; each takes some seconds")
        said = "; inputs of sizes that its layers take" if call.inferred else f", as in {_word(call.path)}"
        lines.append(
            f"  {'' if number < ACTIVE else '# '}- entry: {ENTRIES}:{call.name}  # {_word(call.model.name)}{said}"
        )
    if guessed:
        lines += [] if known else ["# targets:"]
        lines.append(f"  # their inputs are guesses: correct them in {ENTRIES}, then take the `#` away")
    for call in guessed:
        lines.append(f"  # - entry: {ENTRIES}:{call.name}  # {_word(call.model.name)}")
    for call in (c for c in calls if c.fails):
        lines.append(f"  # the example {_word(call.path)}:{call.line} fails as it is written: {_word(call.fails)}")
    for model in found.uncalled[:SHOWN]:
        lines.append(f"  # - entry: {_word(model.path)}:{model.name}  # no example calls it: give its inputs")
        inputs = ", ".join(f"{_word(name)}: {{shape: [SIZES]}}" for name in model.inputs or ("x",))
        lines.append(f"  #   inputs: {{{inputs}}}")
    return "\n".join(lines) + "\n"


def _word(text: str) -> str:
    """A name of the repository inside a comment of YAML: on one line."""
    return clean(text, 200).replace("\n", " ")


def _some(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _workflow() -> str:
    packaged = Path(str(resources("analyzer"))) / "workflows" / "review.yml"
    here = Path(str(resources("analyzer"))).parent / "docs" / "workflows" / "review.yml"
    return (packaged if packaged.is_file() else here).read_text(encoding="utf-8")


def _rows(found: Found) -> list[tuple[str, list[str]]]:
    """What was found, by kind, under the words for so many of it."""
    rows = [
        ("model file", "model files", list(found.models)),
        ("file of weights", "files of weights", list(found.weights)),
        (
            "example that calls a model",
            "examples that call a model",
            [f"{c.model.name} ({c.path}:{c.line})" for c in found.calls if not c.fails],
        ),
        (
            "example that fails as it is written",
            "examples that fail as they are written",
            [f"{c.model.name} ({c.path}:{c.line}): {c.fails}" for c in (*found.calls, *found.built) if c.fails],
        ),
        (
            "Keras model that knows its inputs",
            "Keras models that know their inputs",
            [f"{c.model.name} ({c.path}:{c.line})" for c in found.built if not c.fails],
        ),
        (
            "model whose layers tell its inputs",
            "models whose layers tell their inputs",
            [f"{c.model.name} ({c.path}:{c.line})" for c in found.inferred],
        ),
        (
            "loss that training uses",
            "losses that training uses",
            [f"{c.model.name} ({c.path}:{c.line})" for c in found.losses],
        ),
        (
            "model that no example calls",
            "models that no example calls",
            [f"{c.name} ({c.path}:{c.line})" for c in found.uncalled],
        ),
        ("training script", "training scripts", list(found.scripts)),
        (
            f"file that runs when it is imported: {GUARD}",
            f"files that run when they are imported: {GUARD}",
            list(found.running),
        ),
    ]
    return [(one if len(names) == 1 else many, names) for one, many, names in rows]


def _show(rows: list[tuple[str, list[str]]], console: Console) -> None:
    for title, names in rows:
        if not names:
            continue
        console.print(Text(f"{len(names)} {title}", style="bold"))
        for name in names[:SHOWN]:
            console.print(Text(f"  {clean(name, 200)}"), soft_wrap=True)
        if len(names) > SHOWN:
            console.print(Text(f"  and {len(names) - SHOWN} more", style="dim"))
