"""Entry points of torch-em: networks of microscopy pictures, and the losses of their segmentation."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["torch_em.segmentation"] = MagicMock()  # readers of data and loops of training, which nothing here needs
for _name in ("unetr", "vit", "vim"):
    sys.modules[f"torch_em.model.{_name}"] = MagicMock()  # networks that start from weights

from torch_em import loss  # noqa: E402
from torch_em.model import AnisotropicUNet, UNet2d  # noqa: E402


class _Segmenting(torch.nn.Module):
    """Channels between 0 and 1 that a convolution gives, or their scores, and the loss against the wanted ones."""

    def __init__(self, criterion, channels=1, scores=False):
        super().__init__()
        self.convolution, self.criterion = torch.nn.Conv2d(1, channels, 3, padding=1), criterion
        self.scores = scores

    def forward(self, pictures, wanted):
        given = self.convolution(pictures)
        return self.criterion(given if self.scores else torch.sigmoid(given), wanted)


def _masks(channels=1):
    return torch.rand(2, 1, 24, 24), (torch.rand(2, channels, 24, 24) > 0.6).float()


def network():
    return UNet2d(1, 2, depth=2, initial_features=8, final_activation="Sigmoid"), (torch.rand(1, 1, 32, 32),)


def network_of_volumes():
    model = AnisotropicUNet(1, 2, scale_factors=[[1, 2, 2], [2, 2, 2]], initial_features=4)
    return model, (torch.rand(1, 1, 8, 16, 16),)


def dice():
    return _Segmenting(loss.DiceLoss(), 2), _masks(2)


def dice_and_entropy():
    return _Segmenting(loss.dice.BCEDiceLossWithLogits(), 2, scores=True), _masks(2)


def distances():
    pictures, foreground = _masks()
    return _Segmenting(loss.DistanceLoss(), 3), (pictures, torch.cat([foreground, torch.rand(2, 2, 24, 24)], 1))


def distances_by_dice():
    pictures, foreground = _masks()
    criterion = loss.DiceBasedDistanceLoss(mask_distances_in_bg=True)
    return _Segmenting(criterion, 3), (pictures, torch.cat([foreground, torch.rand(2, 2, 24, 24)], 1))


def skeletons():
    return _Segmenting(loss.CombinedclDiceLoss(num_iter=3)), _masks()


def masked():
    wrapped = loss.LossWrapper(loss.DiceLoss(), loss.MaskIgnoreLabel(ignore_label=-1, masking_method="multiply"))
    pictures, wanted = _masks(2)
    wanted[:, :, :4] = -1.0
    return _Segmenting(wrapped, 2), (pictures, wanted)
