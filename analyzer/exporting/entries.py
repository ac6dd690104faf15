"""Entry points that a Python file seems to offer, read from its text. Conservative: nothing here decides to run code.

An entry point is run only when the configuration or the command line names it; what this finds is offered to people.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

MAX_SIZE = 4 << 20  # bytes of a source that is parsed
_FACTORY = re.compile(
    r"^(build|make|create|get|define|construct)(_\w*)?_?(model|net|network|module|graph|loss)$|^(build|make|create)$"
)
_FRAMEWORKS = frozenset({"torch", "keras", "tf_keras", "tensorflow", "transformers", "torchvision", "timm"})
_BUILDERS = re.compile(
    r"^(torch\.nn\.[A-Z]\w*|(tf_keras|keras|tensorflow\.keras|keras\.models|tensorflow\.keras\.models)\.(Model|Sequential)"
    r"|(keras|tensorflow\.keras)\.(models|applications)\.\w+|torchvision\.models\.\w+|timm\.create_model"
    r"|transformers\.[A-Z]\w*Model\w*)$"
)


def find_entries(path: Path) -> tuple[str, ...]:
    """Names in the file that give a model without arguments, in the order of the file.

    Those are factory functions (``build_model``) without required arguments in a file that imports a framework, and
    module-level objects made by calling a model class of a framework, or a class of the file derived from one.
    A file that does not parse offers none.
    """
    try:
        if path.stat().st_size > MAX_SIZE:
            return ()
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    aliases = _aliases(tree.body)
    if not _FRAMEWORKS.intersection(name.split(".")[0] for name in aliases.values()):
        return ()
    own = _own_models(tree.body, aliases)
    found = []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            if _FACTORY.match(statement.name) and not _required(statement.args) and _returns(statement):
                found.append(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Call):
            name = _dotted(statement.value.func, aliases)
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if (_BUILDERS.match(name) or name in own) and len(targets) == 1 and isinstance(targets[0], ast.Name):
                found.append(targets[0].id)
    return tuple(dict.fromkeys(found))


def _aliases(body: Iterable[ast.stmt]) -> dict[str, str]:
    """Local name -> full dotted name, of the imports at module level."""
    names: dict[str, str] = {}
    for statement in body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                names[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            for alias in statement.names:
                names[alias.asname or alias.name] = f"{statement.module}.{alias.name}"
    return names


def _dotted(node: ast.expr, aliases: Mapping[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([aliases.get(node.id, node.id), *reversed(parts)])


def _own_models(body: Iterable[ast.stmt], aliases: Mapping[str, str]) -> frozenset[str]:
    """Classes of the file that derive from a model class and need no arguments."""
    bases = re.compile(
        r"^(torch\.nn\.Module|(tf_keras|keras|tensorflow\.keras)\.(models\.)?(Model|Sequential)|tensorflow\.Module)$"
    )
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            names = {_dotted(base, aliases) for base in statement.bases}
            if names & found or any(bases.match(name) for name in names):
                found.add(statement.name)
    return frozenset(found)


def _required(arguments: ast.arguments) -> bool:
    positional = [*arguments.posonlyargs, *arguments.args]
    keyword = [default for default in arguments.kw_defaults if default is None]
    return len(positional) > len(arguments.defaults) or bool(keyword)


def _returns(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function))
