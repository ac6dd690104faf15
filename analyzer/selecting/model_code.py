"""What Python source in a repository defines models, calls them and trains them. Read as text, never imported."""

from __future__ import annotations

import ast
import doctest
import re
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from analyzer.loading.search import SKIPPED, is_built_copy

LARGEST = 1_000_000  # bytes; a longer source is generated, and nobody's example
_BASES = {
    "Module": "torch", "LightningModule": "torch", "Sequential": "torch", "PreTrainedModel": "torch",
    "Model": "keras", "Layer": "keras", "Functional": "keras",
}  # fmt: skip
_TRAINS = {"backward", "fit", "train_on_batch", "apply_gradients", "minimize"}
_STARTS = {"run", "main", "Fire", "launch", "start", "evaluate", "predict", "show"}  # what a script ends with


@dataclass(frozen=True, slots=True)
class ModelClass:
    """A class that builds a model. `required` are the arguments of its constructor that have no default."""

    name: str
    path: str  # relative to the repository
    line: int
    framework: str  # torch or keras
    required: tuple[str, ...]
    inputs: tuple[str, ...] = ()  # the arguments of its own `forward` or `call` that have no default
    abstract: bool = False  # made to be inherited from: by its base, its decorators or its name


@dataclass(frozen=True, slots=True)
class Source:
    """A piece of Python: a file, a fenced block of a Markdown page, or an example in a docstring.

    `line` is that of its first line, from 1; `file` is the module whose docstring it stands in, whose names it sees.
    """

    path: str
    line: int
    tree: ast.Module
    file: ast.Module | None = None


@dataclass(frozen=True, slots=True)
class ModelCode:
    classes: tuple[ModelClass, ...]
    sources: tuple[Source, ...]  # where models may be used: every file and every fenced block
    scripts: tuple[str, ...]  # files that train when they are run
    files: int  # Python files that were read


def read_model_code(root: Path) -> ModelCode:
    """Everything below `root`; what cannot be read or parsed is left out."""
    files = [
        source
        for path in _files(root, ".py")
        if (text := _text(path)) is not None and (source := _parsed(text, path.relative_to(root).as_posix(), 1))
    ]
    blocks = [
        source
        for ending in (".md", ".rst")
        for path in _files(root, ending)
        for source in _blocks(_text(path) or "", path.relative_to(root).as_posix())
    ]
    shown = [example for source in files for example in _docstring_examples(source)]
    return ModelCode(
        tuple(_classes(files)), (*blocks, *files, *shown), tuple(s.path for s in files if _trains(s.tree)), len(files)
    )


def _files(root: Path, ending: str) -> Iterator[Path]:
    for path in sorted(root.rglob(f"*{ending}")):
        inside = path.relative_to(root)
        hidden = any(part in SKIPPED or part.startswith(".") for part in inside.parts[:-1])
        if not (hidden or is_built_copy(inside)) and path.is_file() and not path.is_symlink():
            yield path


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8") if path.stat().st_size <= LARGEST else None
    except (OSError, UnicodeDecodeError):
        return None


def _parsed(text: str, path: str, line: int) -> Source | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # escapes in strings that Python warns about
            return Source(path, line, ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):
        return None


_FENCE = re.compile(r"^```(?:python|py)\b[^\n]*\n(?P<code>.*?)^```", re.MULTILINE | re.DOTALL | re.IGNORECASE)


# A directive of reStructuredText: its options, then lines that are indented further.
_DIRECTIVE = re.compile(
    r"^([ ]*)\.\. (?:code-block|code|sourcecode)::[ ]*(?:python3?|py|pycon)[ ]*\n(?:\1[ ]+:[^\n]*\n)*"
    r"(?P<code>(?:\1[ ]+[^\n]*(?:\n|\Z)|[ ]*\n)+)",
    re.MULTILINE,
)


def _blocks(text: str, path: str) -> Iterator[Source]:
    """The blocks of Python on a page of Markdown or reStructuredText, with or without prompts."""
    for found in (*_FENCE.finditer(text), *_DIRECTIVE.finditer(text)):
        code = textwrap.dedent(found["code"])
        if re.match(r"\s*>>> ", code):
            code = _without_prompts(code)
        source = _parsed(code, path, text.count("\n", 0, found.start("code")) + 1)
        if source is not None:
            yield source


