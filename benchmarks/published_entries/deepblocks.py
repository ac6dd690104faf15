"""Entry points of deepblocks: its networks and layers of pictures, small, with losses of their training."""

import torch
from deepblocks.activation.FReLU import FReLU
from deepblocks.layer import DenseBlock, FlipConv2d, MultiHeadAttention, MultiHeadAttentionV2
from deepblocks.network import ConvMixer, ICTNet, UNet
from deepblocks.regularizer import AntiCorrelation


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.layers(pictures), labels)


def _pictures(size):
    return torch.rand(2, 3, size, size), torch.tensor([3, 0])


def mixer():
    return _Classified(ConvMixer(3, 4, hidden_dimension=8, depth=2, patch_dim=4, kernel_size=5)), _pictures(32)


class _Buildings(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = ICTNet(3, 8, 1, n_pool=2, growth_rate=4, n_layers_per_block=[2] * 5)

    def forward(self, pictures, masks):
        return torch.nn.functional.binary_cross_entropy_with_logits(self.model(pictures), masks)


def buildings():
    return _Buildings(), (torch.rand(2, 3, 16, 16), (torch.rand(2, 1, 16, 16) > 0.5).float())


def segmented():
    model = UNet(n_pool=1, in_channels=1, out_channels=2, batchnorm=True, dropout=0.1)
    return _Classified(model), (torch.rand(2, 1, 16, 16), torch.randint(2, (2, 16, 16)))


def flipped_kernels():
    layers = FlipConv2d(in_channels=3, out_channels=4, padding=1, bias=True), FReLU(4), DenseBlock(4, 4, 2)
    head = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(12, 4)
    return _Classified(*layers, *head), _pictures(8)


def attention():
    layers = MultiHeadAttention(8, 2), torch.nn.LayerNorm(8), torch.nn.Flatten(), torch.nn.Linear(40, 4)
    return _Classified(*layers), (torch.randn(2, 5, 8), torch.tensor([3, 0]))


def attention_of_one_wide_head():
    layers = MultiHeadAttentionV2(8, 1), torch.nn.LayerNorm(8), torch.nn.Flatten(), torch.nn.Linear(40, 4)
    return _Classified(*layers), (torch.randn(2, 5, 8), torch.tensor([3, 0]))


class _Regularized(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = torch.nn.Linear(6, 8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 3)
        self.regularizer = AntiCorrelation(p=1.0)

    def forward(self, samples, labels):
        first = torch.sigmoid(self.first(samples))
        second = torch.sigmoid(self.second(first))
        loss = torch.nn.functional.cross_entropy(self.head(second), labels)
        return loss + 0.01 * self.regularizer([first, second])


def uncorrelated():
    return _Regularized(), (torch.randn(6, 6), torch.tensor([0, 2, 1, 1, 0, 2]))
