"""What one process may still do, and closing the wall around it."""

from __future__ import annotations

import os
import resource
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from . import landlock, seccomp, system

NOBODY = 65534  # the user and group of that name on every Linux distribution
# A program that is run needs these besides its interpreter: the dynamic linker, locale and time zone, the processor's
# description. What /proc says of other processes' memory and environment stays closed: Landlock refuses it.
SYSTEM_FILES = (
    "/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/ld.so.conf",
    "/etc/ld.so.conf.d", "/etc/localtime", "/etc/timezone", "/etc/locale.alias", "/etc/os-release",
    "/etc/debian_version", "/etc/lsb-release", "/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/mime.types",
    "/etc/alternatives", "/etc/OpenCL", "/etc/fonts", "/var/cache/fontconfig",
    "/proc", "/sys/devices/system", "/sys/fs/cgroup", "/sys/kernel/mm",
    "/sys/module", "/sys/class/dmi",
)  # fmt: skip
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
GPU_DEVICES = (
    "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia-modeset", "/dev/nvidia-caps",
    *(f"/dev/nvidia{number}" for number in range(16)), "/dev/dri", "/dev/kfd",
)  # fmt: skip


class CannotStand(Exception):
    """The kernel offers no wall; the text says why in one sentence."""


@dataclass(frozen=True)
class Rules:
    """Paths are absolute. What is not named is closed.

    `libraries`: the interpreter and what it imports. `read`: other files and folders to read. `names`: folders whose
    names may be listed, all the way down, and nothing more. `write`: folders to read and write in; no links, sockets or
    pipes are made there unless `special_files`. `programs`: processes, and programs that lie in `libraries`, may be
    started. `user`: become this user, where the process is root. `limits`: `resource` limits by name, without
    ``RLIMIT_``. `parent`: die with this process. `devices`: open for everything; where one of them exists, `threads`
    may be written in, and sockets of the system exist, which reach nobody: the drivers of accelerators name their
    threads through /proc and listen, and without that find no device. There is no network in any wall.
    """

    libraries: Sequence[str] = ()
    read: Sequence[str] = ()
    names: Sequence[str] = ()
    write: Sequence[str] = ()
    programs: bool = False
    special_files: bool = False
    user: int | None = None
    limits: dict[str, int] = field(default_factory=dict)
    parent: int | None = None
    devices: Sequence[str] = ()
    threads: Sequence[str] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def obstacle() -> str | None:
    """Why the wall cannot stand on this machine, as the end of a sentence; None where it can."""
    if system.architecture() is None:
        return "this system is not Linux on a 64-bit x86 or ARM processor"
    if landlock.abi() < 1:
        return "this kernel has no Landlock (Linux 5.13 or later, switched on)"
    try:
        with open("/proc/sys/kernel/seccomp/actions_avail", encoding="ascii") as file:
            if "errno" not in file.read():
                return "this kernel has no system call filters"
    except OSError:
        pass  # /proc does not tell; closing will
    return None


def apply_limits(limits: dict[str, int]) -> None:
    """Lower resource limits; one that is lower already stays."""
    for name, value in limits.items():
        kind = getattr(resource, "RLIMIT_" + name, None)
        if kind is None:
            continue
        hard = resource.getrlimit(kind)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (value, value))


def close(rules: Rules) -> None:
    """Close the wall around this process, which has one thread, for good.

    Raises `CannotStand`; the process must then not go on to what the wall was meant for.
    """
    problem = obstacle()
    if problem is not None:
        raise CannotStand(problem)
    if len(os.listdir("/proc/self/task")) != 1:
        raise CannotStand("other threads run already, which Landlock would not hold")
    version = landlock.abi()
    try:
        os.umask(0o077)
        apply_limits({"CORE": 0, **rules.limits})
        files = landlock.Ruleset(version)
        libraries = [*SYSTEM_FILES, *rules.libraries]
        files.allow(libraries, landlock.READ | (landlock.EXECUTE if rules.programs else 0))
        files.allow(rules.read, landlock.READ)
        files.allow(rules.names, landlock.READ_DIR)
        files.allow(DEVICES, landlock.READ_FILE | landlock.WRITE_FILE | landlock.TRUNCATE)
        files.allow(rules.devices, landlock.DEVICE | landlock.READ_DIR)
        accelerated = any(map(os.path.exists, rules.devices))
        files.allow(rules.threads if accelerated else (), landlock.WRITE_FILE | landlock.TRUNCATE)
        files.allow(rules.write, landlock.WRITE | (landlock.SPECIAL_FILES if rules.special_files else 0))
        if rules.user is not None and os.geteuid() == 0:
            system.become(rules.user)
        if os.geteuid() == 0:
            system.drop_capabilities()
        if rules.parent is not None:
            system.die_with_parent(rules.parent)  # after the change of user, which forgets it
        system.no_new_privileges()
        files.close()
        code = seccomp.program(
            system.architecture() or system.X86_64, landlock=version, programs=rules.programs,
            own=None if rules.programs else os.getpid(), accelerated=accelerated,
        )  # fmt: skip
        seccomp.apply(code)
    except OSError as error:
        raise CannotStand(f"the kernel refused a part of it ({error.strerror or error})") from error
