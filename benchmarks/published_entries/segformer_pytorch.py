"""Entry points of segformer-pytorch: a small network with its loss."""

import torch
from segformer_pytorch import Segformer


class _Segmenting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Segformer(
            dims=(8, 8, 8, 8),
            heads=(1, 1, 2, 2),
            ff_expansion=(2, 2, 2, 2),
            reduction_ratio=(2, 2, 1, 1),
            num_layers=1,
            decoder_dim=8,
            num_classes=3,
        )

    def forward(self, image, labels):
        return torch.nn.functional.cross_entropy(self.model(image), labels)


def segmenting():
    return _Segmenting(), (torch.randn(1, 3, 64, 64), torch.randint(3, (1, 16, 16)))
