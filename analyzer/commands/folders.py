"""Folders that Assay writes by itself, in a repository that may have been written by a stranger."""

from __future__ import annotations

import os
from pathlib import Path

from analyzer.problem import UsageProblem


def folder_of(option: str, name: str | Path) -> Path:
    """The folder `name`, made if need be. Raises `UsageProblem` where a link would lead what is written elsewhere.

    The repository can hold links on the way to it and in it: `option` says what to change. Links above the present
    folder are the person's own.
    """
    path = Path(name)
    refuse_links(option, path)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageProblem(f"{option} {path}: the folder cannot be made ({error.strerror}); name another.") from None
    for folder, folders, names in os.walk(path):
        for below in (*folders, *names):
            if os.path.islink(os.path.join(folder, below)):
                raise UsageProblem(f"{option} {path}: it holds a symbolic link ({below}); empty it or name another.")
    return path


def refuse_links(option: str, path: Path) -> None:
    """Raises `UsageProblem` where `path` is, or lies behind, a link below the present folder."""
    here = Path.cwd()
    inside = path.relative_to(here) if path.is_absolute() and path.is_relative_to(here) else path
    if inside.is_absolute():
        return
    for part in inside.parts:
        here /= part
        if here.is_symlink():
            raise UsageProblem(f"{option} {path}: it is, or lies behind, a symbolic link; name another place.")
