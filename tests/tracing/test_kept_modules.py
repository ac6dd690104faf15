"""Imported modules are followed once for a file, and what a path changes in them is undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.frames import IMPORT_RESERVE, IMPORT_STEPS, Shared
from analyzer.tracing.tracing import explore, read_source


def traced(root: Path, **sources: str) -> Shared:
    for name, text in sources.items():
        (root / f"{name}.py").write_text(text)
    _, tree = read_source(root / "main.py", root)
    return explore(root, "main.py", tree, Versions())


BRANCHES = "import torch, lib\nx = torch.zeros(2, 3)\nfor s in (torch.rand(3) for _ in range(3)):\n" + (
    "    if s[0] > 0.5:\n        x = torch.cat([x, x])\n"
)


def errors(shared: Shared) -> list[tuple[int, bool]]:
    return [(p.site.line, p.certain) for p in shared.problems.values() if p.level == "error"]


def test_an_import_is_followed_once(tmp_path: Path) -> None:
    lib = "n = 0\n" + "n = n + 1\n" * 3000
    alone = traced(tmp_path, lib=lib, main="import lib\n").steps
    assert traced(tmp_path, lib=lib, main=BRANCHES).steps < alone + 3000


def test_the_budget_of_imports_is_their_own(tmp_path: Path) -> None:
    lib = "def f(n):\n    return 0 if n == 0 else f(n - 1)\n" + "f(4)\n" * 9000
    shared = traced(tmp_path, lib=lib, main="import torch, lib\ntorch.zeros(2, 3) @ torch.zeros(2, 3)\n")
    assert errors(shared) == [(2, False)]  # what the rest of the module does is not known
    assert any("imported modules" in note for note in shared.notes)


def test_what_a_path_changes_in_a_module_is_undone(tmp_path: Path) -> None:
    main = (
        "import torch, lib\nif torch.rand(1)[0] > 0.5:\n    lib.sizes.append(4)\n    x = torch.zeros(1)\n"
        "else:\n    x = torch.zeros(2)\ny = torch.zeros(len(lib.sizes), 3) @ torch.zeros(3, 1)\n"
        "if len(lib.sizes) > 2:\n    torch.zeros(2, 3) @ torch.zeros(2, 3)\n"
    )
    assert errors(traced(tmp_path, lib="sizes = [1]\n", main=main)) == []


@pytest.mark.parametrize(("test", "certain"), [("some.unknown()", False), ("True", True)])
def test_a_branch_of_an_import_keeps_its_doubt_on_every_path(tmp_path: Path, test: str, certain: bool) -> None:
    lib = f"import some\nif {test}:\n    width = 3\nelse:\n    width = 2\n"
    main = (
        "import torch, lib\nif torch.rand(1)[0] > 0.5:\n    x = torch.zeros(2, lib.width)\nelse:\n"
        "    x = torch.zeros(4, lib.width) @ torch.zeros(2, 5)\n"
    )
    assert errors(traced(tmp_path, lib=lib, main=main)) == [(5, certain)]


def test_a_flag_of_an_import_is_a_symbol_after_its_default(tmp_path: Path) -> None:
    lib = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=3)\n"
    lib += "a = p.parse_args()\n"
    shared = traced(tmp_path, lib=lib, main="import torch, lib\ntorch.zeros(2, lib.a.n) @ torch.zeros(3, 1)\n")
    assert [p.rule for p in shared.problems.values()] == ["tracing/forced-dimension"]


def test_packages_are_imported_before_what_lies_in_them(tmp_path: Path) -> None:
    """Where a package takes all names of its modules, and one of them takes a name of the package's other parts."""
    (tmp_path / "net" / "parts").mkdir(parents=True)
    (tmp_path / "net" / "__init__.py").write_text("from .parts import *\nfrom .sizes import *\n")
    (tmp_path / "net" / "sizes.py").write_text("from .parts import *\nwidth = 3\n")
    (tmp_path / "net" / "parts" / "__init__.py").write_text("from .layers import *\n")
    (tmp_path / "net" / "parts" / "layers.py").write_text(
        "import torch\nfrom net.sizes import width\n\n\ndef given():\n    return torch.zeros(2, width)\n"
    )
    main = "from net.parts.layers import given\nimport net, torch\nnet.given() @ torch.zeros(2, 5)\n"
    assert errors(traced(tmp_path, main=main)) == [(3, True)]


