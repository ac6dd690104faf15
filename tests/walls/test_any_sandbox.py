"""What every sandbox promises, tried on each of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON, ResourceLimits, Sandbox
from analyzer.walls.launch import standing
from analyzer.walls.process import ProcessSandbox


def test_files_go_in_and_come_back(run, tmp_path):
    project = tmp_path / "project"
    (project / "package").mkdir(parents=True)
    (project / "package" / "data.txt").write_text("seen")
    code = """
import pathlib
pathlib.Path("out/deep/er").mkdir(parents=True)
text = pathlib.Path("project/package/data.txt").read_text()
pathlib.Path("out/deep/er/answer.txt").write_text(text + " and answered")
print("done")
"""
    completed = run(code, {"project": project})
    assert completed.exit_code == 0
    assert completed.files == ("deep/er/answer.txt",)
    assert (tmp_path / "back" / "deep/er/answer.txt").read_text() == "seen and answered"
    assert "done" in completed.log
    assert not completed.timed_out
    assert completed.refused is None


def test_exit_code_is_the_commands(run):
    assert run("import os; os._exit(7)").exit_code == 7


def test_environment_holds_no_secret(run, monkeypatch):
    for name in ("GITHUB_TOKEN", "ACTIONS_RUNTIME_TOKEN", "AWS_SECRET_ACCESS_KEY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "s3cret-value")
    completed = run("import os\nfor name, value in os.environ.items(): print(name, value)")
    assert "s3cret-value" not in completed.log
    assert "HOME" in completed.log


def test_environment_is_an_allow_list(sandbox: Sandbox):
    with pytest.raises(ValueError, match="GITHUB_TOKEN"):
        sandbox.run([PYTHON, "-c", ""], files={}, environment={"GITHUB_TOKEN": "x"})
    completed = sandbox.run(
        [PYTHON, "-c", "import os; print(os.environ['KERAS_BACKEND'])"],
        files={},
        environment={"KERAS_BACKEND": "torch"},
    )
    assert "torch" in completed.log


def test_deadline_ends_the_command_and_what_it_started(run):
    code = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
time.sleep(600)
"""
    completed = run(code, seconds=2)
    assert completed.timed_out
    assert completed.seconds < 60


def test_a_process_left_behind_does_not_outlive_the_command(sandbox: Sandbox, tmp_path, run):
    code = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
print("pid", child.pid)
"""
    completed = run(code, seconds=60)
    assert completed.exit_code == 0
    assert not completed.timed_out
    pid = int(completed.log.split("pid")[1].split()[0])
    if sandbox.name.startswith("a limited process"):
        assert not Path(f"/proc/{pid}/cmdline").exists() or not Path(f"/proc/{pid}/cmdline").read_bytes()


def test_memory_is_limited(run):
    completed = run(
        "block = bytearray(1 << 30)\nimport time; time.sleep(20)", memory=256 << 20, scratch=16 << 20, output=16 << 20
    )
    assert completed.out_of_memory or "MemoryError" in completed.log
    assert completed.exit_code != 0


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.symlink('/etc/passwd', 'out/link')",
        "import os; os.mkfifo('out/pipe')",
        "import os; open('out/a', 'w').close(); os.link('out/a', 'out/b')",
    ],
    ids=["symbolic link", "fifo", "hard link"],
)
def test_only_plain_files_come_back(run, tmp_path, code):
    completed = run(code)
    assert completed.refused is not None
    assert "plain file" in completed.refused
    assert not (tmp_path / "back" / "link").exists()


def test_output_is_capped(run, tmp_path):
    completed = run(
        "import os\nfor i in range(64):\n    with open(f'out/{i}', 'wb') as f: f.write(os.urandom(1 << 20))",
        output=8 << 20,
    )
    size = sum(p.stat().st_size for p in (tmp_path / "back").rglob("*") if p.is_file())
    assert size <= 8 << 20
    assert completed.refused is not None or completed.exit_code != 0  # ENOSPC where the folder itself is limited


def test_printed_megabytes_are_shortened(run):
    completed = run("print('first'); print('x' * 20_000_000); print('last')", log=4096)
    assert len(completed.log) < 6000
    assert completed.log.startswith("first")
    assert completed.log.rstrip().endswith("last")
    assert "left out" in completed.log


def test_links_out_of_the_project_stay_behind(run, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("token")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "config").write_text("extraheader = token")
    (project / "inside.txt").write_text("fine")
    os.symlink(secret, project / "leak")
    os.symlink(tmp_path, project / "up")
    os.symlink("inside.txt", project / "alias.txt")
    os.symlink(".git/config", project / "config")
    code = "import os\nfor f, d, n in os.walk('project'): print(f, sorted(d), sorted(n))"
    completed = run(code, {"project": project})
    assert "['alias.txt', 'inside.txt']" in completed.log
    for name in ("leak", "up", "secret", ".git", "config"):
        assert f"'{name}'" not in completed.log


def test_too_much_input_is_one_sentence(sandbox: Sandbox, tmp_path):
    (tmp_path / "big").write_bytes(bytes(3 << 20))
    with pytest.raises(TargetProblem, match="more than 2 MiB"):
        sandbox.run([PYTHON, "-c", ""], files={"big": tmp_path / "big"}, limits=ResourceLimits(input=2 << 20))


def test_a_missing_program_is_a_failed_command(sandbox: Sandbox):
    completed = sandbox.run(["no-such-program"], files={})
    assert completed.exit_code == 127
    assert "cannot start no-such-program" in completed.log


def test_nothing_stays_when_the_starter_is_killed(tmp_path):
    """The pipeline ends a target that takes too long by killing its process: the sandbox must end too."""
    code = """
