"""Extract names and signatures of an installed framework into a data file of `analyzer/frameworks/api`.

    python -m scripts.frameworks.extract_api torch tensorflow keras

Run by maintainers when a framework releases; analysis reads only the data files. Each file holds the version, the
public names of every public module, and the parameters of functions and classes whose signature Python can tell.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from scripts.frameworks.read_package import Package

DATA = Path(__file__).parents[2] / "analyzer" / "frameworks" / "api"
MODULES = {
    "torch": ["torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.utils.data",
    "torch.linalg"],
    "tensorflow": [
        "tensorflow", "tensorflow.nn", "tensorflow.math", "tensorflow.data", "tensorflow.image", "tensorflow.io",
        "tensorflow.random", "tensorflow.linalg", "tensorflow.train", "tensorflow.strings", "tensorflow.signal",
        "tensorflow.errors", "tensorflow.compat.v1", "tensorflow.compat.v1.nn", "tensorflow.compat.v1.train",
        "tensorflow.compat.v1.losses", "tensorflow.compat.v1.layers", "tensorflow.layers", "tensorflow.losses",
        "tensorflow.metrics", "tensorflow.initializers",
    ],
    "keras": [
        "keras", "keras.layers", "keras.models", "keras.losses", "keras.optimizers", "keras.utils",
        "keras.datasets", "keras.callbacks",
        "keras.activations", "keras.initializers", "keras.metrics", "keras.regularizers", "keras.backend",
        "keras.applications", "keras.ops",
    ],
    "numpy": ["numpy", "numpy.linalg", "numpy.random", "numpy.fft"],
}  # fmt: skip


def parameters(value: Any) -> list[str] | None:
    """``name``, ``name=`` (has a default), ``*name``, ``**name``, ``*`` before keyword-only ones; None if unknown."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    result: list[str] = []
    starred = False
    for p in signature.parameters.values():
        if p.kind is p.VAR_POSITIONAL:
            starred = True
            result.append(f"*{p.name}")
        elif p.kind is p.VAR_KEYWORD:
            result.append(f"**{p.name}")
        else:
            if p.kind is p.KEYWORD_ONLY and not starred:
                starred = True
                result.append("*")
            prefix = "/" if p.kind is p.POSITIONAL_ONLY else ""
            result.append(f"{prefix}{p.name}{'' if p.default is p.empty else '='}")
    return result


def describe(module: ModuleType) -> dict[str, Any]:
    """Public name → parameters, or None for what is no callable or cannot be told."""
    names: dict[str, Any] = {}
    for name in sorted(set(dir(module)) | set(getattr(module, "__all__", ()))):
        if name.startswith("__"):
            continue
        try:
            value = getattr(module, name)
        except Exception:
            names[name] = None
            continue
        names[name] = parameters(value) if callable(value) else None
    return names


def _module(name: str) -> ModuleType | None:
    """A module, or an attribute of one that stands for a module; None if this version has none of that name."""
    try:
        return importlib.import_module(name)
    except ImportError:
        root, *rest = name.split(".")
        module: ModuleType | None = importlib.import_module(root)
        for part in rest:
            module = getattr(module, part, None)
        return module


def main(frameworks: list[str]) -> int:
    for framework in frameworks:
        found = {}
        package = Package.of_folder(Path(importlib.import_module(framework).__path__[0]))
        for name in MODULES[framework]:
            module = _module(name)
            if module is not None:
                lazy = dict.fromkeys(package.describe(name))  # submodules that are there once they are imported
                found[name] = {**lazy, **describe(module)}
        version = importlib.import_module(framework).__version__
        extra: dict[str, Any] = {}
        if framework == "torch":
            torch = importlib.import_module("torch")
            extra = {"torch.Tensor": sorted(dir(torch.Tensor)), "torch.nn.Module": sorted(dir(torch.nn.Module()))}
        text = json.dumps(
            {"framework": framework, "version": version, "modules": found, "attributes": extra},
            indent=0,
            sort_keys=True,
        )
        DATA.mkdir(exist_ok=True)
        (DATA / f"{framework}.json").write_text(text + "\n", encoding="utf-8")
        print(f"{framework} {version}: {sum(map(len, found.values()))} names")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(MODULES)))
