"""Entry points of torchhandy: convolutions with residuals and attention, and its blocks of attention."""

import torch
from torchhandy.Block import DecBlock, MultiHeadAttention
from torchhandy.Conv import Att_Conv, Res_Conv
from torchhandy.Resize import DownSample, UpSample


class _Restored(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = torch.nn.Sequential(
            Res_Conv(3, 8, (3, 3)),
            DownSample(8, 8, 4),
            Res_Conv(8, 8, (3, 3)),
            UpSample(8, 4, 8),
            Res_Conv(8, 3, (3, 3)),
        )

    def forward(self, images, wanted):
        return torch.nn.functional.mse_loss(self.model(images), wanted)


def restored():
    return _Restored(), (torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8))


def attended_convolution():
    return Att_Conv(3, 8, (3, 3), 8, 2, 0.0), (torch.rand(2, 3, 8, 8),)


class _Attended(torch.nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention, self.head = attention, torch.nn.Linear(6, 4)

    def forward(self, steps, tags):
        logits = self.head(self.attention(steps, steps, steps, steps.device))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), tags.flatten())


def attention():
    return _Attended(MultiHeadAttention(6, 2)), (torch.randn(2, 8, 6), torch.randint(4, (2, 8)))


class _Decoded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.head = DecBlock(0.0, 6, 2), torch.nn.Linear(6, 4)

    def forward(self, steps, tags):
        mask = torch.full((8, 8), float("-inf")).triu(1)
        return torch.nn.functional.cross_entropy(
            self.head(self.block(steps, "cpu", mask)).flatten(0, 1), tags.flatten()
        )


def decoder_block():
    return _Decoded(), (torch.randn(2, 8, 6), torch.randint(4, (2, 8)))
