"""Entry points of pytorch-damn: networks with a head for each domain, weighed by attention."""

import torch
from pytorch_damn import DAMNTrain


class _Step(torch.nn.Module):
    """Its step of training."""

    def __init__(self, classes=3, **options):
        super().__init__()
        backbone = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU())
        self.training_module = DAMNTrain(backbone, torch.nn.Linear(8, classes), 8, 2, **options)
        self.task = torch.nn.CrossEntropyLoss()

    def forward(self, samples, domains, labels):
        loss, predicted = self.training_module.training_step((samples, domains), 0)
        return loss + self.task(predicted, labels)


def classes():
    return _Step(), (torch.randn(4, 6), torch.tensor([0, 1, 1, 0]), torch.tensor([0, 2, 1, 1]))


def close_heads():
    options = {"consistency_coef": 1.0, "domain_coef": 0.5, "consistency_loss_function": torch.nn.SmoothL1Loss()}
    return _Step(**options), (torch.randn(4, 6), torch.tensor([0, 1, 1, 0]), torch.tensor([0, 2, 1, 1]))


def predicted():
    backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(2))
    head = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 3))
    return DAMNTrain(backbone, head, 16, 2), (torch.randn(2, 3, 8, 8),)
