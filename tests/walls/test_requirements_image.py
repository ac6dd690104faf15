"""`environment: requirements:`: an image derived once, cached by the file's hash. On a real engine."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace

import pytest

from analyzer.configuration.config import Environment
from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON
from analyzer.walls.docker import DockerSandbox, connect
from analyzer.walls.requirements import collect, derive

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
