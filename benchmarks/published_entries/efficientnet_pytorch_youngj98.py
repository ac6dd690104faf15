"""Entry points of efficientnet-pytorch-youngj98: its smallest network, with the loss of a classifier."""

import torch
from efficientnet_pytorch import EfficientNet


class _Classifying(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = EfficientNet.from_name("efficientnet-b0", num_classes=5)

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.model(pictures), labels)


def classifying():
    return _Classifying(), (torch.rand(2, 3, 64, 64), torch.tensor([0, 3]))