def test_the_modules_of_a_large_package_are_followed(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "__init__.py").write_text("".join(f"from .m{n} import *\n" for n in range(90)))
    for n in range(90):
        (tmp_path / "net" / f"m{n}.py").write_text(f"width{n} = {n}\n")
    shared = traced(tmp_path, main="import net, torch\ntorch.zeros(2, 3) @ torch.zeros(net.width89, 5)\n")
    assert errors(shared) == [(2, True)]


def test_what_imports_a_module_that_spends_the_budget_goes_on(tmp_path: Path) -> None:
    lib = "def f(n):\n    return 0 if n == 0 else f(n - 1)\n" + "f(4)\n" * 9000
    net = "import lib\nimport torch\ndef run(x):\n    return x @ torch.zeros(2, 3)\n"
    main = "import torch\nfrom net import run\nrun(torch.zeros(2, {}))\n"
    wrong = traced(tmp_path, lib=lib, net=net, main=main.format(3))
    assert any("imported modules" in note for note in wrong.notes)
    assert errors(wrong) == [(4, False)]
    assert errors(traced(tmp_path, lib=lib, net=net, main=main.format(2))) == []


def test_many_modules_that_spend_the_budget_of_imports(tmp_path: Path) -> None:
    slow = "def f(n):\n    return 0 if n == 0 else f(n - 1)\n" + "f(4)\n" * 9000
    names = [f"slow_{i}" for i in range(30)]
    net = "".join(f"import {name}\n" for name in names)
    shared = traced(tmp_path, net=net, main="import net\n", **dict.fromkeys(names, slow))
    assert sum(one.steps for one in shared.kept.values()) <= IMPORT_STEPS + IMPORT_RESERVE


def test_a_library_takes_a_part_of_the_budget_of_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site, root = tmp_path / "site", tmp_path / "root"
    (site / "slow_library").mkdir(parents=True)
    root.mkdir()
    slow = "import torch\ndef f(n):\n    return 0 if n == 0 else f(n - 1)\n"
    decorate = "def {}(c):\n" + "    f(4)\n" * 9000 + "    return c\n"
    (site / "slow_library" / "__init__.py").write_text(
        slow + "".join(map(decorate.format, ("first", "second", "third")))
    )
    monkeypatch.syspath_prepend(str(site))
    net = (
        "import slow_library, torch\n"
        + "".join(f"@slow_library.{name}\nclass A{name}:\n    pass\n" for name in ("first", "second", "third"))
        + "def run(x):\n    return x @ torch.zeros(2, 3)\n"
    )
    main = "import torch\nfrom net import run\nrun(torch.zeros(2, 3))\n"
    assert [line for line, _ in errors(traced(root, net=net, main=main))] == [12]


def test_a_refused_shape_at_the_top_of_an_imported_module_ends_the_program(tmp_path: Path) -> None:
    """Unless the program expects it."""
    lib, rest = (
        "import torch\na = torch.zeros(2) + torch.zeros({})\n",
        "import torch\ntorch.zeros(2) + torch.zeros(3)\n",
    )
    assert errors(traced(tmp_path, lib=lib.format(3), main="import lib\n" + rest)) == [(2, True)]
    guarded = "try:\n    import lib\nexcept RuntimeError:\n    pass\n" + rest
    assert errors(traced(tmp_path, lib=lib.format(3), main=guarded)) == [(6, True)]
    assert errors(traced(tmp_path, lib=lib.format(2), main="import lib\n" + rest)) == [(3, True)]


FAILING = "import torch\nkept = torch.zeros({size}) @ torch.zeros(4, 5)\nafter = 3\n"


@pytest.mark.parametrize("importing", ["import lib", "from lib import kept", "def f():\n    import lib\nf()"])
def test_a_module_that_fails_where_it_is_imported_is_told(tmp_path: Path, importing: str) -> None:
    shared = traced(tmp_path, lib=FAILING.format(size="2, 3"), main=f"{importing}\n")
    assert [(p.site.path, p.site.line, p.proved) for p in shared.problems.values()] == [("lib.py", 2, True)]
    assert not traced(tmp_path, lib=FAILING.format(size="2, 4"), main=f"{importing}\n").problems


def test_a_module_that_may_fail_where_it_is_imported_is_not(tmp_path: Path) -> None:
    text = "try:\n    import lib\nexcept RuntimeError:\n    lib = None\n"
    assert not traced(tmp_path, lib=FAILING.format(size="2, 3"), main=text).problems
