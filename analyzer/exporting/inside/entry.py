"""The entry point: import the project's file, call the callable, recognise what it gives.

``build(entry, root)`` is the one way in; the exporter and the workers of differential tests share it.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import os
import random
import re
import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from .failure import ExportFailure, Place, Project, describe, is_defect

FORMS = (
    "an entry point gives an nn.Module, a Keras model, a tf.Module or callable with example inputs, a tf.Graph or a "
    "GraphDef (alone or as (graph, inputs, outputs))"
)


@dataclass
class Built:
    """What an entry point gave.

    `framework` is ``torch``, ``keras``, ``tensorflow`` (a callable for tf.function), ``jax`` (a function, which only an
    engine traces) or ``graph`` (TensorFlow 1 style).
    `inputs` are example inputs: positional, by name, or None when the configuration describes them. For a ``graph``
    they map names to (shape, dtype). `outputs` names the outputs of a ``graph``. Inputs that are `made_up` by their
    shapes alone show nothing of others.
    """

    model: Any
    framework: str
    inputs: tuple[Any, ...] | dict[str, Any] | None = None
    outputs: list[str] | None = None
    place: Place | None = None
    made_up: bool = False
    files: list[str] = field(default_factory=list)  # of the project, imported on the way, relative to the root

    def torch_module(self) -> Any:
        """The model as a module of PyTorch, which a function is wrapped in."""
        import torch

        function = self.model
        if isinstance(function, torch.nn.Module):
            return function

        class FunctionModule(torch.nn.Module):  # type: ignore[misc]
            def forward(self, *args: Any, **kwargs: Any) -> Any:
                return function(*args, **kwargs)

        return FunctionModule()


def build(entry: str, root: str) -> Built:
    """Import ``path/to/file.py:name`` below `root` and call it. Raises `ExportFailure` with one clear sentence."""
    path, _, name = entry.rpartition(":")
    project = Project(root)
    if not path or not name.replace(".", "_").isidentifier():
        raise ExportFailure(f"{entry!r} is not an entry point; write it as path/to/file.py:name")
    if not os.path.isfile(os.path.join(root, path)):
        raise ExportFailure(f"{entry}: there is no file {path!r}; paths of entry points are relative to the repository")
    _as_a_script(root, path)
    opened = _opened_from_now_on(project)
    _frameworks_of(os.path.join(root, path))
    fix_seeds()
    module = _import(entry, path, root, project)
    fix_seeds()  # of frameworks that the project's other files have brought
    value = _attribute(entry, path, name, module)
    place = _definition(value, project)
    if _framework(value) is None and callable(value):
        value = _call(entry, name, value, project, place)
    built = recognise(entry, value, place)
    # what is not in a lazy module yet is not asked for: it would be imported
    imported = (project.relative(str(vars(m).get("__file__") or "")) for m in _modules())
    built.files = sorted({*filter(None, imported), *opened})
    return built


SEED = 0  # any will do: the same commit must give the same weights, and so the same report


def fix_seeds() -> None:
    """Seed every source of randomness that is loaded: two exports of one commit have the same weights."""
    random.seed(SEED)
    for name, path in (
        ("numpy", "random.seed"),
        ("torch", "manual_seed"),
        ("tensorflow", "random.set_seed"),
        ("keras", "utils.set_random_seed"),
    ):
        found: Any = sys.modules.get(name)
        for part in path.split("."):
            found = getattr(found, part, None)
        if callable(found):
            found(SEED)


def _frameworks_of(file: str) -> None:
    """Import the frameworks that the file names: weights may be made while it is imported, which must be seeded."""
    with open(file, encoding="utf-8", errors="replace") as stream:
        text = stream.read()
    for name in ("numpy", "torch", "tensorflow", "keras"):
        if re.search(rf"^\s*(?:import|from)\s+{name}\b", text, re.MULTILINE):
            with contextlib.suppress(Exception):  # the project's own import says what is wrong
                importlib.import_module(name)


def _opened_from_now_on(project: Project) -> set[str]:
    """The project's files that are opened for reading from now on: an export depends on them as on what it imports."""
    found: set[str] = set()

    def audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], (str, os.PathLike)) and "w" not in str(arguments[1]):
            relative = project.relative(os.path.abspath(os.fspath(arguments[0])))
            if relative and not relative.endswith(".pyc"):
                found.add(relative)

    sys.addaudithook(audit)
    return found


