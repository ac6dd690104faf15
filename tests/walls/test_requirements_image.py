"""`environment: requirements:`: an image derived once, cached by the file's hash. On a real engine."""

from __future__ import annotations

import contextlib
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from analyzer.configuration.config import Environment
from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.docker_engine import connect
from analyzer.walls.requirements import UNREACHED, collect, derive

NETWORK = os.environ.get("ASSAY_INSTALL_NETWORK", "host")


def write(root, name, text):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_included_files_are_collected_from_inside_the_repository_only(tmp_path):
    root = tmp_path / "repository"
    write(root, "requirements/all.txt", "-r base.txt\n--constraint=../constraints.txt\nnumpy\n")
    write(root, "requirements/base.txt", "six\n-r all.txt\n")
    write(root, "constraints.txt", "six<2\n")
    assert set(collect(root, "requirements/all.txt")) == {
        "requirements/all.txt",
        "requirements/base.txt",
        "constraints.txt",
    }
    write(tmp_path, "secret.txt", "token")
    write(root, "evil.txt", "-r ../secret.txt\n")
    with pytest.raises(TargetProblem, match="leads out of the repository"):
        collect(root, "evil.txt")
    os.symlink(tmp_path / "secret.txt", root / "link.txt")
    with pytest.raises(TargetProblem, match="leads out of the repository"):
        collect(root, "link.txt")
    with pytest.raises(TargetProblem, match=r"no requirements file 'none.txt'"):
        collect(root, "none.txt")


WHEEL = "assay_absent-1.0-py3-none-any.whl"


