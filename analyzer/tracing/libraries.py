"""Small libraries that are installed beside Assay and made of layers: their source is traced where a file uses them.

Large libraries, and those whose names have rules, are names for the operator tables.
"""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path

MOST_FILES = 40  # a larger library costs more than a file's analysis may take
MOST_BYTES = 1_000_000  # a longer source is generated
MARK = "/"  # the paths of libraries begin with it, those of the repository never
RULED = frozenset((
    "torch", "tensorflow", "keras", "tf_keras", "numpy", "jax", "einops", "einx", "scipy", "pandas", "jaxtyping",
    "absl", "onnx", "functorch", "torchgen", "analyzer", "action", "pytest",
))  # fmt: skip


def library_file(name: str) -> Path | None:
    """The source of a module of a small installed library, or None."""
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


@functools.lru_cache(maxsize=256)
def _library(first: str) -> Path | None:
    if not first.isidentifier() or first in RULED or first in sys.stdlib_module_names:
        return None
    for entry in sys.path:
        folder = Path(entry) / first
        if entry and (folder / "__init__.py").is_file():
            return folder if _is_small(folder) else None
    return None


def _is_small(folder: Path) -> bool:
    files = []
    for file in folder.rglob("*.py"):
        files.append(file)
        if len(files) > MOST_FILES:
            return False
    try:
        texts = [f.read_bytes() for f in files]
    except OSError:
        return False
    return sum(map(len, texts)) <= MOST_BYTES and any(re.search(rb"^\s*(import|from) torch\b", t, re.M) for t in texts)
