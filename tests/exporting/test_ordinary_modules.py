"""What modules do in passing, and torch runs, costs no export: names, results, training loops, gradients."""

from __future__ import annotations

import pytest
import torch

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.export import export
from analyzer.exporting.inside import evaluation_mode, own_types
from analyzer.graph import layer_of
from analyzer.numerical.analysis import analyse
from analyzer.walls.process import ProcessSandbox

NET = """
    import dataclasses

    import torch
    from torch import nn


    @dataclasses.dataclass
    class Given:
        rows: torch.Tensor
        scale: float = 2.0


    @dataclasses.dataclass
    class Made:
        loss: torch.Tensor
        inner: object = None


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.graph = nn.Sequential(nn.Linear(4, 4))
            self.code = nn.Parameter(torch.ones(4))
            self.register_buffer("meta", torch.ones(4))

        def train(self, epochs, rate):
            raise RuntimeError("a training loop")

        def forward(self, given):
            h = self.graph(given.rows) * self.code + self.meta
            found = torch.linalg.lstsq(given.rows, given.rows[:, 0]).solution
            return Made(torch.log(torch.softmax(h, -1)).mean(), Made(h * given.scale)), found, h.shape, "rows", None


    def build():
        torch.manual_seed(0)
        return Net(), (Given(torch.rand(6, 4)),)
"""


def test_names_results_and_methods_of_its_own_cost_no_export(project):
    project.write("net.py", NET)
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert {"graph.0.weight", "graph.0.bias", "code", "meta"} <= set(graph.graph.initializers)
    assert {"graph.0"} <= {layer_of(n) for n in graph.graph}
    assert [list(v.shape) for v in graph.graph.outputs] == [[], [6, 4], [4]]
    (node,) = [n for n in graph.nodes() if n.domain]
    assert (node.op_type, [list(v.shape or ()) for v in node.outputs[:3]]) == ("linalg_lstsq", [[4], [], []])
    found = analyse(graph, target, confirm=False, explain=False).findings
    assert [f.rule for f in found] == ["numerical/log-of-nonpositive"]


RECORDED = """
    import dataclasses

    import torch
    from torch import nn


    @dataclasses.dataclass
    class Packed:
        rows: torch.Tensor
        ends: torch.Tensor
        sizes: list


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 3)

        def forward(self, x):
            ends = torch.tensor([0, 2, 3])
            rows = [self.fc(x[int(a.item()) : int(b.item())]) for a, b in zip(ends, ends[1:])]
            return Packed(torch.cat(rows), ends, [(1, 2)])


    def build():
        torch.manual_seed(0)
        return Net(), (torch.rand(3, 4),)
"""


def test_a_run_whose_sizes_values_decide_keeps_what_an_object_of_its_own_holds(project):
    """Such a run is recorded with proxies in the place of tensors: the record had no result, the file no graph."""
    project.write("net.py", RECORDED)
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert [list(v.shape) for v in graph.graph.outputs] == [[3, 3], [3]]


PHYSICS = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 4)

        def forward(self, x):
            x = x.requires_grad_()
            u = torch.tanh(self.fc(x)).sum(-1, keepdim=True)
            (slope,) = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)
            return (slope.sum(-1) - u[:, 0]).pow(2).mean(), torch.log(torch.softmax(slope, -1))


    def build():
        torch.manual_seed(0)
        return Net(), (torch.rand(3, 2),)
"""


def test_a_model_may_ask_for_gradients_itself(project):
    project.write("net.py", PHYSICS)
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert {"Tanh", "Log", "Softmax"} <= {n.op_type for n in graph.graph}


class Loop(torch.nn.Linear):
    def train(self, epochs, rate=0.1):
        raise RuntimeError("a training loop")


class Frozen(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[bool] = []

    def train(self, mode: bool = True):
        self.seen.append(mode)
        return super().train(mode)


class Evaluated(torch.nn.Linear):
    def eval(self, data):
        raise RuntimeError("an evaluation")


@pytest.mark.parametrize("part", [Loop(2, 2), Evaluated(2, 2), torch.nn.Linear(2, 2)])
def test_evaluation_mode_calls_no_loop_of_a_project(part):
    for module in (part, torch.nn.Sequential(part, torch.nn.Dropout())):
        for inner in module.modules():
            inner.training = True
        evaluation_mode.enter(module)
        assert not any(inner.training for inner in module.modules())


def test_a_method_in_the_place_of_torchs_own_is_called():
    module = torch.nn.Sequential(Frozen(), torch.nn.Dropout())
    evaluation_mode.enter(module)
    assert module[0].seen == [False]
    assert not module[1].training


class Own:
    def __init__(self, rows, name):
        self.rows, self.name, self.deep = rows, name, {"more": rows + 1}


def test_objects_are_taken_apart_and_put_together():
    value = [Own(torch.ones(2), "a"), {"b": 3}]
    assert own_types.register(value, torch)
    assert not own_types.register(value, torch)
    leaves, spec = torch.utils._pytree.tree_flatten(value)
    assert [type(leaf).__name__ for leaf in leaves] == ["Tensor", "Tensor", "int"]
    (made, _) = torch.utils._pytree.tree_unflatten([leaf * 2 for leaf in leaves], spec)
    assert (made.name, made.rows.tolist(), made.deep["more"].tolist()) == ("a", [2, 2], [4, 4])
    assert not own_types.register([object(), 3, "text", torch.nn.Linear(1, 1), torch.ones(1)], torch)


DRAWING = """
    import torch


    class Net(torch.nn.Module):
        def forward(self, x):
            drawn = torch.empty(4, dtype=torch.int64).random_(2, 5)
            other = torch.empty(4).random_(3)
            return torch.log(x + drawn) + other


    def build():
        return Net(), (torch.rand(4),)
"""


def test_integers_drawn_between_two_bounds_cost_no_export(project):
    """torch 2.13 writes `aten.random_.from` into the program that it traces, a syntax error."""
    project.write("net.py", DRAWING)
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert any("rand" in node.op_type.lower() for node in graph.graph), [n.op_type for n in graph.graph]


TRAINED_ALONE = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def __init__(self, always):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Dropout(0.5))
            self.always = always

        def forward(self, rows):
            made = self.layers(rows)
            if self.training:
                return torch.log(made.square().mean())
            return made.mean() if self.always else None


    def alone():
        return Net(False), (torch.randn(6, 4),)


    def always():
        return Net(True), (torch.randn(6, 4),)
"""


@pytest.mark.parametrize(("built", "read"), [("alone", True), ("always", False)])
def test_a_result_of_training_alone_is_exported_as_training_computes_it(project, built, read):
    project.write("net.py", TRAINED_ALONE)
    graph = export(f"net.py:{built}", project.root, target=TargetConfig(id="net"), sandbox=ProcessSandbox())
    names = [n.op_type for n in graph.nodes()]
    assert ("Log" in names, len(graph.losses), "BatchNormalization" in names) == (read, 1, True)
    assert not any("Random" in name or name == "Dropout" for name in names), "dropout is off in both modes"
    said = "training mode, where alone" if read else "evaluation mode"
    assert said in graph.model.metadata_props["assay.notes"]
