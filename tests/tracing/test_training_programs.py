"""What training programs of PyTorch ask for beside layers: each with a size that fits, and its twin that does not."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

HEAD = """import math
import torch
import torch.nn.utils.prune as prune
from torch import nn, optim
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler, SequentialSampler, SubsetRandomSampler
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)
        self.register_buffer("pos", torch.zeros(1, 4))
        self.register_buffer("left", torch.zeros(7), persistent=False)
        self.w = nn.Parameter(torch.ones(4))
    def forward(self, x):
        return self.fc(x * self.w)
class Data(Dataset):
    def __len__(self):
        return 10
    def __getitem__(self, k):
        return torch.zeros(4)
own, data, x = Own(), Data(), torch.zeros(3, 4)
opt = optim.SGD(net.parameters(), lr=0.1)
"""
PROGRAMS = [
    ("s = optim.lr_scheduler.StepLR(opt, 3)\nopt.step()\ns.step()\nnet(torch.zeros(3, {}))", "4", "5"),
    ("s = torch.amp.GradScaler(enabled=False)\ny = s.scale(net(x)) + torch.zeros({})", "2", "3"),
    (
        "s = torch.cuda.amp.GradScaler(enabled=False)\ns.scale(net(x).sum()).backward()\ns.unscale_(opt)\n"
        "nn.utils.clip_grad_norm_(net.parameters(), 1.0)\ns.step(opt)\ns.update()\nnet(torch.zeros(3, {}))",
        "4",
        "5",
    ),
    ("torch.zeros(len(SequentialSampler(data))) + torch.zeros({})", "10", "9"),
    ("torch.zeros(len(RandomSampler(data, num_samples=7, replacement=True))) + torch.zeros({})", "7", "9"),
    ("torch.zeros(len(list(BatchSampler(SequentialSampler(data), 4, False))[-1])) + torch.zeros({})", "2", "4"),
    ("next(iter(DataLoader(data, 4, sampler=SubsetRandomSampler([1, 2])))) + torch.zeros({}, 4)", "2", "4"),
    ("b = BatchSampler(RandomSampler(data), 5, True)\n"
     "next(iter(DataLoader(data, batch_sampler=b))) + torch.ones({}, 4)",
     "5", "4"),
    ("torch.utils.data.default_collate([(torch.zeros(3), 1)] * 2)[0] + torch.zeros({}, 3)", "2", "4"),
    ("a, b = torch.utils.data.dataset.random_split(data, [0.25, 0.75])\ntorch.ones(len(a)) + torch.ones({})", "3", "2"),
    ("nn.utils.parameters_to_vector(net.parameters()) + torch.zeros({})", "58", "57"),
    ("nn.utils.vector_to_parameters(torch.zeros({}), net.parameters())", "58", "57"),
    ("nn.utils.parameters_to_vector(filter(lambda p: p.requires_grad, own.parameters())) + torch.ones({})", "44", "40"),
    ("optim.swa_utils.AveragedModel(net)(torch.zeros(3, {}))", "4", "5"),
    ("prune.l1_unstructured(net[0], 'weight', 0.3)\nnet[0].weight_mask + torch.zeros(8, {})", "4", "5"),
    ("prune.remove(prune.random_unstructured(net[0], 'weight', 0.3), 'weight')\nnet(torch.zeros(3, {}))", "4", "5"),
    ("prune.custom_from_mask(net[0], 'weight', torch.ones({}, 4))", "8", "7"),
    ("torch._foreach_add([x, x.T], [x, torch.zeros({}, 3)])", "4", "5"),
    ("torch._foreach_mul([x], 2.0)[0] + torch.zeros({})", "4", "5"),
    ("torch.zeros(x.untyped_storage().nbytes() // 4) + torch.zeros({})", "12", "13"),
    ("torch.zeros(round(10 * nn.init.calculate_gain('relu'))) + torch.zeros({})", "14", "13"),
    ("torch.zeros(nn.init._calculate_fan_in_and_fan_out(nn.Conv2d(3, 5, 2).weight)[0]) + torch.zeros({})", "12", "20"),
    ("torch.zeros(len(own.state_dict())) + torch.zeros({})", "4", "5"),
    ("own.state_dict()['fc.weight'] @ torch.zeros({}, 3)", "4", "5"),
    ("dict(own.named_buffers())['left'] + torch.zeros({})", "7", "8"),
    ("torch.cat([v.view(-1) for v in nn.BatchNorm1d(3).state_dict().values()]) + torch.zeros({})", "13", "12"),
    ("torch.zeros(sum(p.numel() for p in nn.LSTM(3, 4, 2, bidirectional=True).parameters())) + torch.zeros({})",
     "736", "737"),
    ("nn.Linear({}, 8).load_state_dict(net[0].state_dict())", "4", "5"),
    ("own.load_state_dict(dict(own.state_dict(), pos=torch.zeros(1, {})))", "4", "5"),
    ("torch.zeros(4 if torch.promote_types(torch.float16, torch.int64) == torch.float16 else 5) + torch.zeros({})",
     "4", "5"),
    ("with torch.profiler.record_function('a'):\n    net(torch.zeros(3, {}))", "4", "5"),
    ("torch.compiler.disable(net)(torch.zeros(3, {}))", "4", "5"),
    ("f = torch.compiler.disable(recursive=False)(lambda v: v @ x)\nf(torch.zeros(2, {}))", "3", "4"),
    ("torch.quasirandom.SobolEngine(3).draw(5) @ torch.zeros({}, 2)", "3", "5"),
    ("torch.distributions.MultivariateNormal(torch.zeros({}), torch.eye(2)).sample((3,))", "2", "4"),
    ("torch.distributions.MultivariateNormal(torch.zeros({}), scale_tril=torch.eye(2)).log_prob(torch.zeros(2))",
     "2", "4"),
    ("torch.zeros(6 if torch.utils.data.get_worker_info() is None else 5) + torch.zeros({})", "6", "5"),
]  # fmt: skip


def _errors(text: str) -> list[str]:
    problems = explore(Path("/nonexistent"), "main.py", ast.parse(text), Versions()).problems.values()
    return [p.message for p in problems if p.level == "error"]


@pytest.mark.parametrize(("text", "fitting", "other"), PROGRAMS)
def test_a_size_that_does_not_fit_is_told(text: str, fitting: str, other: str) -> None:
    exec(HEAD + text.format(fitting), {})
    with pytest.raises((RuntimeError, ValueError, AssertionError)):
        exec(HEAD + text.format(other), {})
    assert _errors(HEAD + text.format(fitting)) == []
    assert _errors(HEAD + text.format(other)) != []


FROZEN = ["net[0].weight.requires_grad = False", "net[0].requires_grad_(False)", "net.requires_grad_(False)",
          "nn.Embedding.from_pretrained(torch.zeros(3, 4))"]  # fmt: skip


@pytest.mark.parametrize("line", ["", *FROZEN])
def test_what_is_trained_is_known_until_the_program_freezes_something(line: str) -> None:
    text = f"{HEAD}{line}\nif not net[0].weight.requires_grad:\n    torch.zeros(2) @ torch.zeros(3)\n"
    assert bool(_errors(text)) is bool(line)


MARKS = [("", False), ("net[0].weight.frozen = True", True), ("setattr(net[0].weight, 'frozen', True)", True)]


@pytest.mark.parametrize(("line", "told"), MARKS)
@pytest.mark.parametrize("test", ["getattr(net[0].weight, 'frozen', False)", "hasattr(net[0].weight, 'frozen')"])
def test_a_tensor_has_the_attributes_that_the_program_sets(line: str, told: bool, test: str) -> None:
    text = f"{HEAD}{line}\nif {test}:\n    torch.zeros(2) @ torch.zeros(3)\n"
    assert bool(_errors(text)) is told


KEPT = """kept = {}
def of_size(x, size):
    key = (size, x.device.type, x.device.index)
    FIND
        kept[key] = found = torch.zeros(size)
    return found
