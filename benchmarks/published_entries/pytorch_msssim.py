"""Entry points of pytorch-msssim: structural similarity as a loss."""

import pytorch_msssim
import torch


class _Restoring(torch.nn.Module):
    def __init__(self, measure):
        super().__init__()
        self.convolution, self.measure = torch.nn.Conv2d(3, 3, 3, padding=1), measure

    def forward(self, image, wanted):
        return 1 - self.measure(torch.sigmoid(self.convolution(image)), wanted)


def ssim():
    return _Restoring(pytorch_msssim.SSIM(data_range=1.0)), (torch.rand(1, 3, 32, 32), torch.rand(1, 3, 32, 32))


def ssim_nonnegative():
    inner = pytorch_msssim.SSIM(data_range=1.0, nonnegative_ssim=True)
    return _Restoring(inner), (torch.rand(1, 3, 32, 32), torch.rand(1, 3, 32, 32))


def multi_scale():
    inner = pytorch_msssim.MS_SSIM(data_range=1.0, win_size=5)
    return _Restoring(inner), (torch.rand(1, 3, 80, 80), torch.rand(1, 3, 80, 80))
