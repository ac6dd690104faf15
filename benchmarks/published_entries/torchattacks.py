"""Entry points of torchattacks: robust classifiers of its zoo in small, and the losses that its attacks climb."""

import sys
import types

import torch

for _name in ("robustbench", "robustbench.model_zoo", "robustbench.model_zoo.architectures"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from robustbench.model_zoo.architectures import dm_wide_resnet, resnest, resnet, resnext, wide_resnet  # noqa: E402
from robustbench.model_zoo.architectures.paf_wide_resnet import PAF_WideResNet, PSSiLU  # noqa: E402
from torchattacks.attacks.cw import CW  # noqa: E402
from torchattacks.attacks.spsa import MarginalLoss  # noqa: E402


class _Classified(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, images, labels):
        return self.loss(self.model(images), labels)


def _images(size=32):
    return (torch.rand(2, 3, size, size),)


def wide():
    return wide_resnet.WideResNet(depth=10, widen_factor=1, dropRate=0.1), _images()


def wide_swish():
    return dm_wide_resnet.DMWideResNet(depth=10, width=1, activation_fn=dm_wide_resnet.Swish), _images()


def learned_activation():
    return PAF_WideResNet(PSSiLU(), depth=10, widen_factor=1), _images()


def grouped():
    return resnext.CifarResNeXt(resnext.ResNeXtBottleneck, 11, 2, 4, 10), _images()


def split_attention():
    model = resnest.ResNest(
        resnest.Bottleneck, [1, 1, 1, 1], radix=2, bottleneck_width=64, deep_stem=True, stem_width=8, avg_down=True
    )
    return model.eval(), _images()


def residual():
    return resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1]), _images()


def margin():
    layers = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(48, 4))
    return _Classified(layers, MarginalLoss()), (*_images(4), torch.tensor([0, 3]))


class _Carlini(torch.nn.Module):
    """What the attack of Carlini and Wagner minimises over pictures behind a tanh."""

    def __init__(self):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(48, 4))
        self.attack = CW(self.model, c=1, kappa=0)

    def forward(self, images, change, labels):
        moved = self.attack.tanh_space(self.attack.inverse_tanh_space(images) + change)
        distance = torch.nn.functional.mse_loss(moved.flatten(1), images.flatten(1), reduction="none").sum()
        return distance + self.attack.f(self.model(moved), labels).sum()


def attacked():
    return _Carlini(), (*_images(4), 0.1 * torch.randn(2, 3, 4, 4), torch.tensor([0, 3]))
