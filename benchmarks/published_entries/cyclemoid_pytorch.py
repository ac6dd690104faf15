"""Entry points of cyclemoid-pytorch: its activation in networks that classify and that predict a number."""

import torch
from cyclemoid_pytorch import CycleMoid


def perceptron():
    model = torch.nn.Sequential(
        torch.nn.Linear(12, 8), CycleMoid(), torch.nn.Linear(8, 8), CycleMoid(), torch.nn.Linear(8, 3)
    )
    return model, (torch.rand(4, 12),)


class _Convolved(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = torch.nn.Sequential(
            torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), CycleMoid(), torch.nn.Flatten(), torch.nn.Linear(144, 10)
        )

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def convolution():
    return _Convolved(), (torch.rand(4, 1, 8, 8), torch.tensor([3, 0, 9, 1]))
