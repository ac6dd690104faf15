"""A kernel that a library registers has no ONNX form: the rest of the model is analysed all the same."""

from __future__ import annotations

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.export import export
from analyzer.graph import layer_of
from analyzer.numerical.analysis import analyse
from analyzer.walls.process import ProcessSandbox

NET = """
    import torch
    from torch import nn


    @torch.library.custom_op("lib::grouped", mutates_args=())
    def grouped(x: torch.Tensor, scales: list[torch.Tensor], first: int) -> tuple[torch.Tensor, torch.Tensor]:
        return x * scales[0], x[:, :first].clone()


    @grouped.register_fake
    def _(x, scales, first):
        return torch.empty_like(x), x.new_empty(x.shape[0], first)


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(4))
            self.fc = nn.Linear(4, 4)

        def forward(self, x):
            probabilities = torch.softmax(self.fc(x), -1)
            both, part = grouped(x, [self.scale], 2)
            return torch.log(probabilities), both + 1, part.exp()


    def build():
        return Net(), (torch.rand(3, 4),)
"""


def test_an_operator_of_a_library_is_one_unknown_node(project, tmp_path):
    project.write("net.py", NET)
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    (node,) = [n for n in graph.nodes() if n.domain == "torch.lib"]
    assert (node.op_type, len(node.inputs), layer_of(node)) == ("grouped", 2, "")
    assert [[int(d) for d in v.shape] for v in node.outputs] == [[3, 4], [3, 2]]
    result = analyse(graph, target, output=tmp_path, root=project.root)
    assert result.unknown_operators == {"torch.lib::grouped": 1}
    blocking = {f.location.line for f in result.findings if f.reproducer}
    assert blocking == {project.line_of("net.py", "torch.log(")}
