"""Landlock: which files this thread, and all that it starts, may still open.

Source: the kernel's Documentation/userspace-api/landlock.rst. Rights that the running kernel's ABI does not know are
left out here and refused by the system call filter where it can (`seccomp`).
"""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable

from . import system

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same on all architectures
VERSION_FLAG = 1  # LANDLOCK_CREATE_RULESET_VERSION of linux/landlock.h
PATH_BENEATH = 1  # LANDLOCK_RULE_PATH_BENEATH of linux/landlock.h

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REMOVE_DIR, REMOVE_FILE, MAKE_CHAR, MAKE_DIR, MAKE_REG = 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8
MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = 1 << 9, 1 << 10, 1 << 11, 1 << 12
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

READ = READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | TRUNCATE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER
SPECIAL_FILES = MAKE_SYM | MAKE_FIFO | MAKE_SOCK  # what a reader outside could be misled or held up by
DEVICE = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEV

_NET = 0b11  # bind and connect by TCP: none is allowed
_SCOPES = 0b11  # abstract sockets and signals: only within


class _Attributes(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64)]


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("access", ctypes.c_uint64), ("parent", ctypes.c_int32)]


def abi() -> int:
    """The running kernel's version of Landlock; 0 where there is none."""
    if system.architecture() is None:
        return 0
    try:
        return system.syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    except OSError:
        return 0


def handled(version: int) -> tuple[int, int, int]:
    """The rights on files, on TCP and the scopes that ABI `version` can refuse."""
    files = (1 << 13) - 1
    for since, right in ((2, REFER), (3, TRUNCATE), (5, IOCTL_DEV)):
        files |= right if version >= since else 0
    return files, _NET if version >= 4 else 0, _SCOPES if version >= 6 else 0


class Ruleset:
    """Collects what stays allowed. `close` applies it; an unused ruleset changes nothing."""

    def __init__(self, version: int) -> None:
        """Raises OSError where Landlock is missing or switched off."""
        self._files, net, scoped = handled(version)
        attributes = _Attributes(self._files, net, scoped)
        size = 24 if version >= 6 else 16 if version >= 4 else 8
        self._descriptor = system.syscall(CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), 0)

    def allow(self, paths: Iterable[str], rights: int) -> None:
        """Allow `rights` on each path and all below it; a path that does not exist is passed over."""
        for path in paths:
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            try:
                folder = stat.S_ISDIR(os.fstat(descriptor).st_mode)
                granted = rights & self._files & (-1 if folder else ON_FILES)
                rule = _PathBeneath(granted, descriptor)
                if granted:
                    system.syscall(ADD_RULE, self._descriptor, PATH_BENEATH, ctypes.byref(rule), 0)
            finally:
                os.close(descriptor)

    def close(self) -> None:
        """From here on only what was allowed is; `system.no_new_privileges` comes first. Raises OSError."""
        try:
            system.syscall(RESTRICT_SELF, self._descriptor, 0)
        finally:
            os.close(self._descriptor)
