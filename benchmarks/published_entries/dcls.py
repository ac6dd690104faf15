"""Entry points of dcls: convolutions that learn where their weights lie, in small networks."""

import torch
from DCLS.construct.modules import Dcls1d, Dcls2d, Dcls3d


class _Classified(torch.nn.Module):
    def __init__(self, layer, width):
        super().__init__()
        self.layer, self.head = layer, torch.nn.Linear(width, 4)

    def forward(self, images, classes):
        scores = self.head(self.layer(images).relu().flatten(2).mean(dim=2))
        return torch.nn.functional.cross_entropy(scores, classes)


def images():
    layer = Dcls2d(3, 6, kernel_count=3, dilated_kernel_size=5, padding=2, use_implicit_gemm=False)
    return _Classified(layer, 6), (torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))


def images_between_places():
    layer = Dcls2d(
        4, 4, kernel_count=3, dilated_kernel_size=5, padding=2, groups=4, version="v1", use_implicit_gemm=False
    )
    return _Classified(layer, 4), (torch.rand(2, 4, 8, 8), torch.tensor([1, 3]))


def sounds():
    layer = Dcls1d(2, 6, kernel_count=4, dilated_kernel_size=7, padding=3, version="max")
    return _Classified(layer, 6), (torch.randn(2, 2, 16), torch.tensor([1, 3]))


def volumes():
    layer = Dcls3d(1, 4, kernel_count=3, dilated_kernel_size=3, padding=1)
    return _Classified(layer, 4), (torch.rand(2, 1, 6, 6, 6), torch.tensor([1, 3]))
