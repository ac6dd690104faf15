"""Starting a child of Assay's own behind the kernel's wall: what its interpreter reads, as whom it runs, with what."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import stat
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from analyzer.walls import stage
from analyzer.walls.kernel.enter import START
from analyzer.walls.kernel.rules import NOBODY, Rules, obstacle
from analyzer.walls.protocol import PROCESSES

ASSAY = Path(__file__).resolve().parents[2]
KERNEL = Path(__file__).resolve().parent

# The instructions that kernels may use: with these somebody sees what another processor gives.
INSTRUCTIONS = ("ATEN_CPU_CAPABILITY", "DNNL_MAX_CPU_ISA", "ONEDNN_MAX_CPU_ISA")
# What a child may be told through its environment besides what its starter sets: nothing that names or holds a secret.
KEPT = (
    "PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ", "CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES", *INSTRUCTIONS,
)  # fmt: skip
SET_USER = 1 << 0 | 1 << 6 | 1 << 7  # the capabilities CAP_CHOWN, CAP_SETGID and CAP_SETUID
FAST_FREE = 2 << 30  # bytes that must be free in /dev/shm before arrays are exchanged there
SCRATCH = "ASSAY_SCRATCH"  # names the memory-backed folder of a walled analysis


@functools.cache
def standing() -> str | None:
    """Why the kernel's wall cannot stand on this machine, as the end of a sentence; None where it can."""
    return obstacle()


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """A child's whole environment; its home and its temporary folder are `home`."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    own = {"HOME": str(home), "TMPDIR": str(home), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    return {"PATH": os.defpath, **kept, **own, **(more or {})}


@functools.cache
def libraries() -> tuple[str, ...]:
    """What this interpreter and the packages that it imports are read from; Assay's own sources are among it."""
    found = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sysconfig.get_paths().values()}
    found |= {str(Path(sys.executable).parent), str(Path(sys.executable).resolve().parent)}
    for entry in sys.path:  # the first entry may be the repository under review: only what is known to hold packages
        path = Path(entry).resolve()
        packages = path.name in ("site-packages", "dist-packages")
        if entry and packages and path.is_dir() and not Path.cwd().is_relative_to(path):
            found.add(str(path))
    found |= {*named_packages(), *(str(ASSAY / name) for name in ("analyzer", "templates"))}
    found |= set(filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(os.pathsep)))
    return tuple(sorted(path for path in found if path not in ("/", str(Path.home())) and os.path.exists(path)))


@functools.cache
def named_packages() -> tuple[str, ...]:
    """The folders of further packages that PYTHONPATH names; none that holds Assay or the working folder."""
    named = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry in sys.path]
    paths = [Path(entry).resolve() for entry in named if entry]
    return tuple(
        str(path)
        for path in paths
        if path.is_dir() and not ASSAY.is_relative_to(path) and not Path.cwd().is_relative_to(path)
    )


def installed_in_place(libraries: Iterable[str]) -> list[str]:
    """The folders from which this interpreter imports besides the `libraries`: of projects not copied among these."""
    folders = {str(Path(entry).resolve()) for entry in sys.path if entry and Path(entry).is_dir()}
    known = [Path(path).resolve() for path in libraries]
    apart = {folder for folder in folders if not any(Path(folder).is_relative_to(path) for path in known)}
    return sorted(apart - {"/", str(Path.home())})


def shown(folders: Iterable[str]) -> list[str]:
    """What lies in such folders but for hidden files: what git and tools keep there, secrets too, nobody imports."""
    found = []
    for folder in folders:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            found += [entry.path for entry in entries if not entry.name.startswith(".")]
    return sorted(found)


def prefixes(python: str) -> tuple[str, ...]:
    """The folders of another interpreter than this one; none for this one."""
    if python == sys.executable:
        return ()
    path = Path(python)
    found = {path.parent.parent, path.resolve().parent.parent}
    return tuple(str(folder) for folder in found if folder != Path("/"))


@functools.cache
def programs() -> tuple[str, ...]:
    """Where the external Python tools lie besides this interpreter's folders."""
    found = []
    for name in ("node", "pyright", "ruff"):
        path = shutil.which(name)
        if path is not None:
            real = Path(path).resolve()
            found += [str(Path(path).parent), str(real.parent if real.parent.name != "bin" else real.parent.parent)]
    return tuple(path for path in found if path not in ("/", str(Path.home())))


def user_for(paths: Iterable[str | Path]) -> int | None:
    """Nobody, where this process is root and nobody can read the interpreter and `paths`; else None."""
    if not _may_change_user():
        return None
    ours = (sys.executable, sys.prefix, sys.base_prefix, os.__file__, ASSAY / "analyzer")
    return NOBODY if all(_open_to_all(Path(path)) for path in (*ours, *paths)) else None


