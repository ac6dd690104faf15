"""One operator without an ONNX form, or one question for a value, never costs the model."""

from __future__ import annotations

import pytest

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.export import export
from analyzer.graph import location_of
from analyzer.numerical.analysis import analyse
from analyzer.walls.process import ProcessSandbox

NET = """
    import torch
    from torch import nn
    import torch.nn.functional as F


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 4)

        def forward(self, x):
            h = self.fc(x)
            return OPERATOR


    def build():
        torch.manual_seed(0)
        return Net(), (torch.rand(3, 4),)
"""
OPERATORS = (
    "torch.lgamma(h.abs() + 1)",
    "torch.digamma(h.abs() + 1)",
    "torch.erfinv(torch.tanh(h))",
    "torch.special.ndtri(torch.sigmoid(h))",
    "h.median(-1).values",
    "torch.hypot(h, x)",
    "h.masked_select(h > 0)",
    "h.kthvalue(2, -1).values",
    "torch.searchsorted(torch.tensor([0.0, 1.0]), h)",
    "h.cummax(-1).values",
    "F.pdist(h)",
    "F.gaussian_nll_loss(h, x, h.exp())",
    "torch.distributions.Gamma(h.exp(), x + 1).log_prob(x + 0.5)",
    "h * 2 if h.sum() > -100 else h",
    "h / float(h.mean())",
    "(h.T @ x).diagonal().add_(-1).pow_(2).sum()",
    "h.unsqueeze(0).expand(2, 3, 4).clone().diagonal(1, 1, 2).mul_(2).sum() + h.sum()",
)


def test_lengths_of_texts_may_be_tensors(project):
    """The width of one of CTC's results hangs on the lengths, of which a tracer knows nothing."""
    loss = "F.ctc_loss(F.log_softmax(h[:, None], -1), torch.tensor([[1, 2]]), torch.tensor([3]), torch.tensor([2]))"
    project.write("net.py", NET.replace("OPERATOR", f"torch.log(torch.softmax(h, -1)), {loss}"))
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert {"_ctc_loss", "Softmax"} <= {n.op_type for n in graph.graph}


@pytest.mark.parametrize("every", [8, pytest.param(1, marks=pytest.mark.study)])
def test_operators_leave_a_graph(project, every):
    failed = {}
    for number, operator in enumerate(OPERATORS[::every]):
        project.write(f"net{number}.py", NET.replace("OPERATOR", f"torch.log(torch.softmax(h, -1)), {operator}"))
        entry = f"net{number}.py:build"
        target = TargetConfig(id="net", entry=entry)
        try:
            graph = export(entry, project.root, target=target, sandbox=ProcessSandbox())
        except Exception as error:
            failed[operator] = str(error)[:300]
            continue
        found = [f.rule for f in analyse(graph, target, confirm=False, explain=False).findings]
        if "numerical/log-of-nonpositive" not in found:
            failed[operator] = f"{found}"
        if all(location_of(n) is None for n in graph.graph if n.op_type == "Log"):
            failed[operator] = "no lines"
    assert not failed


def test_squeezing_an_axis_that_is_not_1_does_nothing(project):
    project.write("net.py", NET.replace("OPERATOR", "h.squeeze(1), h.squeeze((0, 1)), h[:1].squeeze(0)"))
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert sum(n.op_type == "Squeeze" for n in graph.graph) == 1
    assert [list(v.shape) for v in graph.graph.outputs] == [[3, 4], [3, 4], [4]]


def test_a_mean_over_no_named_axis_is_one_over_all(project):
    means = "h.mean(dim=None), h.mean(None, True), h.mean(-1), h.mean((0, 1), True), h.mean(())"
    project.write("net.py", NET.replace("OPERATOR", means))
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert all(v is not None for n in graph.graph if n.op_type == "Reshape" for v in n.inputs)
    assert [list(v.shape) for v in graph.graph.outputs] == [[], [1, 1], [3], [1, 1], []]
    assert len({v.producer().op_type for v in graph.graph.outputs} - {"ReduceMean", "Squeeze"}) == 0


def test_a_factorisation_leaves_a_graph_and_its_check_is_left_out(project):
    square = "torch.linalg.cholesky(h @ h.mT + 0.5 * torch.eye(3)), torch.linalg.solve(h[:, :3], x[:, 0])"
    project.write("net.py", NET.replace("OPERATOR", square))
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    operators = {n.op_type for n in graph.graph}
    assert {"linalg_cholesky_ex", "MatMul"} <= operators
    assert not any("check" in name for name in operators)
    assert [list(v.shape) for v in graph.graph.outputs] == [[3, 3], [3]]


def test_an_extreme_of_everything_needs_no_axes(project):
    project.write(
        "net.py", NET.replace("OPERATOR", "torch.exp(h - h.amax()), h.amin(), h.amax(-1), h.amin((0, 1), True)")
    )
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert [list(v.shape) for v in graph.graph.outputs] == [[3, 4], [], [3], [1, 1]]
    assert not analyse(graph, target, confirm=False, explain=False).findings
