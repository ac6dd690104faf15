"""Entry points of lpips: a perceptual distance, as the loss behind a convolution."""

import lpips
import torch


class _Restoring(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 3, 3, padding=1)
        self.loss = lpips.LPIPS(pretrained=False, net=net, pnet_rand=True, verbose=False)

    def forward(self, image, wanted):
        return self.loss(torch.tanh(self.convolution(image)), wanted).mean()


def squeeze():
    return _Restoring("squeeze"), (torch.rand(1, 3, 32, 32) * 2 - 1, torch.rand(1, 3, 32, 32) * 2 - 1)
