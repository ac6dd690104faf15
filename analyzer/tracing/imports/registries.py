"""Registries of large libraries: a dictionary that decorators fill has under a name what is defined by that name."""

from __future__ import annotations

from analyzer.tracing.imports.lazy_modules import Registry
from analyzer.tracing.imports.modules import library_name
from analyzer.tracing.language.values import Value
from analyzer.tracing.paths.tracer import Tracer


def filled(tr: Tracer, owner: Value, key: Value) -> bool:
    """Whether a registry was asked; what its package defines under the key has been followed then, which may fill it.

    It is taken to hold what it holds after that: what else has run in the package nobody has asked for.
    """
    if not isinstance(owner, Registry) or not isinstance(key, str):
        return False
    if key.isidentifier() and key not in owner.items:
        library_name(tr, owner.home, key)
    return True
