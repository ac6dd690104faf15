"""The kernel's wall, call by call: what a process behind it still can do, and that all else is refused."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from analyzer.configuration.config import Config, TargetConfig
from analyzer.differential.backend import any_accelerated
from analyzer.differential.transport import WORKER, EngineEnvironment, EngineFailed, ProcessTransport
from analyzer.differential.verdict import Kind
from analyzer.running.enclosure import enclosures
from analyzer.running.outcome import Surroundings
from analyzer.walls import launch
from analyzer.walls.kernel import landlock, seccomp, system
from analyzer.walls.process import ProcessSandbox

pytestmark = pytest.mark.skipif(launch.standing() is not None, reason=str(launch.standing()))

# name -> an expression that is refused (it raises, or comes to something false)
REFUSED = {
    "read a secret": "open(SECRET).read()",
    "list the folder of the secret": "os.listdir(os.path.dirname(SECRET))",
    "write outside": "open(MARK, 'w')",
    "make a folder outside": "os.mkdir(MARK)",
    "truncate": "os.truncate(SECRET, 0)",
    "remove": "os.remove(SECRET)",
    "rename into its own folder": "os.rename(SECRET, 'x')",
    "hard link into its own folder": "os.link(SECRET, 'x')",
    "symbolic link": "os.symlink('/etc', 'link')",
    "named pipe": "os.mkfifo('pipe')",
    "run a program": "subprocess.run(['/bin/true'], check=True)",
    "run a program by the shell": "os.system('true') == 0 or None",
    "run what it wrote": "os.execv(PROGRAM, [PROGRAM])",
    "fork": "os.fork()",
    "socket": "socket.socket()",
    "named socket": "socket.socket(socket.AF_UNIX)",
    "datagram pair": "socket.socketpair(type=socket.SOCK_DGRAM)",
    "internet, version 6": "socket.socket(socket.AF_INET6)",
    "netlink": "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
    "signal to the parent": "os.kill(os.getppid(), 0)",
    "signal to all": "os.kill(-1, 0)",
    "environment of the parent": "open(f'/proc/{os.getppid()}/environ').read()",
    "memory of the parent": "open(f'/proc/{os.getppid()}/mem', 'rb').read(1)",
    "open files of the parent": "open(f'/proc/{os.getppid()}/fd/0', 'rb').read(1)",
    "environment of process 1": "open('/proc/1/environ').read()",
    "limits of the parent": "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)",
    "raise its own limit": "resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))",
    "become root again": "os.setuid(0) if os.getuid() else os.chroot('/')",
    "write into the libraries": "open(os.__file__, 'a')",
    "write into Assay": "open(ASSAY + '/analyzer/__init__.py', 'a')",
}
# system calls by number with arguments that would work or fail otherwise, the errno that the filter answers with
CALLS = {
    "ptrace": 1, "process_vm_readv": 1, "mount": 1, "umount2": 1, "unshare": 1, "setns": 1, "bpf": 1, "keyctl": 1,
    "perf_event_open": 1, "userfaultfd": 1, "io_uring_setup": 1, "kexec_load": 1, "init_module": 1, "pidfd_open": 1,
    "pidfd_getfd": 1, "open_by_handle_at": 1, "shmget": 1, "msgget": 1, "add_key": 1, "reboot": 1, "chroot": 1,
}  # fmt: skip

PROGRAM = """
import ctypes, json, os, resource, socket, subprocess, sys, threading
SECRET, MARK, ASSAY, CALLS, REFUSED = json.loads(sys.argv[1])
PROGRAM = os.path.abspath("program.sh")
open(PROGRAM, "w").write("#!/bin/sh\\n")
got = {}
for name, text in REFUSED.items():
    try:
        value = eval(text)
        got[name] = "done" if value is not None else "refused"
    except OSError as error:
        got[name] = "refused"
    except ValueError:
        got[name] = "refused"
libc = ctypes.CDLL(None, use_errno=True)
for name, number in CALLS.items():
    ctypes.set_errno(0)
    got["call " + name] = [libc.syscall(number, 0, 0, 0, 0, 0, 0), ctypes.get_errno()]
done = []
thread = threading.Thread(target=lambda: done.append(1)); thread.start(); thread.join()
open("own", "w").write("text")
os.mkdir("folder"); os.rename("own", "folder/own")
first, second = socket.socketpair()
first.send(b"x")
allowed = {"thread": done == [1], "own folder": open("folder/own").read() == "text", "pair": second.recv(1) == b"x",
           "signal to itself": os.kill(os.getpid(), 0) is None, "chmod has no effect": os.chmod(SECRET, 0) is None}
