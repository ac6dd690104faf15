"""The system call filter: what Landlock does not see, refused by number.

A list of refusals, for frameworks differ in what they call; calls newer than the list do not exist (ENOSYS). A refused
call fails with an error, so that libraries fall back; a call of another architecture ends the process.

Numbers: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h of Linux 6.12.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from . import system

SECCOMP_MODE_FILTER = 2  # linux/seccomp.h
KILL, ALLOW, ERRNO = 0x80000000, 0x7FFF0000, 0x00050000
AUDIT = {system.X86_64: 0xC000003E, system.AARCH64: 0xC00000B7}
X32_BIT = 0x40000000  # the other calling convention of x86-64, with numbers of its own
NEWEST = 462  # mseal; later calls are answered with ENOSYS

CLONE_THREAD = 0x00010000  # linux/sched.h
NAMESPACES = 0x7E020080  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET and NEWTIME
AF_UNIX, SOCK_STREAM, SOCK_SEQPACKET, TYPE_MASK = 1, 1, 5, 0xF
TIOCSTI, TIOCLINUX = 0x5412, 0x541C
O_ACCMODE, O_TRUNC = 0o3, 0o1000

# Name: (x86-64, aarch64); None where an architecture has no such call.
REFUSED: dict[str, tuple[int | None, int | None]] = {
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "pidfd_send_signal": (424, 424),
    "process_madvise": (440, 440), "process_mrelease": (448, 448), "migrate_pages": (256, 238),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    # mounts and namespaces
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "statmount": (457, 457),
    "listmount": (458, 458), "unshare": (272, 97), "setns": (308, 268), "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264), "fanotify_init": (300, 262), "fanotify_mark": (301, 263),
    # the kernel's insides
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "lookup_dcookie": (212, 18), "syslog": (103, 116),
    "personality": (135, 92), "iopl": (172, None), "ioperm": (173, None), "modify_ldt": (154, None),
    "uselib": (134, None), "nfsservctl": (180, 42), "vhangup": (153, 58), "seccomp": (317, 277),
    # the machine
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266), "sethostname": (170, 161),
    "setdomainname": (171, 162), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    # talking to processes that are none of its own
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195), "semget": (64, 190), "semctl": (66, 191),
    "msgget": (68, 186), "msgctl": (71, 187), "msgsnd": (69, 189), "msgrcv": (70, 188), "mq_open": (240, 180),
    "mq_unlink": (241, 181),
}  # fmt: skip

NETWORK: dict[str, tuple[int | None, int | None]] = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242),
}  # fmt: skip

LISTENING = ("socket", "bind", "listen")  # what the driver of NVIDIA's devices (580) calls when it starts

PROGRAMS: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
}  # fmt: skip

# Landlock does not cover what changes a file without opening it. These do nothing and say that they did: Python's
# copying functions call them, and fail where they fail.
WITHOUT_EFFECT: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88),
}  # fmt: skip

ATTRIBUTES: dict[str, tuple[int | None, int | None]] = {
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "removexattr": (197, 14),
    "lremovexattr": (198, 15), "fremovexattr": (199, 16),
}  # fmt: skip

# How other processes of the same user are run, which neither Landlock nor signals' rules cover: of others it has no
# effect. Pools of threads pin theirs so, and would complain. Name: (numbers, the argument that names a process).
SCHEDULING: dict[str, tuple[tuple[int, int], int]] = {
    "sched_setaffinity": ((203, 122), 0), "sched_setscheduler": ((144, 119), 0), "sched_setparam": ((142, 118), 0),
    "sched_setattr": ((314, 274), 0), "setpriority": ((141, 140), 1), "ioprio_set": ((251, 30), 1),
    "move_pages": ((279, 239), 0),
}  # fmt: skip
# These two name a group or a user of processes otherwise: PRIO_PROCESS (linux/resource.h), IOPRIO_WHO_PROCESS.
WHOSE: dict[str, int] = {"setpriority": 0, "ioprio_set": 1}

LOAD, JUMP_EQUAL, JUMP_ABOVE, AND, RETURN = 0x20, 0x15, 0x35, 0x54, 0x06  # classic BPF: ld [k]; jeq; jge; and; ret
OFFSET_NUMBER, OFFSET_ARCHITECTURE, OFFSET_ARGUMENTS = 0, 4, 16


class Filter:
    """A filter as it grows: a list of classic BPF instructions."""

    def __init__(self, architecture: str) -> None:
        self.column = 0 if architecture == system.X86_64 else 1
        self.code: list[tuple[int, int, int, int]] = []
        self._add(LOAD, OFFSET_ARCHITECTURE)
        self._add(JUMP_EQUAL, AUDIT[architecture], 1, 0)
        self._add(RETURN, KILL)
        self._add(LOAD, OFFSET_NUMBER)
        if architecture == system.X86_64:
            self._add(JUMP_ABOVE, X32_BIT, 0, 1)
            self._add(RETURN, KILL)
        self._add(JUMP_ABOVE, NEWEST + 1, 0, 1)
        self._add(RETURN, ERRNO | errno.ENOSYS)

    def _add(self, code: int, k: int, true: int = 0, false: int = 0) -> None:
        self.code.append((code, true, false, k))

    def refuse(self, calls: dict[str, tuple[int | None, int | None]], error: int) -> None:
        """Answer each call with `error`; 0 is success without effect."""
        for numbers in calls.values():
            if numbers[self.column] is not None:
                self._add(JUMP_EQUAL, numbers[self.column] or 0, 0, 1)
                self._add(RETURN, ERRNO | error)

    def only_if(
        self, numbers: tuple[int | None, int | None], argument: int, values: tuple[int, ...], mask: int, error: int
    ) -> None:
        """Refuse the call unless the lower half of `argument`, under `mask`, is one of `values`."""
        self._checked(numbers, argument, values, mask, error, equal=True)

    def not_if(
        self, numbers: tuple[int | None, int | None], argument: int, values: tuple[int, ...], mask: int, error: int
    ) -> None:
        """Refuse the call if the lower half of `argument`, under `mask`, is one of `values`."""
        self._checked(numbers, argument, values, mask, error, equal=False)

    def _checked(
        self, numbers: tuple[int | None, int | None], argument: int, values: tuple[int, ...], mask: int, error: int,
        *, equal: bool,
    ) -> None:  # fmt: skip
        number = numbers[self.column]
        if number is None:
            return
        body: list[tuple[int, int, int, int]] = [(LOAD, 0, 0, OFFSET_ARGUMENTS + 8 * argument), (AND, 0, 0, mask)]
        for index, value in enumerate(values):
            left = len(values) - 1 - index  # comparisons to jump over on a match; for `equal` the refusal too
            body.append((JUMP_EQUAL, left + 1 if equal else left, 0 if left or equal else 1, value & mask))
        body.append((RETURN, 0, 0, ERRNO | error))
        body.append((LOAD, 0, 0, OFFSET_NUMBER))
        self._add(JUMP_EQUAL, number, 0, len(body))
        self.code.extend(body)

    def finish(self) -> bytes:
        """The instructions as the kernel takes them."""
        self._add(RETURN, ALLOW)
        return b"".join(struct.pack("=HBBI", *instruction) for instruction in self.code)


def program(architecture: str, *, landlock: int, programs: bool, own: int | None, accelerated: bool = False) -> bytes:
    """The filter as bytes.

    Args:
        architecture: `system.X86_64` or `system.AARCH64`.
        landlock: the ABI of Landlock: what it does not cover is refused here.
        programs: other programs may be started, and processes.
        own: this process's id, beyond which no signal goes; None where it has children to end.
        accelerated: a driver of accelerators may listen on a socket of the system, at which nobody is let in.
    """
    made = Filter(architecture)
    made.refuse(REFUSED, errno.EPERM)
    made.refuse(WITHOUT_EFFECT, 0)
    made.refuse(ATTRIBUTES, errno.ENOTSUP)
    made.refuse({"clone3": (435, 435)}, errno.ENOSYS)  # its flags lie in memory; the C library then calls clone
    clone = (56, 220)
    if programs:
        for bit in range(32):
            if NAMESPACES >> bit & 1:
                made.only_if(clone, 0, (0,), 1 << bit, errno.EPERM)
    else:
        made.refuse(PROGRAMS, errno.EPERM)
        made.only_if(clone, 0, (CLONE_THREAD,), CLONE_THREAD, errno.EPERM)
    made.refuse({name: call for name, call in NETWORK.items() if not (accelerated and name in LISTENING)}, errno.EPERM)
    if accelerated:  # no datagrams, which reach any named socket without a connection
        made.only_if(NETWORK["socket"], 0, (AF_UNIX,), 0xFFFFFFFF, errno.EPERM)
        made.only_if(NETWORK["socket"], 1, (SOCK_STREAM, SOCK_SEQPACKET), TYPE_MASK, errno.EPERM)
    # A pair of datagram sockets could still send to any named one.
    made.only_if((53, 199), 0, (AF_UNIX,), 0xFFFFFFFF, errno.EPERM)
    made.only_if((53, 199), 1, (SOCK_STREAM,), TYPE_MASK, errno.EPERM)
    made.not_if((16, 29), 1, (TIOCSTI, TIOCLINUX), 0xFFFFFFFF, errno.EPERM)
    made.only_if((302, 261), 0, (0,) if own is None else (0, own), 0xFFFFFFFF, errno.EPERM)  # prlimit64
    for name, (call, argument) in SCHEDULING.items():
        made.only_if(call, argument, (0,) if own is None else (0, own), 0xFFFFFFFF, 0)
        if name in WHOSE:
            made.only_if(call, 0, (WHOSE[name],), 0xFFFFFFFF, 0)
    if own is not None:
        for signalling in ((62, 129), (234, 131)):  # kill, tgkill
            made.only_if(signalling, 0, (own,), 0xFFFFFFFF, errno.EPERM)
        made.refuse({"tkill": (200, 130)}, errno.EPERM)
    if landlock < 3:
        made.refuse({"truncate": (76, 45), "openat2": (437, 437)}, errno.ENOSYS)
        for numbers, flags in (((2, None), 1), ((257, 56), 2)):  # open, openat
            made.not_if(numbers, flags, (O_TRUNC,), O_ACCMODE | O_TRUNC, errno.EPERM)  # emptied through a read
    return made.finish()


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def apply(code: bytes) -> None:
    """Put the filter before this thread and all that it starts; `system.no_new_privileges` comes first."""
    holder = ctypes.create_string_buffer(code, len(code))
    described = _Filter(len(code) // 8, ctypes.cast(holder, ctypes.c_char_p))
    system.prctl(system.PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(described))