def _modules() -> list[ModuleType]:
    return [m for m in list(sys.modules.values()) if isinstance(m, ModuleType)]


def _as_a_script(root: str, path: str) -> None:
    """As if the project were installed in place and the file started as a script, without arguments."""
    sys.argv = [os.path.join(root, path)]
    source = os.path.join(root, "src")
    front = [root, source] if os.path.isdir(source) else [root]
    folder = os.path.dirname(os.path.join(root, path))
    sys.path[:0] = [p for p in front if p not in sys.path]
    if folder not in sys.path:
        sys.path.append(folder)


def _import(entry: str, path: str, root: str, project: Project) -> ModuleType:
    try:
        return _import_file(path, root)
    except ModuleNotFoundError as error:
        raise _missing(entry, error, project) from error
    except ExportFailure:
        raise
    except BaseException as error:  # SystemExit too: a script without a main guard
        if isinstance(error, KeyboardInterrupt):
            raise
        raise ExportFailure(
            f"{entry}: importing the file failed with {describe(error)}", project.of_traceback(error)
        ) from error


def _import_file(path: str, root: str) -> ModuleType:
    file = os.path.realpath(os.path.join(root, path))
    for base in (os.path.join(root, "src"), root):
        relative = os.path.relpath(file, os.path.realpath(base))
        parts = relative[: -len(".py")].split(os.sep) if relative.endswith(".py") else []
        if not parts or not all(part.isidentifier() for part in parts) or parts[0] in sys.modules:
            continue
        found = importlib.util.find_spec(".".join(parts)) if _findable(parts) else None
        if found is not None and found.origin and os.path.realpath(found.origin) == file:
            return importlib.import_module(".".join(parts))
    name = "assay_entry_" + os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ExportFailure(f"{path} is not a Python file; an entry point is path/to/file.py:name")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _findable(parts: list[str]) -> bool:
    """Whether the packages above a module belong to nobody else (an installed package of the same name)."""
    top = importlib.util.find_spec(parts[0])
    return top is not None and (len(parts) == 1 or top.submodule_search_locations is not None)


def _missing(entry: str, error: ModuleNotFoundError, project: Project) -> ExportFailure:
    name = error.name or str(error)
    package = name.partition(".")[0]
    how = f" (`pip install {package}`)" if package in ("torch", "tensorflow", "keras", "jax") else ""
    return ExportFailure(
        f"{entry}: module {name!r} is not installed where the export runs; install it there{how}, or name the "
        "project's packages under `environment: requirements:` or its container under `environment: image:`",
        project.of_traceback(error),
    )


def _attribute(entry: str, path: str, name: str, module: ModuleType) -> Any:
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            public = [
                n
                for n in vars(module)
                if not n.startswith("_") and getattr(module, n, None).__class__ is not ModuleType
            ]
            close = [n for n in public if part.lower() in n.lower() or n.lower() in part.lower()]
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise ExportFailure(f"{entry}: {path} defines no {part!r}{hint}")
        value = getattr(value, part)
    return value


def _definition(value: Any, project: Project) -> Place | None:
    try:
        target = inspect.unwrap(value) if callable(value) else value
        code = getattr(target, "__code__", None)
        if code is not None:
            relative = project.relative(code.co_filename)
            return (relative, code.co_firstlineno) if relative else None
        if inspect.isclass(target):
            relative = project.relative(inspect.getsourcefile(target) or "")
            return (relative, inspect.getsourcelines(target)[1]) if relative else None
    except (OSError, TypeError, ValueError):
        pass
    return None