import pathlib, sys
from analyzer.walls import PYTHON
from analyzer.walls.process import ProcessSandbox
inside = "import os, time; open('out/pid', 'w').write(str(os.getpid())); time.sleep(600)"
ProcessSandbox().run([PYTHON, "-c", inside], files={})
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    starter = subprocess.Popen([sys.executable, "-c", code], cwd=Path(__file__).parents[2], env=environment)
    pid = ""
    while not pid:
        assert starter.poll() is None
        time.sleep(0.05)
        pid = "".join(marker.read_text() for marker in tmp_path.glob("assay-*/box/out/pid"))
    starter.kill()
    starter.wait()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{pid}").exists()


def test_a_folder_that_is_closed_to_the_user_is_no_part_of_an_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ProcessSandbox().identity
    listed = os.listdir

    def closed(folder: Any) -> list[str]:
        if str(folder) == str(tmp_path):
            raise PermissionError(13, "Permission denied", str(folder))
        return listed(folder)

    monkeypatch.setattr("analyzer.walls.process.os.listdir", closed)
    for folder in (tmp_path, tmp_path / "absent"):
        monkeypatch.syspath_prepend(str(folder))
    (tmp_path / "more-1.0.dist-info").mkdir()
    assert ProcessSandbox().identity == before
    monkeypatch.setattr("analyzer.walls.process.os.listdir", listed)
    assert ProcessSandbox().identity != before


def test_hidden_files_beside_what_is_installed_in_place_stay_unread(tmp_path: Path, monkeypatch: Any) -> None:
    if standing() is not None:
        pytest.skip(f"the kernel's wall cannot stand: {standing()}")
    place = tmp_path / "checkout"
    (place / ".git").mkdir(parents=True)
    for name in (".git/config", ".env", "in_place.py"):
        (place / name).write_text("NUMBER = 77\n")
    monkeypatch.syspath_prepend(str(place))
    code = f"""
import sys
sys.path.insert(0, {str(place)!r})
import in_place
print("imported", in_place.NUMBER)
for name in (".git/config", ".env"):
    try:
        print(name, open({str(place)!r} + "/" + name).read())
    except PermissionError:
        print(name, "refused")
"""
    completed = ProcessSandbox().run([PYTHON, "-c", code], files={})
    assert completed.log.split() == ["imported", "77", ".git/config", "refused", ".env", "refused"], completed.log
