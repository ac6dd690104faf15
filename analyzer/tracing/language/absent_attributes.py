"""Attributes that an object or a class is known not to have."""

from __future__ import annotations

import ast
import functools
from collections import OrderedDict
from collections.abc import MutableMapping
from typing import Any
from unittest import TestCase

from analyzer.frameworks.api_tables import framework_data
from analyzer.tracing.imports.repository_files import Written
from analyzer.tracing.language.dictionary_objects import CONTAINERS
from analyzer.tracing.language.mapping_methods import ABSTRACT
from analyzer.tracing.language.values import (
    Class,
    Instance,
)
from analyzer.tracing.operators import instance_attribute
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.tracer import Tracer

TORCH_MODULE = ("torch.nn.Module", "torch.nn.modules.module.Module")


def class_has(cls: Class, name: str) -> bool | None:
    """Whether a class has an attribute; None where its bases are not known well enough."""
    if cls.find(name) is not None:
        return True
    dunder = name.startswith("__") and name.endswith("__")
    return False if cls.closed and not dunder and knows_attributes(cls, name) else None


def lacks_attribute(tr: Tracer, value: Instance, name: str) -> bool:
    """Whether the object, which has nothing of the name yet, is known to have none."""
    if value.open or not value.cls.closed or value.cls.find("__getattr__") is not None:
        return False
    if not value.cls.library_bases:
        return True
    whole = not tr.in_definition and not tr.doubts  # who calls a definition may have set it
    known = knows_attributes(value.cls, name, private=True)
    return whole and known and instance_attribute(tr, value, name) is None


def knows_attributes(cls: Class, name: str, private: bool = False) -> bool:
    """Whether every attribute that the bases bring is known, and `name` is none of them.

    `private`: also of names that begin with `_`, which another version of PyTorch may set.
    """
    if not cls.library_bases:
        return True
    abstract = (ABSTRACT | CONTAINERS) & set(cls.library_bases)
    if abstract and any(hasattr(kind, name) for kind in (MutableMapping, OrderedDict, list)):
        return False
    if any(base not in TORCH_MODULE and base not in abstract for base in cls.library_bases):
        return False
    if name.startswith("_") and not private and len(abstract) < len(cls.library_bases):
        return False
    return name not in framework_data("torch")["attributes"]["torch.nn.Module"]


def report_missing(tr: Tracer, value: Instance, name: str, node: ast.AST | None) -> None:
    """Only where the object is wholly known and no doubtful branch lies behind."""
    if tr.path.decisions or tr.speculating or node is None or tr.guards:
        return
    if set_anywhere(tr, value.cls, name) or (value.cls.library_bases and _may_be_abstract(tr, value.cls)):
        return
    written = tr.shared.names_written
    if name in written.attributes or (tr.in_definition and _completed_by_others(value.cls, name, written)):
        return
    message = f"`{value.cls.name}` has no attribute `{name}`: no method, class variable or assignment defines it"
    tr.report(Diagnostic("python/missing-attribute", "warning", message, tr.site(node), operand=name))


def _may_be_abstract(tr: Tracer, cls: Class) -> bool:
    """Whether classes that inherit from it may set what it reads."""
    if cls.name.startswith("_") or any(word in cls.name for word in ("Base", "Abstract", "Mixin")):
        return True
    tr.shared.read.update(f"{path}:*" for path in tr.shared.sources)
    return any(cls.name in _bases_of(tree) for tree in tr.shared.sources.values())


def _completed_by_others(cls: Class, name: str, written: Written) -> bool:
    """Whether a class that nobody makes an object of may have the attribute from one that inherits from it.

    What inherits from it, or another base of that, sets or defines it. One that leaves methods to others says so, and
    one that asserts as a test case does is mixed into one.
    """
    if cls.name in written.bases or _leaves_methods(cls.node):
        return True
    return cls.name not in written.called and (name in written.own or _of_test_case(name))


def _of_test_case(name: str) -> bool:
    """Whether a method of test cases is called so: frameworks add assertions of their own."""
    return name.startswith("assert") or hasattr(TestCase, name)


@functools.lru_cache(maxsize=512)
def _leaves_methods(cls: ast.ClassDef) -> bool:
    """Whether a class has an abstract method, or is a protocol: no object is of it alone."""
    marks = (ast.unparse(mark) for part in cls.body for mark in getattr(part, "decorator_list", ()))
    bases = (ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in cls.bases)
    return any("abstract" in mark for mark in marks) or "Protocol" in bases


@functools.lru_cache(maxsize=512)
def _bases_of(tree: ast.Module) -> frozenset[str]:
    """Names of the classes from which those of a file inherit."""
    bases = (base for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases)
    return frozenset(ast.unparse(base).rpartition(".")[2] for base in bases)


def set_anywhere(tr: Tracer, cls: Class, name: str) -> bool:
    for member in cls.mro:
        if not isinstance(member, Class):
            continue
        tr.shared.read.update(f"{member.path}:{n.lineno}" for n in member.node.body)
        names = _names_set(member.node)
        if names is None or name in names:
            return True
    return False


@functools.lru_cache(maxsize=2048)
def _names_set(cls: ast.ClassDef) -> frozenset[Any] | None:
    """Attributes that the text of a class sets; None where it may set others."""
    found: set[Any] = set()
    for node in ast.walk(cls):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(node.attr)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        if isinstance(node, ast.Name) and node.id in ("setattr", "__dict__", "vars", "__slots__"):
            return None
        if isinstance(node, ast.Attribute) and node.attr in ("__dict__", "update", "__setattr__"):
            return None
        if isinstance(node, ast.Call) and _registers(node):
            given = node.args[0] if node.args else None
            if not isinstance(given, ast.Constant):
                return None
            found.add(given.value)
    return frozenset(found)


def _registers(node: ast.Call) -> bool:
    """Whether a module is told to have an attribute."""
    called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return bool(called.startswith(("register_", "add_module", "weight_norm", "spectral_norm")))