def _call(entry: str, name: str, value: Any, project: Project, place: Place | None) -> Any:
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        parameters = ()  # type: ignore[assignment]  # a builtin: try it
    required = [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if required:
        raise ExportFailure(
            f"{entry}: {name} needs arguments ({', '.join(required)}); an entry point takes none: give them defaults "
            f"or write a function that passes them",
            place,
        )
    try:
        return value()
    except ModuleNotFoundError as error:
        raise _missing(entry, error, project) from error
    except MemoryError as error:
        raise ExportFailure(
            f"{entry}: building the model took more memory than the sandbox allows",
            project.of_traceback(error) or place,
        ) from error
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        raise ExportFailure(
            f"{entry}: calling {name}() failed with {describe(error)}",
            project.of_traceback(error) or place,
            "building" if is_defect(error, project) else "",
        ) from error


def recognise(entry: str, value: Any, place: Place | None = None) -> Built:
    """What kind of model `value` is. Raises `ExportFailure` for anything that is none of the forms."""
    framework = _framework(value)
    if framework is not None:
        return Built(value, framework, place=place)
    if isinstance(value, (tuple, list)) and value:
        model, rest = value[0], tuple(value[1:])
        framework = _framework(model)
        if framework == "graph" and len(rest) == 2:
            return Built(model, "graph", _graph_inputs(entry, rest[0], place), [str(o) for o in rest[1]], place)
        if framework in ("torch", "keras") and len(rest) <= 1:
            return Built(model, framework, _examples(entry, rest, place), place=place)
        if len(rest) == 1 and callable(model) and framework in (None, "tensorflow"):
            return Built(model, _callable_framework(model, rest[0]), _examples(entry, rest, place), place=place)
    raise ExportFailure(f"{entry}: gave {_name(value)}; {FORMS}", place)


def _examples(entry: str, rest: tuple[Any, ...], place: Place | None) -> tuple[Any, ...] | dict[str, Any] | None:
    if not rest or rest[0] is None:
        return None
    examples = rest[0]
    if isinstance(examples, dict):
        return {str(k): v for k, v in examples.items()}
    if isinstance(examples, (tuple, list)):
        return tuple(examples)
    if hasattr(examples, "shape"):
        return (examples,)
    raise ExportFailure(f"{entry}: the example inputs are {_name(examples)}; give a tuple or a dict of tensors", place)


def _graph_inputs(entry: str, inputs: Any, place: Place | None) -> dict[str, Any]:
    if isinstance(inputs, dict):
        return {str(k): v for k, v in inputs.items()}
    raise ExportFailure(
        f"{entry}: the inputs of a graph are {_name(inputs)}; give a dict {{name: (shape, dtype)}}", place
    )


def _framework(value: Any) -> str | None:
    """By the names of the classes, so that no framework is imported that the project did not import."""
    if inspect.isclass(value) or inspect.isfunction(value) or inspect.isbuiltin(value):
        return None
    lineage = [(c.__module__ or "", c.__name__) for c in type(value).__mro__]
    for module, name in lineage:
        top = module.split(".")[0]
        if name in ("Model", "Layer") and (
            top in ("keras", "tf_keras") or module.startswith("tensorflow.python.keras")
        ):
            return "keras"
    for module, name in lineage:
        top = module.split(".")[0]
        if top == "torch" and name == "Module":
            return "torch"
        if name == "GraphDef" and ("tensorflow" in module or hasattr(value, "versions")):
            return "graph"
        if top == "tensorflow" and name in ("Graph", "FuncGraph"):
            return "graph"
        if top == "tensorflow" and (name in ("Module", "AutoTrackable") or "polymorphic_function" in module):
            return "tensorflow"
    return None


def _callable_framework(model: Any, examples: Any) -> str:
    values = (
        examples.values()
        if isinstance(examples, dict)
        else examples
        if isinstance(examples, (tuple, list))
        else [examples]
    )
    tops = {(type(v).__module__ or "").split(".")[0] for v in (*values, model)}
    if "torch" in tops and _framework(model) is None:
        return "torch"
    if _framework(model) is None and (tops & {"jax", "jaxlib"} or _uses_jax(model)):
        return "jax"
    return "tensorflow"


def _uses_jax(function: Any) -> bool:
    """A plain function on arrays of NumPy: what its file imports tells the framework."""
    known = getattr(function, "__globals__", {}).values()
    modules = {v.__name__.split(".")[0] for v in known if inspect.ismodule(v)}
    return "jax" in modules and "tensorflow" not in modules


def _name(value: Any) -> str:
    kind = type(value)
    if value is None:
        return "None (is a `return` missing?)"
    module = "" if kind.__module__ == "builtins" else kind.__module__ + "."
    return f"a {module}{kind.__qualname__}"[:120]
