"""Entry points of torchseg: losses of segmentation on one convolution."""

import torch
from torchseg.losses import FocalLoss, JaccardLoss, LovaszLoss, MCCLoss, SoftCrossEntropyLoss, TverskyLoss


class _Segmented(torch.nn.Module):
    def __init__(self, loss, classes, activation=None):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(3, classes, 3, padding=1), loss
        self.activation = activation or torch.nn.Identity()

    def forward(self, images, masks):
        return self.loss(self.activation(self.layer(images)), masks)


def _classes():
    return torch.rand(2, 3, 8, 8), torch.randint(4, (2, 8, 8))


def _binary():
    return torch.rand(2, 3, 8, 8), torch.randint(2, (2, 1, 8, 8)).float()


def jaccard():
    return _Segmented(JaccardLoss("multiclass", log_loss=True), 4), _classes()


def tversky():
    return _Segmented(TverskyLoss("binary", alpha=0.3, beta=0.7, gamma=4 / 3), 1), _binary()


def focal():
    return _Segmented(FocalLoss("multiclass", ignore_index=0), 4), _classes()


def lovasz():
    return _Segmented(LovaszLoss("multiclass", from_logits=True), 4), _classes()


def matthews_correlation():
    return _Segmented(MCCLoss(), 1, torch.nn.Sigmoid()), _binary()


def smooth_crossentropy():
    return _Segmented(SoftCrossEntropyLoss(smooth_factor=0.1), 4), _classes()
