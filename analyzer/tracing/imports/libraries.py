"""Libraries that are installed beside Assay and made of layers: their source is traced where a file uses them.

Small ones are followed as if they were part of the repository, of large ones only what is asked for (`lazy_modules`).
Those whose names have rules are names for the operator tables.
"""

from __future__ import annotations

import functools
import re
import sys
from importlib.machinery import PathFinder
from pathlib import Path

MOST_FILES = 40  # a larger library costs more than a file's analysis may take
MOST_BYTES = 1_000_000  # a longer source is generated
MARK = "/"  # the paths of libraries begin with it, those of the repository never
RULED = frozenset((
    "torch", "tensorflow", "keras", "tf_keras", "numpy", "jax", "einops", "einx", "scipy", "pandas", "jaxtyping",
    "absl", "onnx", "functorch", "torchgen", "analyzer", "action", "pytest", "lightning", "pytorch_lightning",
    "sklearn", "typer", "tqdm", "jaxlib", "triton", "beartype",
    "opt_einsum", "optree",
))  # fmt: skip
_FRAMEWORK = re.compile(rb"^\s*(?:import|from) (?:torch|keras|tensorflow)\b", re.M)
_REQUIRES = re.compile(rb"^Requires-Dist: (?:torch|keras|tensorflow)\b", re.M | re.I)


def library_file(name: str) -> Path | None:
    """The source of a module of an installed library made of layers, or None."""
    first, *rest = name.split(".")
    folder = _library(first)
    if folder is None:
        return None
    path = folder.joinpath(*rest)
    return next((p for p in (path / "__init__.py", path.with_suffix(".py")) if p.is_file()), None)


def shown(file: Path, name: str) -> str:
    """How the path of a library's file is written."""
    return MARK + "/".join(
        (*name.split("."), "__init__.py") if file.name == "__init__.py" else (name.replace(".", "/") + ".py",)
    )


@functools.lru_cache(maxsize=1024)
def is_installed(first: str) -> bool:
    """Whether a top-level module is there to be imported; those with rules are taken to be."""
    if not first.isidentifier() or first in RULED or first in sys.stdlib_module_names:
        return True
    try:
        return PathFinder.find_spec(first, [entry for entry in sys.path if entry]) is not None
    except (ImportError, ValueError, OSError):
        return True


def folder_of(name: str) -> Path | None:
    """The folder of the library that a module belongs to."""
    return _library(name.partition(".")[0])


def is_large(name: str) -> bool:
    """Whether only what is asked for is followed of the library of a module."""
    folder = folder_of(name)
    return folder is not None and not _is_small(folder)


@functools.lru_cache(maxsize=256)
def _library(first: str) -> Path | None:
    if not first.isidentifier() or first in RULED or first in sys.stdlib_module_names:
        return None
    for entry in sys.path:
        folder = Path(entry) / first
        if entry and (folder / "__init__.py").is_file():
            return folder if _made_of_layers(folder) else None
    return None


def metadata_of(folder: Path) -> Path | None:
    """What the installer has written about the library: the folder beside it."""
    beside = sorted(folder.parent.glob(f"{folder.name.replace('_', '?')}-*.dist-info"))
    return beside[0] if beside else None


def _made_of_layers(folder: Path) -> bool:
    told = metadata_of(folder)
    try:
        if told is not None and _REQUIRES.search((told / "METADATA").read_bytes()):
            return True
        near = [f for f in sorted(folder.rglob("*.py"))[:MOST_FILES] if f.stat().st_size <= MOST_BYTES]
        return any(_FRAMEWORK.search(f.read_bytes()) for f in near)
    except OSError:
        return False


@functools.lru_cache(maxsize=256)
def _is_small(folder: Path) -> bool:
    total = 0
    for number, file in enumerate(folder.rglob("*.py")):
        try:
            total += file.stat().st_size
        except OSError:
            return False
        if number >= MOST_FILES or total > MOST_BYTES:
            return False
    return True
