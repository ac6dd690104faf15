"""The import graph read from text, held against what Python really imports."""

from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from analyzer.exporting.imports import imported_files, mentioned_files


def names(found, root):
    return {p.relative_to(root.resolve()).as_posix() for p in found}


def test_absolute_relative_late_and_dynamic_imports(project):
    project.write(
        "models/vae.py",
        """
        import importlib
        import torch, layers.blocks as b
        from .common import relu
        from . import heads
        import sibling

        def build():
            from data import shapes
            return importlib.import_module("late.module")
    """,
    )
    for file in (
        "models/common.py",
        "models/heads.py",
        "models/sibling.py",
        "data/shapes.py",
        "late/module.py",
        "unrelated.py",
    ):
        project.write(file, "")
    project.write("layers/__init__.py", "from layers import init_helper\n")
    project.write("layers/init_helper.py", "")
    project.write("layers/blocks.py", "import src_only\n")
    project.write("src/src_only.py", "")
    found = imported_files(project.root / "models/vae.py", project.root)
    assert names(found, project.root) == {
        "models/vae.py", "models/common.py", "models/heads.py", "models/sibling.py", "data/shapes.py", "late/module.py",
        "layers/__init__.py", "layers/init_helper.py", "layers/blocks.py", "src/src_only.py",
    }  # fmt: skip


def test_a_module_comes_before_a_folder_of_its_name_and_after_a_package(project):
    for file in ("net.py", "net/weights.py", "head.py", "head/__init__.py"):
        project.write(file, "")
    project.write("train.py", "import net, head\n")
    found = imported_files(project.root / "train.py", project.root)
    assert names(found, project.root) == {"train.py", "net.py", "head/__init__.py"}


def test_cycles_broken_files_and_files_outside(project, tmp_path):
    (tmp_path / "outside.py").write_text("")
    project.write("a.py", "import b\nfrom .. import outside\n")
    project.write("b.py", "import a, broken\n")
    project.write("broken.py", "def (:\n")
    assert names(imported_files(project.root / "a.py", project.root), project.root) == {"a.py", "b.py", "broken.py"}


def test_files_whose_names_are_mentioned(project):
    project.write("m.py", "import numpy\nw = numpy.load('weights/w.npz')\nx = open('../../etc/passwd')\n")
    (project.root / "weights").mkdir()
    (project.root / "weights/w.npz").write_bytes(b"x")
    sources = imported_files(project.root / "m.py", project.root)
    assert names(mentioned_files(sources, project.root), project.root) == {"weights/w.npz"}


MODULES = ["m0", "m1", "pack.m2", "pack.m3", "pack.sub.m4", "m5"]


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.sampled_from(MODULES), st.sampled_from(MODULES), st.integers(0, 2)), max_size=10))
def test_nothing_that_python_imports_is_missed(tmp_path_factory, edges):
    root = tmp_path_factory.mktemp("imports")
    sources: dict[str, str] = dict.fromkeys(MODULES, "")
    for source, target, style in edges:
        package, _, name = target.rpartition(".")
        statement = f"import {target}"
        if style == 1 and package:
            statement = f"from {package} import {name}"
        elif style == 2 and package and source.startswith("pack."):
            dots = "." * (source.count(".") - package.count("."))
            statement = (
                f"from {dots}{package.removeprefix('pack').lstrip('.') if source.count('.') < 2 else ''} import {name}"
            )
            if source == target or "sub" in source or "sub" in package:
                statement = f"import {target}"
        sources[source] += statement + "\n"
    for name, text in sources.items():
        path = root / (name.replace(".", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for package in ("pack", "pack/sub"):
        (root / package / "__init__.py").write_text("")
    code = (
        "import sys, os; sys.path.insert(0, os.getcwd()); import m0;"
        "print('\\n'.join(m.__file__ for m in list(sys.modules.values()) if getattr(m, '__file__', None)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    real = {os.path.realpath(line) for line in ran.stdout.splitlines() if line.startswith(str(root))}
    assert real <= {str(p) for p in imported_files(root / "m0.py", root)}
