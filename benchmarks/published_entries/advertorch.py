"""Entry points of advertorch: its margins and the objective of its Carlini and Wagner attack on a small classifier."""

import sys
import types

import torch

for _name in ("advertorch", "advertorch.attacks"):
    sys.modules[_name] = types.ModuleType(_name)
    sys.modules[_name].__path__ = [_name.replace(".", "/")]

from advertorch.attacks.base import Attack, LabelMixin  # noqa: E402

sys.modules["advertorch.attacks"].Attack = Attack
sys.modules["advertorch.attacks"].LabelMixin = LabelMixin

from advertorch.attacks.carlini_wagner import CarliniWagnerL2Attack  # noqa: E402
from advertorch.loss import CWLoss, LogitMarginLoss, SoftLogitMarginLoss  # noqa: E402
from advertorch.utils import calc_l2distsq, tanh_rescale, to_one_hot, torch_arctanh  # noqa: E402


def _classifier():
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(48, 16), torch.nn.ReLU(), torch.nn.Linear(16, 5))


class _Margin(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.model, self.loss = _classifier(), loss

    def forward(self, image, labels):
        return self.loss(self.model(image), labels)


def _inputs():
    return torch.rand(4, 3, 4, 4), torch.randint(0, 5, (4,))


def margin():
    return _Margin(LogitMarginLoss()), _inputs()


def soft_margin():
    return _Margin(SoftLogitMarginLoss()), _inputs()


def bounded_margin():
    return _Margin(CWLoss()), _inputs()


class _Attack(torch.nn.Module):
    """One step: a picture in the variable of the hyperbolic tangent, moved, and what the attack minimises."""

    def __init__(self):
        super().__init__()
        self.model = _classifier()
        self.attack = CarliniWagnerL2Attack(self.model, 5)
        self.delta = torch.nn.Parameter(torch.zeros(4, 3, 4, 4))

    def forward(self, image, labels):
        inner = torch_arctanh(2 * image - 1)
        moved = tanh_rescale(inner + self.delta, 0.0, 1.0)
        distances = calc_l2distsq(moved, tanh_rescale(inner, 0.0, 1.0))
        return self.attack._loss_fn(self.model(moved), to_one_hot(labels, 5).float(), distances, torch.ones(4))


def attacked():
    return _Attack(), _inputs()
