"""Entry points of pytorch-eff-vis-pretraining: residual networks of few blocks, with and without bottlenecks."""

import torch
from pytorch_eff_vis_pretraining.layers import ResBlockGroup
from pytorch_eff_vis_pretraining.resnet import ResNetBase


class _Network(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.network = ResNetBase((1, 1, 1, 1), channels_per_group=(16, 32, 32, 64), **options)

    def forward(self, images):
        return self.network(images)


def bottlenecks():
    return _Network(), (torch.rand(2, 3, 32, 32),)


def basic_blocks():
    return _Network(bottleneck=False, final_mean_pool=False), (torch.rand(2, 3, 32, 32),)


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.group = ResBlockGroup(3, 8, 2, 2, bottleneck=True, use_projection=True)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.head(self.group(images).mean((2, 3))), labels)


def group_of_blocks():
    return _Classified(), (torch.rand(4, 3, 16, 16), torch.tensor([0, 4, 2, 2]))
