"""System calls that Python does not offer, each with its error as an `OSError`."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import sys

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 1, 24, 22, 38, 47
PR_SET_DUMPABLE, PR_CAP_AMBIENT_CLEAR_ALL = 4, 4  # linux/prctl.h
LAST_CAPABILITY = 63  # the kernel keeps them in 64 bits
CAPABILITY_VERSION_3 = 0x20080522  # linux/capability.h

X86_64, AARCH64 = "x86_64", "aarch64"
_MACHINES = {"x86_64": X86_64, "amd64": X86_64, "aarch64": AARCH64, "arm64": AARCH64}


def architecture() -> str | None:
    """`X86_64` or `AARCH64`, or None for a system or processor that the wall does not know."""
    if not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        return None
    return _MACHINES.get(platform.machine().lower())


def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, *arguments: int) -> int:
    """prctl(2). Raises OSError."""
    four = [ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)[:4]]
    result = int(_library().prctl(option, *four))
    if result < 0:
        raise _error(f"prctl {option}")
    return result


def syscall(number: int, *arguments: object) -> int:
    """A system call by number: integers are passed as longs, ctypes objects as they are. Raises OSError."""
    function = _library().syscall
    function.restype = ctypes.c_long
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    result = int(function(ctypes.c_long(number), *converted))
    if result < 0:
        raise _error(f"system call {number}")
    return result


def _error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")


def no_new_privileges() -> None:
    """No program started from here on gains rights from set-user-id bits or file capabilities."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def die_with_parent(parent: int | None, signal: int = 9) -> None:
    """Ask the kernel to end this process with the thread that started it; ends it now if `parent` has gone already."""
    prctl(PR_SET_PDEATHSIG, signal)
    if parent is not None and os.getppid() != parent:
        os._exit(128 + signal)


def become(user: int) -> None:
    """Change to an unprivileged user and group of the same number, without supplementary groups."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def drop_capabilities() -> None:
    """Give up all capabilities for good: from the bounding and ambient sets and from this process."""
    with contextlib.suppress(OSError):  # Linux older than 4.3
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    for capability in range(LAST_CAPABILITY + 1):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            continue  # no such capability, or not allowed, and then there is none to drop
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)()
    syscall({X86_64: 126, AARCH64: 91}[architecture() or X86_64], header, data)


def clear_environment(keep: dict[str, str]) -> None:
    """Replace the environment by `keep` and wipe the copy that the kernel shows in ``/proc/self/environ``."""
    os.environ.clear()
    os.environ.update(keep)
    try:
        with open("/proc/self/stat", "rb") as file:
            fields = file.read().rsplit(b")", 1)[1].split()
        start, end = int(fields[47]), int(fields[48])  # env_start and env_end
    except (OSError, IndexError, ValueError):
        return
    # What os.environ had not replaced still points there: every name is gone, so nothing reads it any more.
    if 0 < start < end and end - start < 1 << 24:
        ctypes.memset(start, 0, end - start)
