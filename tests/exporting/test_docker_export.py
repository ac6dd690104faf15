"""Exports in real containers: Assay's image, and an image derived from it for the project's requirements."""

from __future__ import annotations

import os

import pytest

from analyzer.configuration.config import Environment, TargetConfig
from analyzer.exporting.export import export
from analyzer.exporting.manifest import ExportProblem
from analyzer.graph import layer_of, location_of
from analyzer.problem import TargetProblem
from analyzer.walls import ResourceLimits
from analyzer.walls.docker import DockerSandbox
from analyzer.walls.docker_engine import connect, image_id

pytestmark = pytest.mark.docker
IMAGE = os.environ.get("ASSAY_TEST_FULL_IMAGE", "assay-engines:test")

BERT = """
    import torch
    from torch import nn
    from transformers import BertConfig, BertModel


    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = BertModel(
                BertConfig(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32)
            )

        def forward(self, input_ids):
            return self.inner(input_ids=input_ids, return_dict=False)[0]


    def build():
        return Model(), (torch.ones(2, 8, dtype=torch.long),)
"""


@pytest.fixture(scope="module")
def image() -> DockerSandbox:
    """Assay's image with the engines, `docker build --target engines -t assay-engines:test .`; skips without."""
    try:
        client = connect()
        image_id(client, IMAGE)
        client.close()
    except TargetProblem as problem:
        pytest.skip(str(problem))
    return DockerSandbox(IMAGE, install_network=os.environ.get("ASSAY_INSTALL_NETWORK", "host"))


@pytest.mark.study
def test_bert_through_the_projects_requirements(project, image):
    project.write("model.py", BERT)
    project.write("requirements.txt", "transformers==5.23.0\n")
    plain = TargetConfig(id="bert", entry="model.py:build")
    with pytest.raises(ExportProblem, match=r"module 'transformers' is not installed .*requirements.*\(model.py:3\)"):
        export("model.py:build", project.root, target=plain, sandbox=image)
    target = TargetConfig(id="bert", entry="model.py:build", environment=Environment(requirements="requirements.txt"))
    graph = export("model.py:build", project.root, target=target, sandbox=image)
    assert graph.versions["transformers"] == "5.23.0"
    assert "inner.encoder.layer.0.attention.self.query" in {layer_of(n) for n in graph.nodes()}
    assert {location_of(n).path for n in graph.nodes() if location_of(n)} == {"model.py"}


def test_a_hostile_entry_is_one_sentence(project, image):
    project.write(
        "model.py",
        """
        import os, socket


        def build():
            socket.create_connection(("169.254.169.254", 80), timeout=5)
    """,
    )
    target = TargetConfig(id="m", entry="model.py:build")
    with pytest.raises(ExportProblem, match=r"calling build\(\) failed with OSError: .*unreachable \(model.py:5\)"):
        export("model.py:build", project.root, target=target, sandbox=image)
    project.write("model.py", "def build():\n    while True: pass\n")
    with pytest.raises(ExportProblem, match="did not end within 4 s"):
        export("model.py:build", project.root, target=target, sandbox=image, limits=ResourceLimits(seconds=4))
