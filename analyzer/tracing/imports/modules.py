"""Imports: modules of the repository are traced, modules of libraries are names that the operator tables know."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from analyzer.tracing.imports.exports import refuse_missing
from analyzer.tracing.imports.kept_modules import follow_once, met_half_done, start_folder, taken
from analyzer.tracing.imports.lazy_modules import LazyScope, outline_of, provide
from analyzer.tracing.imports.libraries import MARK, folder_of, is_installed, is_large, shown
from analyzer.tracing.imports.library_index import defining, index_of
from analyzer.tracing.imports.module_files import MOST_BYTES, find_file, parse
from analyzer.tracing.imports.module_hooks import from_hook, is_hooked
from analyzer.tracing.imports.repository_files import place_in
from analyzer.tracing.imports.star_imports import taken_over
from analyzer.tracing.language.evaluation import run_block
from analyzer.tracing.language.own_paths import own_path
from analyzer.tracing.language.values import Api, Class, Function, ListV, Module, Scope, Value
from analyzer.tracing.operators import constant_of, public_names
from analyzer.tracing.operators.element_types import fact_of_type
from analyzer.tracing.operators.table import rules
from analyzer.tracing.paths.frames import Frame
from analyzer.tracing.paths.problems import PyRaise, ShapeFailure
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.uncaught import is_own_mistake

MOST_MODULES = 240  # of one file's imports that are followed

_ALIASES = (
    ("tensorflow.compat.v1.keras", "keras", "v1"),
    ("tensorflow.compat.v2.keras", "keras", ""),
    ("tensorflow.python.keras", "keras", ""),
    ("tensorflow.keras", "keras", ""),
    ("tensorflow.compat.v1", "tf", "v1"),
    ("tensorflow.compat.v2", "tf", ""),
    ("tensorflow.v1", "tf", "v1"),
    ("tensorflow", "tf", ""),
    ("tf_keras", "keras", ""),
    ("keras.api", "keras", ""),
    ("keras.src", "keras", ""),
    ("tf.compat.v1.keras", "keras", "v1"),
    ("tf.compat.v1", "tf", "v1"),
    ("tf.compat.v2", "tf", ""),
    ("tf.keras", "keras", ""),
    ("jax.numpy", "jax.numpy", ""),
    ("inspect._empty", "inspect.Parameter.empty", ""),
    ("inspect.Signature.empty", "inspect.Parameter.empty", ""),
)


_LAYOUTS = ("sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc")


@functools.lru_cache(maxsize=4096)
def canonical(name: str, variant: str = "") -> Api:
    """The one name under which tables know a library object."""
    for prefix, replacement, kind in _ALIASES:
        if name == prefix or name.startswith(prefix + "."):
            return Api(replacement + name[len(prefix) :], kind or variant)
    return Api(name, variant)


def api_attribute(tr: Tracer, value: Api, name: str, node: ast.AST | None) -> Value:
    last = value.name.rpartition(".")[2]
    if (own := tr.shared.set_on_libraries.items) and (found := own.get(canonical(f"{value.name}.{name}").name)):
        return found[0]
    if name in ("__name__", "__qualname__") and value.name.startswith("torch.nn.") and last[:1].isupper():
        return last  # of a class of layers
    result = canonical(f"{value.name}.{name}", value.variant)
    tr.sparse = tr.sparse or (value.name.startswith("torch") and "sparse" in name and name not in _LAYOUTS)
    if name == "newaxis":  # in whatever library that has NumPy's functions
        return None
    of_type = fact_of_type(value, name)
    if of_type is not None:
        return of_type
    found = constant_of(tr, result)
    return result if found is None else found


def submodule(tr: Tracer, module: Module, name: str, node: ast.AST | None) -> Value:
    full = f"{module.name}.{name}" if module.name else name
    if find_file(tr, full) is not None:
        return import_module(tr, full, whole=True)
    if library_name(tr, module, name):
        return module.scope.names[name]
    refuse_missing(tr, module, name, node, "AttributeError")
    return tr.unknown(f"attribute {name} of module {module.name}", label=name)


def import_module(tr: Tracer, name: str, whole: bool) -> Value:
    """`import a.b` gives `a`, unless `whole`; each level is a repository module or a library."""
    if find_file(tr, name.partition(".")[0]) is None:
        _refuse_absent(tr, name)
        if name.partition(".")[0] in ("tensorflow", "keras", "torch", "numpy", "tf_keras"):
            return canonical(name) if whole else canonical(name.partition(".")[0])
        return canonical(name if whole else name.partition(".")[0])
    parts = name.split(".")
    found: Value = None
    first: Value = None
    for index in range(len(parts)):
        found = _load(tr, ".".join(parts[: index + 1]))
        first = found if index == 0 else first
        if isinstance(found, Module) and index + 1 < len(parts):
            child = _load(tr, ".".join(parts[: index + 2]))
            if not is_hooked(found):
                found.scope.names.setdefault(parts[index + 1], child)
    return found if whole else first


def import_from(tr: Tracer, node: ast.ImportFrom, store: Callable[[str, Value], None]) -> None:
    base = _base(tr.frame.path, node)
    if base == "__future__":
        return
    local = find_file(tr, base) is not None or (node.level > 0)
    if not local:
        _refuse_absent(tr, base)
    module: Value = _load(tr, base) if local else canonical(base)
    for alias in node.names:
        if alias.name == "*":
            if isinstance(module, Module):
                for name, value in taken_over(tr, module, lambda name: _whole(tr, f"{base}.{name}")):
                    store(name, value)
            elif isinstance(module, Api):
                for name in public_names(module.name):
                    store(name, canonical(f"{module.name}.{name}", module.variant))
            continue
        store(alias.asname or alias.name, _member(tr, module, alias.name, base, node))


def _whole(tr: Tracer, name: str) -> Value:
    return None if find_file(tr, name) is None else import_module(tr, name, whole=True)


def _refuse_absent(tr: Tracer, name: str) -> None:
    """A library that can do without a package tries to import it; where the library is, the package would be too.

    Another file that does defines itself what the package would give: of that more is known.
    """
    expected = tr.guards and (tr.frame.path.startswith(MARK) or tr.frame.replacing)
    if expected and not is_installed(name.partition(".")[0]):
        raise PyRaise("ModuleNotFoundError", f"No module named {name!r}")


def _base(path: str, node: ast.ImportFrom) -> str:
    """The module that names are imported from, in the file at the path."""
    base = node.module or ""
    if node.level:
        package = Path(path).parent
        for _ in range(node.level - 1):
            package = package.parent
        prefix = ".".join(p for p in package.parts if p not in (".", "", "/"))
        base = ".".join(p for p in (prefix, base) if p)
    return base


def module_of(path: str) -> str:
    """The name under which a file is imported."""
    parts = Path(path.lstrip(MARK)).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1:] == ("__init__",) else parts)


def home_of(value: Function | Class) -> str:
    """`__module__`: what the module is called that defines it; a script is `__main__`."""
    name = value.scope.globals.names.get("__name__")
    return "__main__" if name == "__main__" else module_of(value.path)


def _member(tr: Tracer, module: Value, name: str, base: str, node: ast.ImportFrom) -> Value:
    if isinstance(module, Module):
        ruled = api_of(module, name)
        if ruled is not None:
            return ruled
        if provided(tr, module, name):
            return module.scope.names[name]
        found = from_hook(tr, module, name)
        if found is not None:
            return found[0]
        full = f"{base}.{name}" if base else name
        if find_file(tr, full) is not None:
            return import_module(tr, full, whole=True)
        if library_name(tr, module, name):
            return module.scope.names[name]
        refuse_missing(tr, module, name, node, "ImportError")
        return tr.unknown(f"{name} of module {base}", label=name)
    if isinstance(module, Api):
        return api_attribute(tr, module, name, None)
    return tr.unknown(f"{name} of an unknown module", label=name)


def api_of(module: Module, name: str) -> Api | None:
    """The name for the tables, where a name of a library has a rule of its own."""
    full = f"{module.name}.{name}"
    return canonical(full) if isinstance(module.scope, LazyScope) and full in rules() else None


def provided(tr: Tracer, module: Module, name: str) -> bool:
    """Whether the module binds the name; `from .resnet import *` binds `resnet` to what that module calls so."""
    if provide(tr, module.scope, name):
        return True
    home = f"{module.name}.{name}"
    if not isinstance(module.scope, LazyScope) or all(_base(module.path, node) != home for node in module.scope.stars):
        return False
    source = _load(tr, home)
    if not isinstance(source, Module) or not provide(tr, source.scope, name):
        return False
    module.scope.names[name] = source.scope.names[name]
    return True


def library_name(tr: Tracer, module: Module, name: str) -> bool:
    """Whether a module of a large library has a name that its own statements do not bind.

    It comes from a module whose names it imports all, from what its package defines by that name and hands out by a
    lazy loader or a registry. What is defined several times stays unknown.
    """
    scope, folder = module.scope, folder_of(module.name)
    if not isinstance(scope, LazyScope) or folder is None or name in scope.names:
        return name in scope.names
    package = module.name if module.path.endswith("/__init__.py") else module.name.rpartition(".")[0]
    index = tr.shared.summaries.index(module.name) if tr.shared.summaries is not None else index_of(folder)
    bases = dict.fromkeys(_base(module.path, node) for node in scope.stars)
    homes = {base: defining(index, name, base) for base in bases}
    found = {base if _takes_over(tr, base, home, name) else home for base, home in homes.items() if home is not None}
    first = module.name.partition(".")[0]
    if not found and any(base.partition(".")[0] != first for base in bases):  # it may be that of another library
        through = _through_stars(tr, scope.stars, module.path, name, 3)
        found = {through} if through is not None else set()
    elif not found:
        alone = defining(index, name, package) or defining(index, name, first)
        found = {alone} if alone is not None else set()
    if not found and name in index:  # defined several times: where do the modules lead whose names are taken over?
        through = _through_stars(tr, scope.stars, module.path, name, 3)
        found = {through} if through is not None else set()
    home = found.pop() if len(found) == 1 else None
    source = _load(tr, home) if home is not None and home != module.name else None
    if not isinstance(source, Module) or not provide(tr, source.scope, name):
        return False
    scope.names[name] = source.scope.names[name]
    return True


def _takes_over(tr: Tracer, base: str, home: str, name: str) -> bool:
    """Whether a package binds itself a name that one of its modules defines: it may have it from elsewhere."""
    package = _load(tr, base) if home != base else None
    return isinstance(package, Module) and isinstance(package.scope, LazyScope) and name in package.scope.binding


def _through_stars(
    tr: Tracer, stars: Sequence[ast.ImportFrom], path: str, name: str, depth: int
) -> str | None:  # fmt: skip
    """The last module, of those whose names are all taken over, that binds a name itself."""
    for node in reversed(stars):
        base = _base(path, node)
        file = find_file(tr, base)
        if file is None or base == module_of(path) or not _may_bind(file, name):
            continue
        if not is_large(base) or place_in(tr.shared.root, file) is not None:
            continue
        tr.shared.be_in_time()
        bound, inner_stars = _skeleton(file, file.stat().st_mtime_ns)
        if name in bound:
            return base
        inner = _through_stars(tr, inner_stars, shown(file, base), name, depth - 1) if depth else None
        if inner is not None:
            return inner
    return None


@functools.lru_cache(maxsize=4096)
def _skeleton(file: Path, changed: int) -> tuple[frozenset[str], tuple[ast.ImportFrom, ...]]:
    """Names that a module of a library binds, and the imports of all names of another; small beside its tree."""
    try:
        tree = ast.parse(file.read_bytes()) if file.stat().st_size <= MOST_BYTES else None
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        tree = None
    binding, stars = outline_of(tree) if tree is not None else ({}, [])
    return frozenset(binding), tuple(stars)


_STAR = re.compile(rb"import[\s\\]*\*")


def _may_bind(file: Path, name: str) -> bool:
    """Whether a module has the name in its text, or takes over all names of another: the others are not parsed."""
    try:
        text = file.read_bytes() if file.is_file() else b""
    except OSError:
        return False
    return name.encode() in text or _STAR.search(text) is not None


def _load(tr: Tracer, name: str) -> Value:
    """The repository module with its top-level code traced once; cycles see it half done, as Python does."""
    file = find_file(tr, name)
    if file is None:
        return canonical(name) if name else Module("", ".", Scope())
    package = name.rpartition(".")[0]
    if package and tr.frames and not _lies_in(tr.frame.path, package):
        _load(tr, package)  # as Python does; inside a package, those above are being imported already
    key = str(file)
    kept_as = (key, start_folder(tr), tr.defaults)
    kept = tr.shared.lazy.get(key) or taken(tr, kept_as)
    if kept is None and (kept := tr.modules.get(key)) is not None:
        met_half_done(tr, kept_as)
    if kept is not None:
        return kept
    place = place_in(tr.shared.root, file)
    relative = place.as_posix() if place is not None else shown(file, name)
    if file.is_dir():
        module = tr.modules[key] = Module(name, relative, Scope(), False)
        return module
    eager = sum(k[1:] == kept_as[1:] for k in tr.shared.kept) + len(tr.importing)
    if eager >= MOST_MODULES and not (relative.startswith(MARK) and is_large(name)):
        tr.note(f"more than {MOST_MODULES} modules of the repository are imported; the rest are not followed")
        return tr.unknown("a module beyond the limit", label=name)
    tree = parse(tr, file, relative)
    if tree is None:
        return tr.unknown("a module that cannot be read", label=name)
    scope = LazyScope(tree) if relative.startswith(MARK) and is_large(name) else Scope()
    module = tr.modules[key] = Module(name, relative, scope)
    scope.names["__name__"] = name
    scope.names["__file__"] = own_path(relative)
    is_package = relative.endswith("/__init__.py")
    scope.names["__package__"] = name if is_package else package
    if is_package:
        scope.names["__path__"] = ListV([own_path(relative.rpartition("/")[0])])
    if isinstance(scope, LazyScope):
        scope.module = module
        tr.shared.lazy[key] = module
        return module
    follow_once(tr, kept_as, module, lambda: run_module(tr, tree, scope, relative))
    return module


def _lies_in(path: str, package: str) -> bool:
    """Whether a file is one of a package, or of a package in it."""
    folders, parts = Path(path.lstrip(MARK)).parts[:-1], tuple(package.split("."))
    return any(folders[i : i + len(parts)] == parts for i in range(len(folders)))


def run_module(tr: Tracer, tree: ast.Module, scope: Scope, path: str) -> None:
    depth = len(tr.frames)
    tr.frames.append(Frame(scope, path))
    try:
        run_block(tr, tree.body)
    except PyRaise as error:
        if depth == 0 or (not path.startswith(MARK) and (isinstance(error, ShapeFailure) or is_own_mistake(error))):
            raise
        tr.note(f"importing {path} does not finish on this path")
    finally:
        del tr.frames[depth:]