print(json.dumps([got, allowed]))
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], dict[str, bool]]:
    """What one process behind the wall of a worker came to."""
    own, other = tmp_path_factory.mktemp("own"), tmp_path_factory.mktemp("other")
    secret, mark = other / "secret", other / "mark"
    secret.write_text("secret")
    (own / "attack.py").write_text(PROGRAM)
    column = 0 if system.architecture() == system.X86_64 else 1
    numbers = {name: seccomp.REFUSED[name][column] for name in CALLS}
    told = json.dumps([str(secret), str(mark), str(launch.ASSAY), numbers, REFUSED])
    rules = launch.worker_rules(own)
    command = launch.command("attack", told, rules=rules, path=[own])
    done = subprocess.run(
        command, cwd=own, env=launch.environment(own), capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert secret.read_text() == "secret"
    assert secret.stat().st_mode & 0o777 != 0
    assert not mark.exists()
    got, allowed = json.loads(done.stdout)
    return got, allowed


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, seen: tuple[dict[str, object], dict[str, bool]]) -> None:
    assert seen[0][name] == "refused"


@pytest.mark.parametrize(("name", "error"), CALLS.items())
def test_system_call_is_refused(name: str, error: int, seen: tuple[dict[str, object], dict[str, bool]]) -> None:
    assert seen[0]["call " + name] == [-1, error]


def test_what_engines_need_is_allowed(seen: tuple[dict[str, object], dict[str, bool]]) -> None:
    assert len(seen[1]) == 5
    assert all(seen[1].values()), seen[1]


DRIVEN = """
import ctypes, json, os, socket, threading, time
def tried(make):
    try:
        make()
        return "done"
    except OSError:
        return "refused"
ready, go = threading.Event(), threading.Event()
thread = threading.Thread(target=lambda: (ready.set(), go.wait())); thread.start(); ready.wait()
listener = None
if tried(lambda: socket.socket(socket.AF_UNIX)) == "done":
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
print(json.dumps({
    "name a thread": tried(lambda: open(f"/proc/self/task/{thread.native_id}/comm", "w").write("worker")),
    "listen": tried(lambda: (listener.bind("\\0own"), listener.listen(1))) if listener else "refused",
    "listen at a path": tried(lambda: socket.socket(socket.AF_UNIX).bind("own")),
    "accept": tried(lambda: listener.accept()) if listener else "refused",
    "connect": tried(lambda: socket.socket(socket.AF_UNIX).connect("\\0own")),
    "datagrams": tried(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)),
    "internet": tried(lambda: socket.socket()),
    "name a thread of the parent": tried(lambda: open(f"/proc/{os.getppid()}/task/{os.getppid()}/comm", "w")),
    "the system": tried(lambda: open("/proc/sys/kernel/core_pattern", "r+")),
    "score of the parent": tried(lambda: open(f"/proc/{os.getppid()}/oom_score_adj", "r+")),
}))
go.set()
"""


@pytest.mark.parametrize("device", ["/dev/full", "/dev/no such device"])
def test_what_drivers_of_accelerators_need_is_allowed_where_there_is_one(tmp_path: Path, device: str) -> None:
    (tmp_path / "driven.py").write_text(DRIVEN)
    command = launch.command("driven", rules=launch.worker_rules(tmp_path, devices=[device]), path=[tmp_path])
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=launch.environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    got = json.loads(done.stdout)
    allowed = {name for name, what in got.items() if what == "done"}
    assert allowed == ({"name a thread", "listen"} if os.path.exists(device) else set()), got


def test_only_a_target_that_names_a_device_reaches_one(tmp_path: Path) -> None:
    settings = {"torch": False, "torch:device=cpu": False, "nonsense:device=cuda": False, "torch:device=cuda": True,
                "openvino:device=gpu": True, "onnxruntime:device=tensorrt": True}  # fmt: skip
    assert {text: any_accelerated([text]) for text in settings} == settings
    where = Surroundings(tmp_path, tmp_path / "out", Config(), ProcessSandbox())
    for text, opened in settings.items():
        job = (TargetConfig("net", entry="net.py:build", backends=("torch", text)), where)
        with enclosures({"net": job}) as made:
            assert made["net"].rules is not None
            assert bool(made["net"].rules.devices) is opened, text


@pytest.mark.parametrize("version", range(1, 8))
def test_older_landlock_is_asked_for_less(version: int) -> None:
    files, net, scoped = landlock.handled(version)
    assert bool(files & landlock.TRUNCATE) is (version >= 3)
    assert bool(files & landlock.IOCTL_DEV) is (version >= 5)
    assert (bool(net), bool(scoped)) == (version >= 4, version >= 6)


