"""What other processes can read of the action: its environment, its arguments, its descriptors."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from action.start import ALLOWED, receive
from tests.action.harness import Workbench, parse_outputs
from tests.github_simulator.server import TOKEN

ROOT = Path(__file__).parents[2]
RUNTIME = "runtime-secret-of-the-runner"
pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="needs /proc")


def runner(bench: Workbench, box: Path) -> dict[str, str]:
    (box / "event.json").write_text(json.dumps(bench.payload()), encoding="utf-8")
    return {
        "PATH": os.environ["PATH"],
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(box / "event.json"),
        "GITHUB_REPOSITORY": "octo/models",
        "GITHUB_SHA": bench.head,
        "GITHUB_API_URL": bench.simulator.url,
        "GITHUB_GRAPHQL_URL": bench.simulator.graphql_url,
        "GITHUB_SERVER_URL": bench.simulator.site,
        "GITHUB_WORKSPACE": str(bench.workspace),
        "GITHUB_STEP_SUMMARY": str(box / "summary.md"),
        "GITHUB_OUTPUT": str(box / "outputs"),
        "GITHUB_ENV": str(box / "env"),
        "RUNNER_ENVIRONMENT": "github-hosted",
        "ACTIONS_RUNTIME_TOKEN": RUNTIME,
        "ACTIONS_ID_TOKEN_REQUEST_TOKEN": RUNTIME,
        "SOME_OTHER_TOKEN": RUNTIME,
        "INPUT_TOKEN": TOKEN,
        "INPUT_PROJECT-CODE": "never",
    }


def test_no_process_reads_a_secret_while_the_action_runs(bench: Workbench, tmp_path: Path) -> None:
    bench.open_pull({"README.md": "another\n"})
    box = tmp_path / "box"
    box.mkdir()
    child = subprocess.Popen(
        [sys.executable, "-m", "action.start"], cwd=ROOT, env=runner(bench, box), stdout=subprocess.PIPE, text=True
    )
    proc, seen, names = Path("/proc", str(child.pid)), b"", set[str]()
    while child.poll() is None:
        try:
            arguments = (proc / "cmdline").read_bytes()
            if b"--handed-over" in arguments:  # the process image has been replaced
                seen = arguments + (proc / "environ").read_bytes()
                names |= {os.readlink(link) for link in (proc / "fd").iterdir()}
                assert TOKEN.encode() not in seen
                assert RUNTIME.encode() not in seen
        except OSError:  # it ended between two looks
            pass
        time.sleep(0.01)
    assert child.stdout is not None
    log = child.stdout.read()
    assert child.returncode == 0, log
    assert seen, "the process was never replaced"
    variables = {part.partition(b"=")[0].decode() for part in seen.split(b"\0") if b"=" in part}
    assert variables <= ALLOWED
    assert parse_outputs((box / "outputs").read_text(encoding="utf-8"))["verdict"] == "pass"
    assert "Assay" in (box / "summary.md").read_text(encoding="utf-8")
    assert str(box / "env") not in names, "a command file that the action does not need was opened"
    assert not (box / "env").exists()


def test_what_was_handed_over_is_read_once_and_reaches_no_child(tmp_path: Path) -> None:
    """The replaced process starts a child: it has neither the memory file, nor the command files, nor the variables."""
    look = "ls -l /proc/self/fd; env"
    program = (
        "import os, subprocess, sys\n"
        "from action.start import hide, receive\n"
        "hide()\n"
        "told = receive(sys.argv[1:], os.environ)\n"
        "assert told['INPUT_TOKEN'] == 'topsecret' and 'INPUT_TOKEN' not in os.environ\n"
        "open(told['GITHUB_OUTPUT'], 'a').write('written')\n"
        "for closing in (True, False):\n"
        f"    done = subprocess.run(['/bin/sh', '-c', {look!r}], capture_output=True, text=True, close_fds=closing)\n"
        "    print(done.stdout)\n"
    )
    start = (
        f"import os, sys; from action.start import replace_process; replace_process(os.environ, "
        f"[sys.executable, '-c', {program!r}])"
    )
    output = tmp_path / "outputs"
    done = subprocess.run(
        [sys.executable, "-c", start],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "INPUT_TOKEN": "topsecret", "GITHUB_OUTPUT": str(output), "X": "topsecret"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert output.read_text() == "written"
    assert "PATH" in done.stdout
    for secret in ("topsecret", "memfd", str(output)):
        assert secret not in done.stdout


@pytest.mark.skipif(os.geteuid() != 0, reason="changing the user takes root")
def test_a_process_of_the_same_user_cannot_look_into_the_action(tmp_path: Path) -> None:
    """Once hidden, its memory and descriptors are out of reach for the user it runs as."""
    program = (
        "import os, subprocess\n"
        "from action.start import hide\n"
        "import ctypes\n"
        "os.setresuid(65534, 65534, 65534)\n"
        "ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)\n"  # as the change of the user has hidden it already
        "hide()\n"
        "look = 'for f in environ mem maps fd/0; do (: < /proc/$PPID/$f) 2>&- && echo read $f; done; echo looked'\n"
        "print(subprocess.run(['/bin/sh', '-c', look], capture_output=True, text=True).stdout)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["looked"], done.stderr
    shown = program.replace("hide()\n", "", 1)
    done = subprocess.run([sys.executable, "-c", shown], cwd=ROOT, capture_output=True, text=True, check=False)
    if "environ" not in done.stdout.split():
        pytest.skip("this system lets no process look into another anyway")


def test_without_a_handover_the_environment_is_taken_as_it_is() -> None:
    environ = {"INPUT_TOKEN": "x"}
    assert receive([], environ) is environ