def _may_change_user() -> bool:
    """Whether this process is root with its rights: inside another wall root has none."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
        effective = int(status.partition("CapEff:")[2].split()[0], 16)
    except (OSError, ValueError, IndexError):
        return False
    return effective & SET_USER == SET_USER


def _open_to_all(path: Path) -> bool:
    """Whether everybody may read `path` and pass through the folders above it."""
    try:
        real = path.resolve(strict=True)
        if not real.stat().st_mode & stat.S_IROTH:
            return False
        folders = [real, *real.parents] if real.is_dir() else [*real.parents]
        return all(folder.stat().st_mode & stat.S_IXOTH for folder in folders)
    except OSError:
        return False


def threads_for(user: int | None) -> int:
    """The kernel's own bound on processes and threads of `user` (None: ours).

    It counts all that the user runs and does not hold root, so it leaves room for other programs and for one analysis a
    core. Whoever starts a child watches it, and ends it with more than `PROCESSES`.
    """
    room = PROCESSES * (4 + (os.cpu_count() or 1))
    return stage.tasks_of_user(os.getuid() if user is None else user, none=0) + room


def threads_of_children(user: int | None) -> tuple[str, ...]:
    """Where children, whose numbers nobody knows before, may name threads; nowhere for root, who may write more."""
    return ("/proc",) if user is not None or os.geteuid() != 0 else ()


def memory_backed() -> str | None:
    """Memory-backed storage where there is plenty, so that arrays do not wait for a disk; behind a wall, its own."""
    if SCRATCH in os.environ:
        return os.environ[SCRATCH]
    try:
        return "/dev/shm" if shutil.disk_usage("/dev/shm").free > FAST_FREE else None
    except OSError:
        return None


def hand_over(folder: Path, user: int | None) -> None:
    """Make `folder` and what lies in it belong to `user`."""
    if user is None:
        return
    os.chown(folder, user, user)
    for below, folders, names in os.walk(folder):
        for name in (*folders, *names):
            os.chown(os.path.join(below, name), user, user, follow_symlinks=False)


def all_but(root: Path, hole: Path) -> list[str]:
    """What lies below `root` as few paths, without `hole`: the kernel's wall can allow but not except."""
    root, hole = root.resolve(), hole.resolve()
    if not hole.is_relative_to(root):
        return [str(root)]
    if hole == root:
        return []
    paths: list[str] = []
    folder = root
    for part in hole.relative_to(root).parts:
        try:
            paths += [entry.path for entry in os.scandir(folder) if entry.name != part]
        except OSError:
            return paths
        folder = folder / part
    return paths


def command(
    what: str, *arguments: str, rules: Rules | None, path: Sequence[str | Path] = (), python: str = sys.executable,
    form: str = "module", ordered: bool = False,
) -> list[str]:  # fmt: skip
    """The command that runs `what` behind `rules` (None: without a wall).

    `form`: ``module`` of Python, ``script`` (a Python file), or ``program`` (another program, by its full path). `path`
    comes before the interpreter's own import path, which the environment cannot change.

    `ordered`: sets have one order in each run; then the caller gives the whole environment, with ``PYTHONHASHSEED``.
    """
    request = {
        "rules": rules.to_json() if rules is not None else None,
        "path": [str(entry) for entry in path],
        form: what,
    }
    alone = ("-s", "-P") if ordered else ("-I",)  # -I would not read the seed
    return [python, *alone, "-B", "-c", START, str(KERNEL), json.dumps(request), *arguments]


def worker_rules(
    folder: Path | None, *, more: Sequence[str | Path] = (), read: Sequence[str | Path] = (), programs: bool = False,
    memory: int | None = None, output: int = 1 << 30, devices: Sequence[str] = (),
) -> Rules | None:  # fmt: skip
    """The rules of a child that computes: its libraries (`more` of them), `read`, and at most one `folder` to write in.

    Bytes: `memory` of data, `output` a file. The user stays who it is: the analysis around it has changed it already.
    None where the kernel's wall cannot stand.
    """
    if standing() is not None:
        return None
    limits = {"CORE": 0, "FSIZE": output, "NOFILE": 1024}
    if memory is not None and not devices:  # the drivers of accelerators reserve more than there is
        limits["DATA"] = memory
    return Rules(
        libraries=[*libraries(), *map(str, more)],
        read=[str(path) for path in read],
        names=[str(ASSAY)],  # importing looks through the folder
        write=[str(folder)] if folder is not None else [],
        programs=programs,
        limits=limits,
        parent=os.getpid(),
        devices=list(devices),
        threads=["/proc/self/task"],
    )