class Index(http.server.BaseHTTPRequestHandler):
    """A package index of this machine: each folder of its address has another fault."""

    def do_GET(self) -> None:
        fault, _, rest = self.path.strip("/").partition("/")
        if fault == "hangs-up":
            self.connection.close()
        elif fault == "breaks" and rest.endswith(".whl"):
            self.send_response(503)
            self.end_headers()
        elif fault == "empty":
            self.send_response(404)
            self.end_headers()
        else:
            page = f'<a href="/{fault}/{WHEEL}">{WHEEL}</a>'.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def index() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Index) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def pip_says(index: str, package: str, folder: Path) -> str:
    options = ["--no-input", "--no-cache-dir", "--disable-pip-version-check", "--retries", "1", "--no-deps"]
    command = [sys.executable, "-m", "pip", "--isolated", "download", *options, "--dest", folder, "--index-url", index]
    ran = subprocess.run([*command, package], capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode != 0, ran.stdout
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("fault", ["hangs-up", "breaks", "nobody-listens", "no-such-host"])
def test_an_index_that_is_not_reached_is_told_from_a_list_that_is_wrong(index: str, fault: str, tmp_path: Path) -> None:
    """What the real pip prints: nobody's list is at fault where the index is."""
    where = {"nobody-listens": "http://127.0.0.1:9/", "no-such-host": "https://index.invalid/"}
    said = pip_says(where.get(fault, f"{index}/{fault}/"), "assay-absent", tmp_path)
    assert UNREACHED.search(said), said


@pytest.mark.parametrize(("fault", "package"), [("empty", "assay-absent"), ("works", "assay-absent==9.9")])
def test_a_list_that_names_what_the_index_does_not_have_is_wrong(
    index: str, fault: str, package: str, tmp_path: Path
) -> None:
    said = pip_says(f"{index}/{fault}/", package, tmp_path)
    assert "No matching distribution" in said
    assert not UNREACHED.search(said), said


@pytest.mark.parametrize(
    ("line", "unreached"),
    [
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", True),
        ("Connection timed out after 15 s: ConnectTimeoutError(<connection>, 'timed out')", True),
        ("ReadTimeoutError(\"HTTPSConnectionPool(host='index', port=443): Read timed out. (read timeout=15)\")", True),
        ("ProxyError('Cannot connect to proxy.', ConnectionRefusedError(111))", True),
        ("SSLError(SSLCertVerificationError(1, 'certificate verify failed'))", True),
        ("ERROR: HTTP error 502 while getting https://index/six.whl", True),
        ("ERROR: HTTP error 404 while getting https://index/six.whl", False),
        ("ERROR: Invalid requirement: 'torch>>2'", False),
        ("ERROR: Cannot install a==1 and b==2 because these package versions have conflicting dependencies.", False),
        ("error: command 'gcc' failed with exit code 1", False),
        ("ERROR: Package 'x' requires a different Python: 3.11.5 not in '<3.8'", False),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", False),
    ],
)
def test_what_pip_prints_besides(line: str, unreached: bool) -> None:
    assert bool(UNREACHED.search(line)) is unreached


@pytest.mark.docker
def test_keeping_the_image_may_take_as_long_as_installing(docker_sandbox, tmp_path):
    """An engine writes gigabytes of frameworks once more, and that may be minutes: no answer is no failure."""
    write(tmp_path, "requirements.txt", f"# nothing, and not what another run has kept: {tmp_path} {os.getpid()}\n")
    with contextlib.closing(connect()) as client:
        assert client.api.timeout < 900
        made = derive(client, docker_sandbox.image, tmp_path, "requirements.txt", network="none", seconds=900)
        assert client.api.timeout == 900
        client.images.remove(made, force=True)


@pytest.mark.docker
def test_requirements_are_installed_once_and_found(docker_sandbox, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_TOKEN", "ghs_secret")
    write(tmp_path, "requirements.txt", "six==1.17.0\n")
    sandbox = DockerSandbox(docker_sandbox.image, install_network=NETWORK)
    client = connect()
    environment = Environment(requirements="requirements.txt")
    try:
        derived = sandbox.within(environment, tmp_path)
        created = client.images.get(derived.image).attrs["Created"]
        completed = derived.run([PYTHON, "-c", "import six; print('six', six.__version__)"], files={})
        assert "six 1.17.0" in completed.log
        assert sandbox.within(environment, tmp_path).image == derived.image
        assert client.images.get(derived.image).attrs["Created"] == created
        assert derived.identity != sandbox.identity
        write(tmp_path, "requirements.txt", "six==1.17.0  # changed\n")
        history = client.images.get(derived.image).attrs["Config"]
        assert "ghs_secret" not in str(history)
    finally:
        client.images.remove(derived.image, force=True)
        client.close()


@pytest.mark.docker
def test_a_package_that_does_not_exist_is_one_sentence(docker_sandbox, tmp_path):
    write(tmp_path, "requirements.txt", "assay-no-such-package-at-all==0.0.1\n")
    with pytest.raises(TargetProblem, match=r"installing 'requirements.txt' failed: ERROR: .*assay-no-such-package"):
        DockerSandbox(docker_sandbox.image, install_network=NETWORK).within(
            Environment(requirements="requirements.txt"), tmp_path
        )


@pytest.mark.docker
def test_requirements_of_a_trusted_tree_are_installed_instead_of_those_under_review(docker_sandbox, tmp_path):
    """A stranger's list, with a program of theirs, is not even read."""
    write(tmp_path, "base/requirements.txt", "six==1.17.0  # trusted\n")
    write(tmp_path, "head/requirements.txt", "./evil\n")
    write(tmp_path, "head/evil/setup.py", "raise SystemExit('ran')\n")
    sandbox = replace(docker_sandbox, install_network=NETWORK, requirements_from=tmp_path / "base")
    environment = Environment(requirements="requirements.txt")
    derived = sandbox.within(environment, tmp_path / "head")
    try:
        completed = derived.run([PYTHON, "-c", "import six; print('six', six.__version__)"], files={})
        assert "six 1.17.0" in completed.log
    finally:
        with contextlib.closing(connect()) as client:
            client.images.remove(derived.image, force=True)
