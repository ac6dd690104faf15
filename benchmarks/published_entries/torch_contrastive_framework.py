"""Entry points of torch-contrastive-framework: its loss of two views, with a network and what projects it."""

import torch
from torch_contrastive_framework.train import simCLR_criterion


class _Views(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1))
        self.projector = torch.nn.Sequential(
            torch.nn.Flatten(), torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 6)
        )
        self.settings = settings

    def forward(self, first, second):
        first, second = (self.projector(self.model(images)) for images in (first, second))
        return simCLR_criterion(first, second, **self.settings)


def views():
    return _Views(temp=0.5), tuple(torch.rand(2, 4, 3, 8, 8))


def views_at_its_temperature():
    return _Views(), tuple(torch.rand(2, 4, 3, 8, 8))
