"""Folders that a run may write: asked for in the workspace, or scratch outside it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from action.settings import Settings
from analyzer.problem import UsageProblem


def in_workspace(settings: Settings, path: str) -> Path | None:
    """A folder of the workspace, made if need be; a link on the way to it would lead elsewhere and is refused."""
    if not path:
        return None
    folder = settings.workspace
    for part in Path(path).parts:
        folder = folder / part
        if folder.is_symlink():
            raise UsageProblem(f"`{path}` is, or lies behind, a symbolic link in the checkout; choose another folder.")
        folder.mkdir(exist_ok=True)
        give_to_owner(settings, folder)
    return folder


def scratch(settings: Settings, fallback: Path) -> Path:
    """A folder outside the workspace: nothing that was not asked for is written there."""
    parent = settings.runner_temp if settings.runner_temp and settings.runner_temp.is_dir() else None
    if parent is None:
        folder = fallback / "report"
        folder.mkdir()
        return folder
    return Path(tempfile.mkdtemp(prefix="assay-report-", dir=parent))


def give_to_owner(settings: Settings, folder: Path) -> None:
    """Files made by root in the workspace would break the next checkout on a self-hosted runner."""
    try:
        owner = settings.workspace.stat()
        if os.geteuid() != 0 or not folder.resolve().is_relative_to(settings.workspace.resolve()):
            return
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    except OSError:  # a file system without owners
        return


def relative(settings: Settings, path: Path) -> str:
    """A path as later steps see it, relative to the workspace; empty where they cannot see it.

    The workspace's place differs inside and outside the container, and no other folder is shared for certain.
    """
    try:
        return path.resolve().relative_to(settings.workspace.resolve()).as_posix() if path.is_file() else ""
    except ValueError:
        return ""
