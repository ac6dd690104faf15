"""Entry points of label-relaxation: its losses of relaxed and mixed labels on small classifiers."""

import torch
from label_relaxation.loss import LabelRelaxationLoss
from label_relaxation.mixup import MixupLabelRelaxationLoss


def _classifier():
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(48, 16), torch.nn.ReLU(), torch.nn.Linear(16, 4))


class _Relaxed(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model, self.loss = _classifier(), LabelRelaxationLoss(**options)

    def forward(self, images, labels):
        return self.loss(self.model(images), labels)


def _images():
    return torch.rand(4, 3, 4, 4)


def class_numbers():
    return _Relaxed(), (_images(), torch.tensor([0, 3, 1, 1]))


def summed():
    return _Relaxed(alpha=0.4, reduction="sum"), (_images(), torch.tensor([2, 2, 0, 3]))


class _Mixed(torch.nn.Module):
    """Each picture is a part of one and the rest of another, as the loss is told."""

    def __init__(self):
        super().__init__()
        self.model, self.loss = _classifier(), MixupLabelRelaxationLoss(alpha=0.1)

    def forward(self, first, second, labels, others, parts):
        shaped = parts[:, None, None, None]
        return self.loss(self.model(shaped * first + (1 - shaped) * second), labels, others, parts)


def mixed():
    labels, others = torch.tensor([0, 3, 1, 1]), torch.tensor([2, 3, 0, 1])
    return _Mixed(), (_images(), _images(), labels, others, torch.tensor([0.7, 0.5, 1.0, 0.2]))
