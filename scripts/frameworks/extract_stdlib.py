"""Extract what the standard library's functions and methods return, from the stubs that mypy carries (typeshed).

    python -m scripts.frameworks.extract_stdlib

Writes `analyzer/frameworks/api/python.json.gz`: module → name → type for functions and constants, module → class →
(bases, member → type). A function's type is written `-> str`, a property's or constant's `str`, one that may be None
`?str`. What is another union or depends on the arguments is left out. Run by maintainers; analysis reads the data file.
"""

from __future__ import annotations

import ast
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).parents[2] / "analyzer" / "frameworks" / "api" / "python.json.gz"
MODULES = (
    "argparse", "array", "ast", "asyncio", "atexit", "base64", "binascii", "builtins", "bz2", "calendar", "codecs",
    "collections", "concurrent.futures", "configparser", "contextlib", "copy", "csv", "ctypes", "dataclasses",
    "datetime", "decimal", "difflib", "email", "enum", "errno", "fnmatch", "fractions", "functools", "gc", "getpass",
    "glob", "gzip", "hashlib", "heapq", "hmac", "html", "http.client", "importlib", "importlib.metadata",
    "importlib.resources", "importlib.util", "inspect", "io", "json", "keyword", "linecache", "locale", "logging",
    "logging.handlers", "lzma", "marshal", "mimetypes", "multiprocessing", "numbers", "operator", "os", "os.path",
    "pathlib", "pickle", "pkgutil", "platform", "posixpath", "pprint", "queue", "random", "re", "resource", "runpy",
    "secrets", "select", "shelve", "shlex", "shutil", "signal", "site", "socket", "sqlite3", "ssl", "stat",
    "statistics", "string", "struct", "subprocess", "sys", "sysconfig", "tarfile", "tempfile", "textwrap", "threading",
    "time", "timeit", "token", "tokenize", "traceback", "types", "typing", "unicodedata", "unittest.mock",
    "urllib.error", "urllib.parse", "urllib.request", "uuid", "warnings", "weakref", "xml.etree.ElementTree",
    "zipfile", "zlib",
)  # fmt: skip
_GENERIC = {"Iterator", "Iterable", "Generator", "Sequence", "Collection", "List", "Set", "FrozenSet", "KeysView",
            "ValuesView", "Container"}  # fmt: skip
_VERSION, _PLATFORM = (3, 12), "linux"


class Stubs:
    """The stubs of typeshed below one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.trees: dict[str, list[ast.stmt]] = {}

    def body(self, module: str) -> list[ast.stmt]:
        if module not in self.trees:
            path = self.folder / module.replace(".", "/")
            file = next((f for f in (path / "__init__.pyi", path.with_suffix(".pyi")) if f.is_file()), None)
            self.trees[module] = list(chosen(ast.parse(file.read_text(encoding="utf-8")).body)) if file else []
        return self.trees[module]

    def home(self, module: str, name: str, depth: int = 6) -> tuple[str, str] | None:
        """The module that defines a name, and its name there."""
        for node in self.body(module):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
                return module, name
            if isinstance(node, ast.ImportFrom) and depth:
                source = node.module or "" if not node.level else f"{module.rpartition('.')[0]}.{node.module or ''}"
                for alias in node.names:
                    if alias.name == "*" or (alias.asname or alias.name) == name:
                        found = self.home(source, name if alias.name == "*" else alias.name, depth - 1)
                        if found is not None:
                            return found
        return None


def chosen(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of the branches that this version and platform take."""
    for node in body:
        if isinstance(node, ast.If):
            facts = {"sys": type("sys", (), {"version_info": _VERSION, "platform": _PLATFORM}), "TYPE_CHECKING": True}
            try:
                truth = bool(eval(compile(ast.Expression(node.test), "stub", "eval"), facts))
            except NameError:
                continue
            yield from chosen(node.body if truth else node.orelse)
        else:
            yield node


