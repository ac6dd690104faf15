"""What hostile code finds inside the container: nothing worth having. On a real engine."""

from __future__ import annotations

import contextlib

import pytest
from docker.errors import NotFound

from analyzer.configuration.config import Environment
from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON, ResourceLimits, docker
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.docker_engine import connect, remove

pytestmark = pytest.mark.docker


def test_there_is_no_network_but_loopback(probe):
    completed = probe("""
import os, socket
print("interfaces", sorted(os.listdir("/sys/class/net")))
for host in ("1.1.1.1", "169.254.169.254", "172.17.0.1"):
    try:
        socket.create_connection((host, 80), timeout=3)
        print("REACHED", host)
    except OSError as error:
        print("refused", host, error.errno)
""")
    assert "interfaces ['lo']" in completed.log
    assert "REACHED" not in completed.log
    assert completed.log.count("refused") == 3


def test_no_capability_no_privilege_no_root(probe):
    completed = probe("""
import os
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
for key in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
    assert int(status[key], 16) == 0, key
assert status["NoNewPrivs"].strip() == "1"
assert status["Seccomp"].strip() == "2"
assert os.getuid() == os.geteuid() == 65534, os.getuid()
assert os.getgid() == 65534
print("all held")
""")
    assert "all held" in completed.log, completed.log


def test_nothing_can_be_written_but_the_two_folders(probe):
    completed = probe("""
import os
for path in ("/evil", "/etc/evil", "/usr/evil", "/box/evil", "/box/main.py", "/root/evil", "/var/evil", "/home/evil"):
    try:
        open(path, "w").close()
        print("WROTE", path)
    except OSError:
        pass
open("/tmp/fine", "w").close()
open("out/fine", "w").close()
print("end")
""")
    assert "WROTE" not in completed.log
    assert "end" in completed.log
    assert completed.files == ("fine",)


@pytest.mark.parametrize("folder", ["/tmp", "out"])
def test_what_was_written_cannot_be_executed(probe, folder):
    completed = probe(f"""
import os, subprocess
path = {folder!r} + "/program"
with open(path, "w") as file:
    file.write("#!/bin/sh\\necho RAN\\n")
os.chmod(path, 0o755)
try:
    subprocess.run([path], check=True)
except PermissionError:
    print("refused")
os.remove(path)
""")
    assert "refused" in completed.log
    assert "RAN" not in completed.log


def test_a_fork_bomb_is_stopped(probe):
    completed = probe(
        """
import os, time
made = 0
try:
    while made < 5000:
        if os.fork() == 0:
            time.sleep(100)
            os._exit(0)
        made += 1
except OSError:
    print("stopped at", made, flush=True)
os._exit(3)
""",
        processes=64,
        seconds=60,
    )
    stopped = int(completed.log.split("stopped at")[1].split()[0])
    assert stopped < 64
    assert completed.exit_code == 3


def test_the_temporary_folder_is_small(probe):
    completed = probe(
        """
try:
    with open("/tmp/big", "wb") as file:
        for _ in range(80):
            file.write(bytes(1 << 20))
except OSError as error:
    print("errno", error.errno)
""",
        scratch=64 << 20,
    )
    assert "errno 28" in completed.log  # ENOSPC


def test_too_much_memory_is_killed(probe):
    completed = probe("block = bytearray(1280 << 20)", memory=512 << 20)
    assert completed.out_of_memory
    assert completed.exit_code == 137


def test_the_environment_is_a_handful_of_names(probe, docker_sandbox, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_secret")
    monkeypatch.setenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "ghs_secret")
    client = connect()
    of_the_image = {e.split("=")[0] for e in client.images.get(docker_sandbox.image).attrs["Config"]["Env"] or ()}
    client.close()
    completed = probe("import os\nprint('names', ' '.join(sorted(os.environ)))\nprint(open('/proc/1/environ').read())")
    names = set(completed.log.split("names ")[1].splitlines()[0].split())
    ours = {
        "HOME",
        "TMPDIR",
        "LANG",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONHASHSEED",
        "HOSTNAME",
        "PATH",
        "PWD",
        "LC_CTYPE",
        "SHLVL",
        "_",
        "OLDPWD",
    }
    assert names <= of_the_image | ours
    assert "ghs_secret" not in completed.log


def test_the_engine_and_the_host_are_out_of_sight(probe):
    completed = probe("""
import os
print("socket", os.path.exists("/var/run/docker.sock") or os.path.exists("/run/docker.sock"))
mounts = [line.split()[1] for line in open("/proc/mounts")]
print("mounts", [m for m in mounts if m.startswith(("/github", "/work", "/home", "/mnt"))])
""")
    assert "socket False" in completed.log
    assert "mounts []" in completed.log


def test_no_container_and_no_volume_stays(probe, monkeypatch):
    """Watches this test's own containers only: other processes may use the same engine meanwhile."""
    containers, volumes = [], []

    def watched(container):
        container.reload()
        containers.append(container.id)
        volumes.extend(mount["Name"] for mount in container.attrs["Mounts"] if mount["Type"] == "volume")
        remove(container)

    monkeypatch.setattr(docker, "remove", watched)
    probe("print('hello')")
    probe("import time; time.sleep(100)", seconds=1)
    assert (len(containers), len(volumes)) == (2, 2)
    with contextlib.closing(connect()) as client:
        for identity in containers:
            with pytest.raises(NotFound):
                client.containers.get(identity)
        for name in volumes:
            with pytest.raises(NotFound):
                client.volumes.get(name)


def test_garbage_in_place_of_the_archive_is_refused(probe):
    completed = probe("""
import os
os.write(os.open(f"/proc/{os.getppid()}/fd/1", os.O_WRONLY), b"not a tar archive" * 100)
""")
    assert completed.refused is not None or completed.files == ()


def test_a_missing_image_is_one_sentence():
    with pytest.raises(TargetProblem, match=r"no image 'no/such:image'"):
        DockerSandbox("no/such:image").run([PYTHON, "-c", ""], files={})


def test_gpus_are_refused_cleanly_where_there_are_none(docker_sandbox):
    import subprocess

    client = connect()
    has_gpus = "nvidia" in client.info().get("Runtimes", {})
    client.close()
    if has_gpus and subprocess.call(["nvidia-smi"]) == 0:
        pytest.skip("this engine has GPUs")
    with pytest.raises(TargetProblem, match=r"Docker engine .*: .*(device driver|gpu)"):
        DockerSandbox(docker_sandbox.image, gpus=True).run(
            [PYTHON, "-c", ""], files={}, limits=ResourceLimits(seconds=30)
        )


def test_an_environment_names_another_image(docker_sandbox, tmp_path):
    assert docker_sandbox.within(None, tmp_path) is docker_sandbox
    assert docker_sandbox.within(Environment(image="team/image:1"), tmp_path).image == "team/image:1"
