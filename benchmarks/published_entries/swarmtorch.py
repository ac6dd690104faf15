"""Entry points of swarmtorch: the networks and functions that its experiments optimise, with their losses."""

import torch
from swarmtorch.experiments.hpo import _TinyTransformer, make_cnn_hpo_task
from swarmtorch.experiments.synthetic import SyntheticTask


class _Classified(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, samples, classes):
        return torch.nn.functional.cross_entropy(self.network(samples), classes)


def images():
    return _Classified(make_cnn_hpo_task().model_fn({"dropout": 0.25})), (
        torch.rand(2, 3, 32, 32),
        torch.tensor([3, 9]),
    )


def texts():
    network = _TinyTransformer(vocab_size=32, d_model=16, n_heads=2, n_layers=1, dim_ff=32, n_classes=4)
    return _Classified(network), (torch.randint(0, 32, (2, 8)), torch.tensor([0, 3]))


class _Searched(torch.nn.Module):
    """A function of many minima at the place where a particle is, moved by a step."""

    def __init__(self, name):
        super().__init__()
        task = SyntheticTask(name=f"{name}_d6", dim=6, func_name=name)
        self.place, self.function = task.make_module(), task.function()

    def forward(self, step):
        return self.function(self.place() + step)


def rastrigin():
    return _Searched("rastrigin"), (0.1 * torch.randn(6),)


def ackley():
    return _Searched("ackley"), (0.1 * torch.randn(6),)