print(of_size(x, 33).view(PARTS, 1, -1))
"""
FINDS = ["found = kept.get(key)\n    if found is None:", "found = None\n    if key not in kept:"]


@pytest.mark.parametrize("find", FINDS)
@pytest.mark.parametrize("parts", [1, 2])
def test_an_empty_dictionary_holds_no_key(find: str, parts: int) -> None:
    text = HEAD + KEPT.replace("FIND", find).replace("PARTS", str(parts))
    assert bool(_errors(text)) is (parts == 2)


GRADIENTS = """for k in range(3):
    opt.zero_grad()
    net(x).sum().backward()
    for layer in (net[0], net[2]):
        if layer.weight.grad is None:
            continue
        layer.weight.grad.mean(dim=AXIS) + layer.bias
    opt.step()
"""


@pytest.mark.parametrize("axis", [0, 1])
def test_all_parameters_have_gradients_or_none(axis: int) -> None:
    """What fails for the first one fails, whatever goes well with the next one where the first has none."""
    text = HEAD.replace("nn.Linear(8, 2)", "nn.Linear(8, 8)") + GRADIENTS.replace("AXIS", str(axis))
    assert bool(_errors(text)) is (axis == 0)


KINDS = [
    ("optim.lr_scheduler.ReduceLROnPlateau(opt)", "optim.lr_scheduler.ReduceLROnPlateau", True),
    ("optim.lr_scheduler.StepLR(opt, 3)", "optim.lr_scheduler.ReduceLROnPlateau", False),
    ("optim.lr_scheduler.StepLR(opt, 3)", "optim.lr_scheduler.LRScheduler", True),
    ("RandomSampler(data)", "torch.utils.data.distributed.DistributedSampler", False),
    ("RandomSampler(data)", "torch.utils.data.sampler.RandomSampler", True),
    ("BatchSampler(RandomSampler(data), 2, True)", "torch.utils.data.Sampler", True),
]


@pytest.mark.parametrize(("made", "kind", "holds"), KINDS)
def test_classes_of_schedules_and_samplers(made: str, kind: str, holds: bool) -> None:
    scope: dict[str, object] = {}
    exec(f"{HEAD}import torch.utils.data.distributed\nfound = isinstance({made}, {kind})", scope)
    assert scope["found"] is holds
    text = f"{HEAD}if {'not ' * holds}isinstance({made}, {kind}):\n    torch.zeros(2) @ torch.zeros(3)\n"
    assert _errors(text) == []


def test_a_gradient_that_may_not_be_there_proves_nothing_of_its_elements() -> None:
    """None is equal to no number; of several elements that are compared with one nobody tells whether all are."""
    text = "import torch\nnet = torch.nn.Linear(3, 2)\nif net.weight.{} == 3:\n    print('three')\n"
    for name, proved in (("grad", []), ("data", [True])):
        program = ast.parse(text.format(name))
        problems = explore(Path("/nonexistent"), "main.py", program, Versions()).problems.values()
        assert [p.proved for p in problems if p.level == "error" and p.proved] == proved
