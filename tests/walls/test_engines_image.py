"""The image with the engines: published, built or at hand, and fetched at the first use alone. On a real engine."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from analyzer.configuration.config import Environment
from analyzer.problem import TargetProblem
from analyzer.walls import PYTHON
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.docker_engine import connect
from analyzer.walls.engines import EnginesImage, EnginesSandbox
from tests.walls.test_requirements_image import NETWORK

pytestmark = pytest.mark.docker


@pytest.fixture
def slim(docker_sandbox: DockerSandbox, monkeypatch: pytest.MonkeyPatch) -> str:
    """The image that this process takes itself to run in."""
    monkeypatch.setattr("analyzer.walls.engines.own_image", lambda _client: docker_sandbox.image)
    return str(docker_sandbox.image)


def test_without_a_published_image_it_is_built_once_at_the_first_use(slim: str, tmp_path: Path) -> None:
    listed = tmp_path / "requirements-engines.txt"
    listed.write_text(f"six==1.17.0  # {tmp_path.name}\n")
    (tmp_path / "requirements-torch.txt").write_text("colorama==0.4.6+cpu\n")  # no index has it
    (tmp_path / "requirements-cuda.txt").write_text("colorama==0.4.6\n")
    told: list[str] = []
    environ = {"ASSAY_ENGINES_IMAGE": "", "ASSAY_INSTALL_NETWORK": NETWORK}
    engines = EnginesImage(environ, told.append, listed)
    sandbox = EnginesSandbox(engines, DockerSandbox())
    named = sandbox.within(Environment(image="team/image:1"), tmp_path)
    assert isinstance(named, DockerSandbox)
    assert named.image == "team/image:1"
    assert (engines.at_hand(), told) == (None, []), "nothing is built for an environment that names its own"
    try:
        completed = sandbox.run([PYTHON, "-c", "import colorama, six; print('six', six.__version__)"], files={})
        assert "six 1.17.0" in completed.log
        assert len(told) == 1
        again = EnginesImage(environ, told.append, listed)
        assert again.at_hand() == engines.name() != slim
        assert len(told) == 1
    finally:
        with contextlib.closing(connect()) as client:
            client.images.remove(engines.at_hand(), force=True)


def test_a_published_image_that_cannot_be_pulled_is_one_sentence(slim: str) -> None:
    published = f"127.0.0.1:9/assay/engines@sha256:{'0' * 64}"
    told: list[str] = []
    engines = EnginesImage({"ASSAY_ENGINES_IMAGE": published}, told.append)
    assert engines.at_hand() is None
    with pytest.raises(TargetProblem, match="the image with the engines cannot be pulled"):
        engines.name()
    assert told == [f"Pulling the image with the engines, {published}"]


def test_an_image_that_has_everything_is_its_own(slim: str, tmp_path: Path) -> None:
    nothing = tmp_path / "none.txt"
    assert EnginesImage({"ASSAY_ENGINES_IMAGE": "own"}, requirements=nothing).name() == slim
    assert EnginesImage({}, requirements=nothing).name() == slim
    assert EnginesImage({"ASSAY_IMAGE": "team/assay:1"}, requirements=nothing).name() == "team/assay:1"
    assert EnginesImage({"ASSAY_ENGINES_IMAGE": slim}, requirements=nothing).name() == slim, "at hand, so not pulled"