@pytest.mark.parametrize("architecture", [system.X86_64, system.AARCH64])
@pytest.mark.parametrize("programs", [True, False])
def test_jumps_of_the_filter_stay_inside(architecture: str, programs: bool) -> None:
    import struct

    code = seccomp.program(architecture, landlock=1, programs=programs, own=None if programs else 5)
    instructions = [struct.unpack("=HBBI", code[i : i + 8]) for i in range(0, len(code), 8)]
    assert len(instructions) < 4096
    for index, (operation, true, false, _) in enumerate(instructions):
        if operation in (seccomp.JUMP_EQUAL, seccomp.JUMP_ABOVE):
            assert index + 1 + max(true, false) < len(instructions)
    assert instructions[-1] == (seccomp.RETURN, 0, 0, seccomp.ALLOW)


def test_the_wall_of_a_dead_parent_ends(tmp_path: Path) -> None:
    (tmp_path / "sleep.py").write_text("import os, time; print(os.getpid(), flush=True); time.sleep(600)")
    starter = f"""
import subprocess, sys, time
sys.path.insert(0, {str(launch.ASSAY)!r})
from pathlib import Path
from analyzer.running.enclosure import enclosures
from analyzer.running.outcome import Surroundings
from analyzer.walls import launch
own = Path({str(tmp_path)!r})
subprocess.Popen(launch.command("sleep", rules=launch.worker_rules(own), path=[own]), cwd=own)
time.sleep(600)
"""
    process = subprocess.Popen([sys.executable, "-c", starter], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    pid = int(process.stdout.readline())
    process.kill()
    process.wait()
    for _ in range(600):
        try:
            if "Z" in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]:
                break
        except OSError:
            break
        import time

        time.sleep(0.05)
    else:
        raise AssertionError("the child outlived its parent")


BEHAVIOUR = {
    "answers something else": ('replies.write(b\'{"id": 999, "value": 1}\\n\')', "not asked"),
    "answers without end": ("[replies.write(b'x' * (1 << 20)) for _ in range(100)]", "too long"),
    "answers a number that was asked of nobody, twice": (
        'replies.write(b\'{"id": -1, "value": 1}\\n{"id": 2, "value": 1}\\n\')',
        "not asked",
    ),
    "answers with 2 GB": ("[replies.write(b'x' * (1 << 26)) for _ in range(32)]", "too long"),
    "starts threads without end": (
        "import threading\nwhile True:\n threading.Thread(target=time.sleep, args=(600,)).start(); time.sleep(0.001)",
        "",
    ),
    "leaves a child behind": ("os.fork() or time.sleep(600)", ""),
    "answers no JSON": ("replies.write(b'[' * 100000 + b'\\n')", "not understood"),
    "writes two gigabytes": ("[open(f'../f{i}', 'wb').write(bytes(1 << 28)) for i in range(9)]; time.sleep(600)", ""),
    "overwrites its own modules": ("open(sys.modules['__main__'].__file__, 'w')", ""),
    "dies": ("os._exit(7)", "exit code 7"),
}


@pytest.mark.parametrize("name", BEHAVIOUR)
def test_a_worker_that_misbehaves_is_a_verdict(name: str) -> None:
    code, words = BEHAVIOUR[name]
    transport = ProcessTransport("reference", EngineEnvironment())
    main = transport.folder / WORKER / "__main__.py"
    source = (
        f"import os, sys, time\nreplies = os.fdopen(os.dup(1), 'wb')\nsys.stdin.readline()\n{code}\nreplies.flush()\n"
    )
    main.write_text(source)
    try:
        with pytest.raises(EngineFailed) as failed:
            transport.exchange({"op": "probe"}, deadline=60)
    finally:
        transport.close()
    assert failed.value.failure.kind is Kind.CRASH
    assert words in failed.value.failure.message
    assert not transport.folder.exists()


def test_a_listening_socket_hears_nothing(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        (tmp_path / "call.py").write_text(
            f"import socket\nsocket.create_connection(('127.0.0.1', {server.getsockname()[1]}))\n"
        )
        command = launch.command("call", rules=launch.worker_rules(tmp_path), path=[tmp_path])
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert "Operation not permitted" in done.stderr
        with pytest.raises(TimeoutError):
            server.accept()


def test_the_environment_is_an_allow_list(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "s3cret")
    assert "s3cret" not in json.dumps(launch.environment(tmp_path))
    assert launch.environment(tmp_path)["HOME"] == launch.environment(tmp_path)["TMPDIR"] == str(tmp_path)
    assert set(launch.environment(tmp_path)) <= {*launch.KEPT, "HOME", "TMPDIR", "PYTHONDONTWRITEBYTECODE"}
    assert os.environ["AWS_SECRET_ACCESS_KEY"] == "s3cret"
