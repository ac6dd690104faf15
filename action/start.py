"""The image's entry point: replaces this process by the action at once, with an environment that holds no secret.

The kernel shows a process's first environment in ``/proc/PID/environ`` for as long as it runs, whatever the process
deletes later. So what the runner says goes into an anonymous file in memory, the runner's command files are opened, and
the interpreter is executed anew: the new image has an allow-list of variables, and descriptors instead of paths.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import sys
from collections.abc import Mapping, MutableMapping, Sequence

FLAG = "--handed-over"
# What the action and its children may find in their environment. Everything else is in the file in memory only.
ALLOWED = frozenset(
    {
        "ASSAY_ENGINES_IMAGE",
        "ASSAY_IMAGE",
        "ASSAY_INSTALL_NETWORK",
        "ASSAY_TORCH_INDEX",
        "DOCKER_HOST",
        "GIT_SSL_CAINFO",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "LANG",
        "LC_ALL",
        "NO_PROXY",
        "PATH",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONUNBUFFERED",
        "REQUESTS_CA_BUNDLE",
        "SSL_CERT_FILE",
        "TF_CPP_MIN_LOG_LEVEL",
        "TMPDIR",
        "http_proxy",
        "https_proxy",
        "no_proxy",
    }
)
COMMAND_FILES = ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")  # the two that the action writes; no other is handed on
PR_SET_DUMPABLE = 4  # linux/prctl.h


def replace_process(environ: Mapping[str, str], command: Sequence[str]) -> None:
    """Execute `command` with the allow-list of `environ`; the rest reaches it through `receive`. Does not return."""
    told = {name: value for name, value in environ.items() if name not in ALLOWED}
    for name in COMMAND_FILES:
        with contextlib.suppress(KeyError, OSError):  # not given, or not to be written: said when it is written
            descriptor = os.open(told[name], os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o644)
            os.set_inheritable(descriptor, True)
            told[name] = f"/proc/self/fd/{descriptor}"
    memory = os.memfd_create("assay", 0)
    with os.fdopen(os.dup(memory), "wb") as stream:
        stream.write(json.dumps(told).encode("utf-8", "surrogateescape"))
    os.lseek(memory, 0, os.SEEK_SET)
    os.set_inheritable(memory, True)
    os.execve(
        sys.executable,
        [*command, FLAG, str(memory)],
        {name: value for name, value in environ.items() if name in ALLOWED},
    )


def receive(arguments: Sequence[str], environ: MutableMapping[str, str]) -> MutableMapping[str, str]:
    """What the runner said: handed over by `replace_process`, or this process's own environment."""
    if not arguments or arguments[0] != FLAG:
        return environ
    with open(int(arguments[1]), "rb") as stream:
        told: dict[str, str] = json.loads(stream.read().decode("utf-8", "surrogateescape"))
    for name in COMMAND_FILES:
        path = told.get(name, "")
        if path.startswith("/proc/self/fd/"):
            os.set_inheritable(int(path.rpartition("/")[2]), False)  # no child gets it
    return told


def hide() -> None:
    """Let no process of the same user read this one's memory, descriptors or environment (on Linux)."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


if __name__ == "__main__":
    flags = sys.orig_argv[1 : sys.orig_argv.index("-m")]
    replace_process(os.environ, [sys.executable, *flags, "-m", "action"])