def _without_prompts(text: str) -> str:
    """The statements of an interactive session, each in the line in which it stands."""
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:  # prompts that are no doctest
        return ""
    lines = [""] * (text.count("\n") + 1)
    for example in examples:
        source = example.source.splitlines()
        lines[example.lineno : example.lineno + len(source)] = source
    return "\n".join(lines)


def _docstring_examples(source: Source) -> Iterator[Source]:
    """The doctests and fenced blocks in the docstrings of a file."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        text = ast.get_docstring(node)
        if text is None or not (">>>" in text or "```" in text):
            continue
        line = node.body[0].lineno
        pieces = [_without_prompts(text), *(found["code"] for found in _FENCE.finditer(text))]
        for piece in pieces:
            parsed = _parsed(piece, source.path, line) if piece.strip() else None
            if parsed is not None:
                yield replace(parsed, file=source.tree)


def _classes(files: list[Source]) -> Iterator[ModelClass]:
    """Classes whose bases end, by names, in a framework's; a base of the repository counts wherever it is defined."""
    defined = [(source, node) for source in files for node in source.tree.body if isinstance(node, ast.ClassDef)]
    frameworks: dict[str, str] = {}
    while True:
        known = len(frameworks)
        for source, node in defined:
            if node.name in frameworks:
                continue
            for base in node.bases:
                dotted = ast.unparse(base)
                last = dotted.rpartition(".")[2]
                framework = frameworks.get(last) or (_BASES.get(last) if _is_framework(dotted, source.tree) else None)
                if framework:
                    frameworks[node.name] = framework
        if len(frameworks) == known:
            break
    for source, node in defined:
        if node.name in frameworks:
            framework = frameworks[node.name]
            yield ModelClass(
                node.name, source.path, node.lineno, framework, required_arguments(node),
                required_arguments(node, "forward" if framework == "torch" else "call"), _is_abstract(node),
            )  # fmt: skip


def _is_framework(dotted: str, tree: ast.Module) -> bool:
    homes = ("torch", "keras", "tensorflow", "pytorch_lightning", "lightning", "transformers")
    return dotted.partition(".")[0] in framework_names(tree, homes)


def framework_names(tree: ast.Module, homes: tuple[str, ...]) -> frozenset[str]:
    """The names that imports of the packages `homes` bind in a file."""
    return frozenset(
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).partition(".")[0] in homes
    )


def _is_abstract(node: ast.ClassDef) -> bool:
    words = [ast.unparse(base) for base in (*node.bases, *(k.value for k in node.keywords))]
    words += [ast.unparse(d) for n in node.body if isinstance(n, ast.FunctionDef) for d in n.decorator_list]
    marked = any(word.rpartition(".")[2] in ("ABC", "ABCMeta", "Protocol", "abstractmethod") for word in words)
    return marked or node.name.lstrip("_").startswith("Abstract")


def required_arguments(node: ast.ClassDef, method: str = "__init__") -> tuple[str, ...]:
    """Arguments of a method of a class, by default of the constructor, that have no default."""
    made = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == method), None)
    if made is None:
        return ()
    given = made.args
    positional = [a.arg for a in (*given.posonlyargs, *given.args)][1:]
    without = positional[: len(positional) - len(given.defaults)]
    keywords = [a.arg for a, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return (*without, *keywords)


def _trains(tree: ast.Module) -> bool:
    """Whether a script: something runs when the file does, and somewhere in it a step of training is taken."""
    runs = any(isinstance(node, ast.If | ast.For | ast.Expr) and _has_call(node) for node in tree.body)
    return runs and any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _TRAINS
        for node in ast.walk(tree)
    )


def runs_when_imported(tree: ast.Module) -> bool:
    """Whether importing the file does more than define: it loops, trains, or calls a function of its own."""
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.For | ast.While | ast.With):
            return True
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Name) and called.id in own:
                return True
            if isinstance(called, ast.Attribute) and called.attr in _TRAINS | _STARTS:
                return True
    return False


def _has_call(node: ast.stmt) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))
