"""Torch entry points: what the graph computes, and whose names and lines its nodes carry."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import pytest

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.exporting.export import export
from analyzer.exporting.manifest import ExportProblem
from analyzer.graph import ValueRange, display_name, layer_of, location_of
from analyzer.graph.model import (
    BINARY,
    COLUMNS,
    FILLED,
    OF_BATCHES,
    ONE_HOT,
    ORDER,
    SHOWN,
    SPAN,
    TRUTHS,
    UNTRAINED,
    layer_class_of,
)
from analyzer.walls.process import ProcessSandbox

NET = """
    import torch
    from torch import nn


    class Encoder(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.conv = nn.Conv2d(1, width, 3)
            self.head = nn.Sequential(
                nn.BatchNorm2d(width),
                nn.ReLU(),
            )

        def forward(self, x):
            h = self.conv(x)
            return self.head(h)


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = Encoder(4)
            self.fc = nn.Linear(4 * 36, 5)
            self.drop = nn.Dropout(0.5)

        def forward(self, x):
            h = self.drop(self.encoder(x).flatten(1))
            return torch.softmax(self.fc(h), -1)


    def build():
        torch.manual_seed(0)
        return Net(), (torch.rand(2, 1, 8, 8),)


    def bare():
        torch.manual_seed(0)
        return Net()
"""


def run(graph, *arrays):
    import onnxruntime

    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    return session.run(None, dict(zip((i.name for i in session.get_inputs()), arrays, strict=True)))


def node(graph, op):
    return next(n for n in graph.nodes() if n.op_type == op)


def test_the_graph_computes_what_the_module_computes(project, export_entry):
    import importlib.util

    import torch

    path = project.write("models/net.py", NET)
    graph = export_entry("models/net.py:build", inputs={"x": InputSpec(shape=("batch", 1, 8, 8))})
    spec = importlib.util.spec_from_file_location("net_under_test", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.build()[0].eval()
    for size in (1, 2, 5):
        x = torch.rand(size, 1, 8, 8)
        (found,) = run(graph, x.numpy())
        np.testing.assert_allclose(found, model(x).detach().numpy(), atol=1e-6)

    assert graph.framework == "torch"
    assert graph.versions["torch"] == torch.__version__
    assert [str(d) for d in graph.graph.inputs[0].shape] == ["batch", "1", "8", "8"]
    assert "evaluation mode" in graph.model.metadata_props["assay.notes"]
    assert set(graph.graph.initializers) >= {"encoder.conv.weight", "encoder.head.0.running_var", "fc.bias"}

    def place(op):
        found = location_of(node(graph, op))
        return found.path, found.line

    line = lambda fragment: ("models/net.py", project.line_of("models/net.py", fragment))  # noqa: E731
    assert place("Conv") == line("h = self.conv(x)")
    assert place("BatchNormalization") == line("nn.BatchNorm2d(width)")  # a container calls it: where it was made
    assert place("Relu") == line("nn.ReLU()")
    assert place("Softmax") == line("torch.softmax")
    assert layer_of(node(graph, "Conv")) == "encoder.conv"
    assert layer_class_of(node(graph, "Conv")) == "Conv2d"
    assert layer_of(node(graph, "BatchNormalization")) == "encoder.head.0"
    assert display_name(node(graph, "Conv")) == "encoder.conv/conv2d"
    assert display_name(node(graph, "Softmax")) == "softmax"


def test_inputs_from_the_configuration(project, export_entry):
    project.write("net.py", NET)
    spec = InputSpec(shape=("n", 1, 8, 8), dtype="float32", range=ValueRange(0, 1))
    graph = export_entry("net.py:bare", inputs={"image": spec}, symbols={"n": (2, 64)})
    assert [str(d) for d in graph.graph.inputs[0].shape] == ["n", "1", "8", "8"]
    with pytest.raises(ExportProblem, match=r"without example inputs; return \(model, inputs\) or describe them"):
        export_entry("net.py:bare")
    with pytest.raises(
        ExportProblem, match=r"says shape \[batch, 3, 8, 8\], the entry point's example has \[2, 1, 8, 8\]"
    ):
        export_entry("net.py:build", inputs={"x": InputSpec(shape=("batch", 3, 8, 8))})


def test_a_loss_module_with_named_inputs_and_a_relative_import(project, export_entry):
    project.write("losses/__init__.py", "")
    project.write("losses/pieces.py", "import torch\n\n\ndef entropy(p):\n    return -(p * torch.log(p)).sum(-1)\n")
    project.write(
        "losses/loss.py",
        """
        import torch
        from torch import nn
        from .pieces import entropy


        class Loss(nn.Module):
            def forward(self, logits, target):
                p = logits.exp() / logits.exp().sum(-1, keepdim=True)
                return entropy(p).mean() + (target - p).square().sum()


        def build():
            return Loss(), {"target": torch.ones(3, 4), "logits": torch.ones(3, 4)}
    """,
    )
    graph = export_entry("losses/loss.py:build")
    assert graph.losses == tuple(v.name for v in graph.graph.outputs)
    assert {v.name for v in graph.graph.inputs} == {"logits", "target"}
    found = location_of(node(graph, "Log"))
    assert (found.path, found.line) == ("losses/pieces.py", 5)


def test_a_shape_error_names_the_line(project, export_entry):
    project.write("net.py", NET.replace("4 * 36", "4 * 35"))
    with pytest.raises(ExportProblem, match="the model raises on its example inputs: RuntimeError") as caught:
        export_entry("net.py:build")
    assert caught.value.location.line == project.line_of("net.py", "torch.softmax")
    assert "144" in str(caught.value)
    assert "140" in str(caught.value)


GAUSSIAN = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 3)

    def forward(self, x):
        rows = self.layer(x)
        factor = torch.linalg.cholesky(rows @ rows.T + JITTER * torch.eye(len(x)))
        return 2 * factor.diagonal().log().sum()


def build():
    torch.manual_seed(0)
    return Net(), (torch.randn(6, 4),)
"""


def test_a_factorisation_that_fails_on_the_example_is_told_though_it_can_be_traced(project, export_entry):
    """Six rows of three numbers: their matrix of products has no more than three directions."""
    project.write("net.py", GAUSSIAN.replace("JITTER", "0.0"))
    with pytest.raises(ExportProblem, match="raises on its example inputs: _LinAlgError") as caught:
        export_entry("net.py:build")
    assert caught.value.location.line == project.line_of("net.py", "torch.linalg.cholesky")
    assert caught.value.defect == "running"
    project.write("net.py", GAUSSIAN.replace("JITTER", "0.1"))
    assert len(export_entry("net.py:build").losses) == 1


def test_control_flow_on_values_is_fixed_and_told(project, export_entry):
    project.write(
        "net.py",
        """
        import torch


        class Net(torch.nn.Module):
            def forward(self, x):
                if x.sum() > 0:
                    return x
                return -x


        def build():
            return Net(), (torch.ones(3),)
    """,
    )
    graph = export_entry("net.py:build")
    assert "other branches were not analysed" in graph.model.metadata_props["assay.notes"]
    assert [node.op_type for node in graph.graph if node.op_type == "Neg"] == []


def test_distributions_bounds_and_draws_are_exported(project, export_entry):
    project.write(
        "net.py",
        """
        import torch
        from torch.distributions import Categorical, Normal


        class Net(torch.nn.Module):
            def forward(self, x):
                p = torch.sigmoid(x).clamp(1e-6, 1)
                noise = torch.empty_like(x).uniform_(-0.5, 0.5) + torch.empty_like(x).exponential_()
                score = Categorical(logits=x).entropy().mean() + Normal(x, p).log_prob(x).mean()
                return torch.cumprod(p, 1), torch.cdist(x, -x), p.std(1), p.prod(1), score, x + noise


        def build():
            return Net(), (torch.linspace(-1, 1, 12).reshape(3, 4),)
    """,
    )
    import torch

    x = torch.linspace(-2, 2, 12).reshape(3, 4)
    p = torch.sigmoid(x).clamp(1e-6, 1)
    products, distances, spread, product, score, noisy = run(export_entry("net.py:build"), x.numpy())
    np.testing.assert_allclose(products, torch.cumprod(p, 1), rtol=1e-5)
    np.testing.assert_allclose(distances, torch.cdist(x, -x), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(spread, p.std(1), rtol=1e-5)
    np.testing.assert_allclose(product, p.prod(1), rtol=1e-5)
    expected = torch.distributions.Categorical(logits=x).entropy().mean()
    np.testing.assert_allclose(score, expected + torch.distributions.Normal(x, p).log_prob(x).mean(), rtol=1e-4)
    assert np.all(noisy > x.numpy() - 0.5)


def test_stable_operators_stay_stable(project, export_entry):
    import torch

    project.write(
        "net.py",
        """
        import torch
        import torch.nn.functional as F


        class Net(torch.nn.Module):
            def forward(self, x, y):
                return torch.stack([
                    F.logsigmoid(x),
                    torch.logaddexp(x, y),
                    torch.logaddexp2(x, y),
                    torch.xlogy(x, y),
                    torch.atan2(x, y),
                    F.binary_cross_entropy_with_logits(x, torch.sigmoid(y), reduction="none"),
                    F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y), reduction="none"),
                    F.binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(y), y.abs()) + x,
                    x.std() + x, (0 * x).std() + x, x.std(0, unbiased=False) + x,
                ])


        def build():
            return Net(), (torch.ones(9), torch.ones(9))
    """,
    )
    graph = export_entry("net.py:build")
    x = torch.tensor([-300.0, -110.0, -1.0, 0.0, 0.0, 0.0, 2.0, 110.0, 300.0])
    y = torch.tensor([5.0, 400.0, 3.0, 0.0, -2.0, 2.0, 0.5, 500.0, 0.0])
    b = torch.nn.functional.binary_cross_entropy_with_logits(x, torch.sigmoid(y), reduction="none")
    expected = [torch.nn.functional.logsigmoid(x), torch.logaddexp(x, y), torch.logaddexp2(x, y), torch.xlogy(x, y),
                torch.atan2(x, y), b]  # fmt: skip
    p, q = torch.sigmoid(x), torch.sigmoid(y)
    entropy = torch.nn.functional.binary_cross_entropy
    expected += [entropy(p, q, reduction="none"), entropy(p, q, y.abs()) + x]
    expected += [x.std() + x, (0 * x).std() + x, x.std(0, unbiased=False) + x]
    (found,) = run(graph, x.numpy(), y.numpy())
    np.testing.assert_allclose(found, torch.stack(expected).numpy(), rtol=1e-5, atol=1e-6)


class TeamImage(ProcessSandbox):
    """A process sandbox whose environment lacks onnxscript, as a team's image does, until `within` is not asked."""

    def within(self, environment, root):
        return WithoutOnnxscript()


class WithoutOnnxscript(ProcessSandbox):
    def run(self, command, *, files, **options):
        hidden = {"onnxscript.py": b"raise ImportError('hidden', name='onnxscript')\n"}
        alone = ProcessSandbox(self.python, self.path)  # without what was imported before
        return alone.run(command, files={**files, **hidden}, **options)


@pytest.mark.study
def test_a_program_from_an_environment_without_onnxscript_is_converted(project):
    project.write("net.py", NET)
    target = TargetConfig(id="net", entry="net.py:build", inputs={"x": InputSpec(shape=("batch", 1, 8, 8))})
    graph = export("net.py:build", project.root, target=target, sandbox=TeamImage())
    assert "no onnxscript" in graph.model.metadata_props["assay.notes"]
    assert layer_of(node(graph, "Conv")) == "encoder.conv"
    assert location_of(node(graph, "Conv")).line == project.line_of("net.py", "h = self.conv(x)")
    (found,) = run(graph, np.ones((3, 1, 8, 8), np.float32))
    np.testing.assert_allclose(found.sum(1), 1, atol=1e-5)
    with pytest.raises(ExportProblem, match="neither where the project's code runs nor where Assay does"):
        export("net.py:build", project.root, target=target, sandbox=WithoutOnnxscript())


def test_lazy_modules_stay_lazy(project, export_entry):
    project.write(
        "lazy.py",
        """
        import sys
        import types

        import torch


        class Lazy(types.ModuleType):
            def __getattr__(self, name):
                raise ImportError(f"the import for {name} failed")


        sys.modules["lazy_part"] = Lazy("lazy_part")


        def build():
            return torch.nn.Linear(2, 2), (torch.rand(1, 2),)
        """,
    )
    assert len(list(export_entry("lazy.py:build").nodes())) > 0


def test_whole_numbers_that_become_floating_are_labels_where_the_example_holds_zeros_and_ones(project, export_entry):
    from analyzer.numerical.assumptions import assume

    project.write(
        "labels.py",
        """
        import torch


        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.table = torch.nn.Embedding(50, 3)

            def forward(self, labels, counts, places, few):
                return labels.float() + counts.float() + few.float().sum(), self.table(places) * places[:, None].float()


        def build():
            return Net(), tuple(map(torch.tensor, ([0, 1, 1, 0, 0], [0, 1, 2, 0, 1], [0, 1, 1, 0, 0], [0, 1])))
        """,
    )
    found = {
        a.name: a.range for a in assume(export_entry("labels.py:build"), TargetConfig(id="l", entry="labels.py:build"))
    }
    assert {n: (r.lo, r.hi) for n, r in found.items() if n != "table.weight"} == {
        "labels": (0, 1), "counts": (0, 1000), "places": (0, 49), "few": (0, 1000),
    }  # fmt: skip


def test_labels_are_told_by_an_example_of_zeros_and_ones(project, export_entry):
    from analyzer.numerical.assumptions import assume

    project.write(
        "labels.py",
        """
        import torch


        class Net(torch.nn.Module):
            def forward(self, scores, labels, ones, image, few, targets):
                return ((scores - labels) * ones * image).sum() + few.sum() - targets.sum()


        def build():
            labels = torch.nn.functional.one_hot(torch.arange(3), 3).float()
            few, targets = torch.tensor([0.0, 1.0]), torch.tensor([0.0, 1.0, 0.0, 1.0])
            return Net(), (torch.randn(3, 3), labels, torch.ones(3, 3), torch.rand(3, 3), few, targets)
        """,
    )
    graph = export_entry("labels.py:build")
    assert [v.name for v in graph.graph.inputs if ONE_HOT in v.metadata_props] == ["labels"]
    assert [v.name for v in graph.graph.inputs if BINARY in v.metadata_props] == ["targets"]
    found = {a.name: a.range for a in assume(graph, TargetConfig(id="labels", entry="labels.py:build"))}
    assert (found["labels"].lo, found["labels"].hi) == (0, 1)
    assert "zeros and ones" in found["labels"].reason
    for name in ("scores", "ones", "image", "few", "targets"):  # constant, continuous or too few to tell
        assert (found[name].lo, found[name].hi) == (-100, 100)
    spans = {v.name: v.metadata_props[SPAN].split() for v in graph.graph.inputs if SPAN in v.metadata_props}
    assert set(spans) == {"scores", "labels", "image", "targets"}
    assert float(spans["scores"][0]) < 0 <= float(spans["image"][0]) < float(spans["image"][1]) < 1


def test_the_order_of_an_example_is_told(project, export_entry):
    project.write(
        "edges.py",
        """
        import torch


        class Net(torch.nn.Module):
            def forward(self, edges, times, few, spans, free, number, whole):
                total = edges.diff(dim=1).sum() + times.diff(dim=0).sum() + few.diff().sum() + spans.diff(dim=1).sum()
                return total + free.sum() + number + whole.sum()


        def build():
            torch.manual_seed(0)
            rising = torch.linspace(0, 1, 4).repeat(3, 1)
            falling = torch.linspace(1, 0, 7)[:, None].repeat(1, 2)
            intervals = torch.rand(9, 1) + torch.tensor([0.0, 2.0])
            few, free = torch.linspace(0, 1, 5), torch.randn(3, 4)
            return Net(), (rising, falling, few, intervals, free, torch.tensor(1.0), torch.arange(9))
        """,
    )
    inputs = export_entry("edges.py:build").graph.inputs
    told = {v.name: v.metadata_props[ORDER] for v in inputs if ORDER in v.metadata_props}
    assert told == {"edges": "1 1", "times": "0 -1", "spans": "1 1"}


def test_examples_inside_structures_and_variable_arguments_are_told(project, export_entry):
    project.write(
        "inside.py",
        """
        import torch


        class Net(torch.nn.Module):
            def forward(self, batch, *rest):
                return (batch["labels"] - rest[1]).sum() + (batch["pair"][0] * batch["pair"][1] + rest[0]).sum()


        def build():
            labels = torch.nn.functional.one_hot(torch.arange(3), 3).float()
            batch = {"labels": labels, "pair": (torch.rand(3, 3), torch.tensor(3))}
            return Net(), (batch, torch.randn(3, 3), labels)
        """,
    )
    project.write(
        "named.py",
        """
        import torch


        class Named(torch.nn.Module):
            def forward(self, scores, **options):
                return (scores * options["labels"] / options["sizes"]).sum()


        def build():
            labels = torch.nn.functional.one_hot(torch.arange(3), 3).float()
            return Named(), {"scores": torch.randn(3, 3), "sizes": torch.tensor([3, 4, 5]), "labels": labels}
        """,
    )
    told = [v.metadata_props for v in export_entry("inside.py:build").graph.inputs]
    assert [TRUTHS in found for found in told] == [True, False, False, False, True]
    assert [SHOWN in found for found in told] == [True] * 5
    graph = export_entry("named.py:build")
    told = {v.name: v.metadata_props for v in graph.graph.inputs}
    assert [name for name, found in told.items() if TRUTHS in found] == ["labels"]
    assert told["sizes"][SHOWN] == "3.0 5.0 3"


def test_examples_of_masks_are_shown(project, export_entry):
    project.write(
        "masked.py",
        """
        import torch


        class Mean(torch.nn.Module):
            def forward(self, x, mask, chosen):
                return x[mask].mean() + (x * chosen).sum()


        def build():
            return Mean(), (torch.randn(1, 6), torch.ones(1, 6).bool(), torch.arange(6)[None] > 2)
        """,
    )
    told = {v.name: v.metadata_props.get(SHOWN) for v in export_entry("masked.py:build").graph.inputs}
    assert (told["mask"], told["chosen"]) == ("1.0 1.0 6", "0.0 1.0 6")


def test_a_weight_moved_to_where_it_is_changes_nothing(project, export_entry):
    """``w.data = w.data`` as losses with weights of their own write it; a change under which others still read the old
    data is none of this; other data that nobody read before takes its place."""
    project.write(
        "moved.py",
        """
        import torch


        class Net(torch.nn.Module):
            def __init__(self, change):
                super().__init__()
                self.w, self.change = torch.nn.Parameter(torch.randn(3, 2)), change

            def forward(self, lengths, x):
                data = self.w.data
                data = data if data.device == x.device else data.to(x.device)
                self.w.data = data * 2 if self.change else data
                return (x @ self.w).sum() / lengths.sum()


        def build():
            return Net(False), (torch.tensor([3, 5]), torch.randn(4, 3))


        def build_changed():
            return Net(True), (torch.tensor([3, 5]), torch.randn(4, 3))


        class Fresh(Net):
            def forward(self, lengths, x):
                self.w.data = torch.ones(3, 2)
                return (x @ self.w).sum() / lengths.sum()


        def build_fresh():
            return Fresh(True), (torch.tensor([3, 5]), torch.randn(4, 3))
        """,
    )
    graph = export_entry("moved.py:build")
    assert {n.op_type for n in graph.nodes()} >= {"MatMul", "Div"}
    assert {v.name: v.metadata_props[SHOWN] for v in graph.graph.inputs}["lengths"] == "3.0 5.0 2"
    with pytest.raises(ExportProblem):
        export_entry("moved.py:build_changed")
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    (found,) = run(export_entry("moved.py:build_fresh"), np.array([3, 5]), x)
    np.testing.assert_allclose(found, 2 * x.sum() / 8, rtol=1e-4)


CHANGED_DATA = """
    import torch


    class Changing(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.tensor([-1.0, 2.0, 3.0]))
            self.register_buffer("noise", torch.zeros(3), persistent=False)

        def forward(self, x):
            self.weight.data.clamp_(0)
            self.noise.data[1] = 5.0
            return x * self.weight + self.noise


    class Drawing(Changing):
        def forward(self, x):
            return x * self.weight + torch.exp(self.noise.data.normal_())


    def build():
        return Changing(), (torch.ones(3),)


    def drawing():
        return Drawing(), (torch.ones(3),)
"""


def test_what_data_gives_is_changed_in_place(project, export_entry):
    """``.data`` has the memory of its tensor: what is written there is read from the tensor afterwards."""
    project.write("net.py", CHANGED_DATA)
    (found,) = run(export_entry("net.py:build"), np.ones(3, np.float32))
    np.testing.assert_array_equal(found, [0.0, 7.0, 3.0])
    assert node(export_entry("net.py:drawing"), "RandomNormalLike")


FROZEN_SCALES = """
    import torch
    from torch import nn


    class Scaled(nn.Module):
        def __init__(self, trained=True):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(3), requires_grad=False)
            self.layer = nn.Linear(3, 3).requires_grad_(trained)

        def forward(self, features, present, hidden):
            scores = self.layer(features / self.scale).masked_fill(~present | hidden, -1e9)
            return scores.softmax(-1)


    def build(trained=True):
        features = torch.tensor([[300.0, 0.1, float("nan")], [-20.0, 0.2, 1.0], [100.0, 0.15, 2.0]])
        present = torch.tensor([[True, False, True], [True, True, True], [False, False, True]])
        hidden = torch.tensor([[False, False, True], [True, False, False], [False, True, False]])
        return Scaled(trained), (features, present, hidden)


    def frozen():
        return build(trained=False)
"""


NORMALISED = """
    import torch


    def build(training=True):
        own = torch.nn.BatchNorm1d(4, track_running_stats=False)
        layers = torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.BatchNorm1d(4).eval(), own
        return torch.nn.Sequential(*layers, torch.nn.Flatten(0)).train(training), (torch.randn(6, 4),)


    def frozen():
        model, inputs = build()
        model[2].eval()
        return model, inputs


    def deployed():
        return build(training=False)
"""


def test_layers_whose_running_statistics_training_does_not_use(project, export_entry):
    """Those that a part in evaluation mode holds stay what training computes with."""
    project.write("normalised.py", NORMALISED)

    def marked(entry):
        found = export_entry(f"normalised.py:{entry}").graph.initializers.items()
        return {n for n, v in found if OF_BATCHES in v.metadata_props}

    assert marked("build") == {"1.running_mean", "2.running_mean"}  # `train()` reached both
    assert marked("frozen") == {"1.running_mean"}
    assert marked("deployed") == set()


def test_weights_that_training_leaves_and_what_features_and_rows_show(project, export_entry):
    project.write("scaled.py", FROZEN_SCALES)
    graph = export_entry("scaled.py:build")
    assert {n for n, v in graph.graph.initializers.items() if UNTRAINED in v.metadata_props} == {"scale"}
    told = {v.name: v.metadata_props for v in graph.graph.inputs}
    numbers = [float(n) for n in told["features"][COLUMNS].split()]
    np.testing.assert_allclose(numbers, [-20.0, 100.0, 0.15, 0.2, 1.0, 2.0], rtol=1e-6)  # rows without a NaN
    assert told["present"][FILLED] == "1"
    assert told["hidden"][FILLED] == "0 1"
    assert FILLED not in told["features"]
    untrained = export_entry("scaled.py:frozen").graph.initializers.values()
    assert not any(UNTRAINED in v.metadata_props for v in untrained)  # nothing of it is trained here: it tells nothing