class Reader:
    """Types of one module, written as the data file has them."""

    def __init__(self, stubs: Stubs, module: str) -> None:
        self.stubs, self.module = stubs, module

    def written(self, node: ast.expr | None, owner: str = "") -> str:
        """The type, or an empty text where it is not one."""
        if node is None:
            return ""
        if isinstance(node, ast.Constant):
            return "None" if node.value is None else self._parsed(node.value, owner)
        if isinstance(node, ast.Attribute):
            return self.named(node.attr, ast.unparse(node.value), owner)
        if isinstance(node, ast.Name):
            return self.named(node.id, "", owner)
        if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value is None:
            inner = self.written(node.left, owner)
            return f"?{inner}" if inner and inner[0] != "?" and inner != "None" else ""
        if isinstance(node, ast.Subscript):
            base = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            if base in ("tuple", "Tuple"):
                if len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is ...:
                    return f"list[{self.written(parts[0], owner)}]"
                inner = [self.written(p, owner) for p in parts]
                return f"tuple[{','.join(inner)}]" if all(inner) else "tuple"
            if base == "list" or base in _GENERIC:
                inner = [self.written(parts[0], owner)]
                return f"list[{inner[0]}]" if inner[0] and base in ("list", "List") else (
                    f"iterable[{inner[0]}]" if inner[0] else "")  # fmt: skip
            if base in ("dict", "Dict"):
                return "dict"
            if base in ("set", "frozenset", "type", "Callable", "Literal", "Annotated", "Awaitable", "Coroutine"):
                return ""
            return self.written(node.value, owner)
        return ""

    def _parsed(self, text: object, owner: str) -> str:
        return self.written(ast.parse(text, mode="eval").body, owner) if isinstance(text, str) else ""

    def named(self, name: str, base: str, owner: str) -> str:
        if name == "Self":
            return name if owner else ""
        if name in ("str", "int", "float", "bool", "bytes", "None", "dict"):
            return name
        if name in ("AnyStr", "LiteralString"):
            return "str"
        if name in ("list", "tuple"):
            return name
        home = self.stubs.home(base if base in MODULES else self.module, name)
        if home is None or not any(isinstance(n, ast.ClassDef) and n.name == home[1] for n in self.stubs.body(home[0])):
            return ""
        return f"{home[0]}.{home[1]}"

    def returned(self, nodes: list[ast.FunctionDef | ast.AsyncFunctionDef], owner: str = "") -> str:
        """What all overloads of a function return."""
        found = {self.written(n.returns, owner) if isinstance(n, ast.FunctionDef) else "" for n in nodes}
        found -= {"bytes"} if "str" in found else set()  # the forms of a function on texts and on bytes
        if len(found) > 1 and all(kind.partition(".")[0] in ("io", "_io", "typing") for kind in found):
            return "typing.IO"  # by the mode of what is opened
        return found.pop() if len(found) == 1 else ""

    def members(self, body: list[ast.stmt], owner: str) -> dict[str, str]:
        functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        found: dict[str, str] = {}
        for node in chosen(body):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and not owner.endswith("Enum"):
                found[node.target.id] = self.written(node.annotation, owner)
        for name, nodes in functions.items():
            marks = {ast.unparse(d).rpartition(".")[2] for n in nodes for d in n.decorator_list}
            kind = self.returned(nodes, owner)
            if marks & {"property", "cached_property"} and kind:
                found[name] = kind
            elif kind and not marks & {"setter", "deleter"}:
                found[name] = f"-> {kind}"
        return {k: v for k, v in found.items() if v}


def extract(folder: Path) -> dict[str, dict[str, object]]:
    """Module → name → its type, or for a class its bases and members."""
    stubs = Stubs(folder)
    result: dict[str, dict[str, object]] = {}
    pending, done = list(MODULES), set()
    while pending:
        module = pending.pop(0)
        if module in done:
            continue
        done.add(module)
        reader, names = Reader(stubs, module), {}
        functions = [n for n in stubs.body(module) if not isinstance(n, ast.ClassDef)]
        names.update(reader.members(functions, ""))
        for node in stubs.body(module):
            if isinstance(node, ast.ClassDef):
                own = f"{module}.{node.name}" if module != "builtins" else node.name
                bases = [b for b in (reader.written(b, own) for b in node.bases) if b]
                names[node.name] = [bases, reader.members(node.body, own)]
            elif isinstance(node, ast.ImportFrom) and module in MODULES:
                source = node.module or ""
                if node.level:
                    package = module if _is_package(folder, module) else module.rpartition(".")[0]
                    source = f"{package}.{source}".strip(".")
                for alias in node.names:
                    if alias.name == "*":
                        names[f"* {source}"] = ""
                    elif alias.asname is not None or source.startswith("_") or module == "os.path":
                        names[alias.asname or alias.name] = f"= {source}.{alias.name}"
                if source.startswith("_") or source in ("posixpath", "genericpath") or node.level:
                    pending.append(source)
        result[module] = names
    return result


def _is_package(folder: Path, module: str) -> bool:
    return (folder / module.replace(".", "/") / "__init__.pyi").is_file()


def main() -> int:
    import mypy

    found = extract(Path(mypy.__file__).parent / "typeshed" / "stdlib")
    text = json.dumps(found, sort_keys=True, separators=(",", ":"))
    DATA.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{DATA.name}: {len(found)} modules, {len(text):,} characters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
