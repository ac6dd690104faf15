"""Entry points of simple-hierarchy: its heads of groups of classes that depend on each other, with their losses."""

import torch
from simple_hierarchy.hierarchal_model import HierarchalModel

HIERARCHY = {("A", 2): [("B", 5)], ("B", 5): [("C", 7)]}


def _base():
    layers = torch.nn.Conv2d(3, 6, 5), torch.nn.ReLU(), torch.nn.MaxPool2d(2, 2), torch.nn.Flatten(start_dim=1)
    return torch.nn.Sequential(*layers, torch.nn.Linear(216, 32), torch.nn.ReLU())


def _model():
    return HierarchalModel(HIERARCHY, (32, 16, 16), base_model=_base())


def pictures():
    return _model(), torch.rand(2, 3, 16, 16)


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pictures, first, second, third):
        loss = torch.nn.functional.cross_entropy
        outputs = self.model(pictures)
        return sum(loss(logits, labels) for logits, labels in zip(outputs, (first, second, third), strict=True))


def _labelled():
    return torch.rand(2, 3, 16, 16), torch.tensor([1, 0]), torch.tensor([4, 2]), torch.tensor([0, 6])


def trained():
    return _Trained(_model()), _labelled()


def trained_with_shared_layers():
    """Each head has a hidden layer, and feeds what it has before its classes to the next."""
    layers = torch.nn.ModuleList([_base(), torch.nn.ReLU(), torch.nn.Linear(16, 16), torch.nn.ReLU()])
    return _Trained(HierarchalModel(HIERARCHY, (32, 16, 16), model=layers, k=3)), _labelled()
