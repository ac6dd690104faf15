"""Entry points of pytorch-extra-mhirano: attentions, a pyramid, and its divergence of a network's probabilities."""

import torch
from pytorch_extra_mhirano.nn.attention import SelfAttention, SelfMultiheadAttention
from pytorch_extra_mhirano.nn.loss import KLDivLoss
from pytorch_extra_mhirano.nn.pyramid import LaplacianPyramidLayer


class _Distributed(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, features, probabilities):
        return self.loss(torch.softmax(self.layer(features), -1), probabilities)


def _probabilities():
    return torch.randn(3, 6), torch.softmax(torch.randn(3, 4), -1)


def kullback_leibler():
    return _Distributed(KLDivLoss(reduction="batchmean")), _probabilities()


class _Attending(torch.nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.attention, self.head = attention, torch.nn.Linear(6, 3)

    def forward(self, steps, mask, labels):
        attended, _ = self.attention(steps, key_padding_mask=mask)
        return torch.nn.functional.cross_entropy(self.head(attended[:, 0]), labels)


def _steps():
    mask = torch.tensor([[False] * 5, [False, False, False, True, True]])
    return torch.randn(2, 5, 6), mask, torch.tensor([0, 2])


def self_attention():
    return _Attending(SelfAttention(6)), _steps()


def several_heads():
    return _Attending(SelfMultiheadAttention(6, 2)), _steps()


class _Sharpened(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.pyramid = torch.nn.Conv2d(3, 3, 3, padding=1), LaplacianPyramidLayer()

    def forward(self, images, wanted):
        given, wanted = self.pyramid(self.convolution(images)), self.pyramid(wanted)
        return sum(torch.nn.functional.l1_loss(a, b) for a, b in zip(given, wanted, strict=True))


def pyramid():
    return _Sharpened(), (torch.rand(2, 3, 16, 16), torch.rand(2, 3, 16, 16))
