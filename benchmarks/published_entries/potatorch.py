"""Entry points of potatorch: its losses of scores and magnitudes, and its blocks of convolutions."""

import torch
from potatorch.losses import MSRELoss, WDLLoss
from potatorch.models.cnn import Conv2dBlock, DepthwiseSeparable2d


class _Trained(torch.nn.Module):
    def __init__(self, layers, loss):
        super().__init__()
        self.layers, self.loss = layers, loss

    def forward(self, samples, wanted):
        return self.loss(self.layers(samples), wanted)


def win_draw_loss():
    return _Trained(torch.nn.Linear(12, 1), WDLLoss()), (torch.rand(4, 12), 300 * torch.randn(4, 1))


def relative_error():
    return _Trained(torch.nn.Linear(6, 1), MSRELoss()), (torch.randn(4, 6), 10 * torch.rand(4, 1))


def relative_error_of_small_scale():
    return _Trained(torch.nn.Linear(6, 1), MSRELoss(delta=0.5)), (torch.randn(4, 6), 0.5 + torch.rand(4, 1))


def convolutions():
    first = Conv2dBlock(3, 12, kernel_size=(3, 3), pool=True, se_layer=True)
    second = DepthwiseSeparable2d(12, 8, kernel_size=(3, 3), pool=True)
    layers = torch.nn.Sequential(first, second, torch.nn.Flatten(), torch.nn.Linear(32, 3))
    return _Trained(layers, torch.nn.CrossEntropyLoss()), (torch.randn(2, 3, 8, 8), torch.tensor([0, 2]))
