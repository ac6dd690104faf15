"""Entry points of torch-em: its networks for microscopy, and its losses of segmentation on one convolution."""

import sys
import types

import torch

_package = sys.modules["torch_em"] = types.ModuleType("torch_em")
_package.__path__ = ["torch_em"]

from torch_em.loss.cldice import CombinedclDiceLoss  # noqa: E402
from torch_em.loss.contrastive import ContrastiveLoss  # noqa: E402
from torch_em.loss.dice import BCEDiceLossWithLogits, DiceLoss  # noqa: E402
from torch_em.loss.distance_based import DistanceLoss  # noqa: E402
from torch_em.loss.wrapper import LossWrapper, MaskIgnoreLabel  # noqa: E402

_models = sys.modules["torch_em.model"] = types.ModuleType("torch_em.model")
_models.__path__ = ["torch_em/model"]

from torch_em.model.unet import AnisotropicUNet, UNet2d  # noqa: E402

_models.UNet2d = UNet2d

from torch_em.model.probabilistic_unet import ProbabilisticUNet  # noqa: E402


class _Segmented(torch.nn.Module):
    def __init__(self, channels, loss, activation):
        super().__init__()
        self.layer, self.loss, self.activation = torch.nn.Conv2d(1, channels, 3, padding=1), loss, activation

    def forward(self, image, labels):
        return self.loss(self.activation(self.layer(image)), labels)


def _mask(channels=1):
    return (torch.rand(2, channels, 16, 16) > 0.6).float()


def _entry(loss, labels, channels=1, activation=torch.sigmoid):
    return _Segmented(channels, loss, activation), (torch.rand(2, 1, 16, 16), labels)


def _instances():
    labels = torch.zeros(2, 1, 16, 16, dtype=torch.int64)
    labels[:, :, 2:7, 3:9], labels[:, :, 9:15, 8:14] = 1, 2
    return labels


def dice_and_entropy():
    return _entry(BCEDiceLossWithLogits(), _mask(), activation=torch.nn.Identity())


def centre_lines():
    return _entry(CombinedclDiceLoss(num_iter=3), _mask(), activation=torch.nn.Identity())


def distances():
    foreground = _mask()
    return _entry(DistanceLoss(), torch.cat([foreground, torch.rand(2, 2, 16, 16) * foreground], 1), 3)


def ignored_labels():
    labels = _mask()
    labels[:, :, :3] = -1
    return _entry(LossWrapper(DiceLoss(), MaskIgnoreLabel(masking_method="multiply")), labels)


def contrastive():
    loss = ContrastiveLoss(delta_var=0.75, delta_dist=2.0, impl="expand")
    return _entry(loss, _instances(), 4, torch.nn.Identity())


def unet():
    return UNet2d(1, 2, depth=2, initial_features=4, final_activation="Sigmoid"), (torch.rand(1, 1, 16, 16),)


def anisotropic():
    model = AnisotropicUNet(1, 2, [[1, 2, 2], [2, 2, 2]], initial_features=4, anisotropic_kernel=True)
    return model, (torch.rand(1, 1, 4, 16, 16),)


class _Probabilistic(torch.nn.Module):
    """The evidence lower bound that its trainer maximises."""

    def __init__(self):
        super().__init__()
        self.model = ProbabilisticUNet(num_filters=[4, 8], latent_dim=3, no_convs_per_block=1, no_convs_fcomb=2)

    def forward(self, image, labels):
        self.model(image, labels)
        return -self.model.elbo(labels)


def probabilistic():
    return _Probabilistic(), (torch.rand(2, 1, 16, 16), _mask())
