"""Entry points of pytorch-rdc-net: its convolutions of several dilations, and its losses on a small segmenter."""

import torch
from pytorch_rdc_net.lovasz_losses import StableBCELoss, lovasz_hinge, lovasz_softmax_2d
from pytorch_rdc_net.stacked_dilated_conv import StackedDilatedConv


def volumes():
    return StackedDilatedConv(4, 4, 3, dilation_rates=[1, 2], groups=2, dim=3), (torch.rand(1, 4, 6, 6, 6),)


class _Segmenter(torch.nn.Module):
    def __init__(self, classes, loss):
        super().__init__()
        self.first, self.dilated = torch.nn.Conv2d(1, 4, 3, padding=1), StackedDilatedConv(4, 4, 3, [1, 2, 4], 2)
        self.last, self.loss = torch.nn.Conv2d(4, classes, 1), loss

    def forward(self, images, labels):
        return self.loss(self.last(self.dilated(self.first(images))), labels)


def hinge():
    model = _Segmenter(1, lambda logits, labels: lovasz_hinge(logits.squeeze(1), labels))
    return model, (torch.rand(2, 1, 8, 8), torch.randint(2, (2, 8, 8)))


def classes():
    model = _Segmenter(3, lambda logits, labels: lovasz_softmax_2d(logits.softmax(1), labels, classes="all"))
    return model, (torch.rand(2, 1, 8, 8), torch.randint(3, (2, 8, 8)))


def cross_entropy():
    criterion = StableBCELoss()
    model = _Segmenter(1, lambda logits, labels: criterion(logits.squeeze(1), labels))
    return model, (torch.rand(2, 1, 8, 8), torch.randint(2, (2, 8, 8)).float())
