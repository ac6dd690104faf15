"""Entry points of mindglow: its decoder of segmentations on encoders of its blocks, with attention and deep losses."""

import torch
from mindglow.seg2d.losses import get_loss
from mindglow.seg2d.models.blocks import DoubleConv, Down, ResidualConv, SEBlock
from mindglow.seg2d.models.unet import UNet
from torch import nn


class _Encoder(nn.Module):
    def __init__(self, *stages):
        super().__init__()
        self.stages, self.out_channels = nn.ModuleList(stages), [4, 8, 16]

    def forward(self, x):
        found = {}
        for i, stage in enumerate(self.stages):
            x = found[f"stage{i}"] = stage(x)
        return found


class _Trained(nn.Module):
    def __init__(self, encoder, loss, **options):
        super().__init__()
        self.model = UNet(encoder, decoder_channels=(8, 4), out_channels=3, **options)
        self.loss = get_loss(loss)

    def forward(self, images, masks):
        found = self.model(images)
        if not isinstance(found, dict):
            return self.loss(found, masks)
        total = self.loss(found["out"], masks)
        for aux in found["aux"]:
            aux = nn.functional.interpolate(aux, masks.shape[-2:], mode="bilinear", align_corners=False)
            total = total + 0.4 * self.loss(aux, masks)
        return total


def _images():
    return torch.rand(2, 3, 16, 16), torch.randint(0, 3, (2, 16, 16))


def plain():
    encoder = _Encoder(DoubleConv(3, 4), Down(4, 8), Down(8, 16, dropout=0.1))
    return _Trained(encoder, "dice"), _images()


def attention_with_deep_supervision():
    encoder = _Encoder(DoubleConv(3, 4, activation="gelu"), Down(4, 8, activation="mish"), Down(8, 16))
    options = {"attention": True, "deep_supervision": True, "bilinear": True, "activation": "swish"}
    return _Trained(encoder, "combined", **options), _images()


def residual_with_excitation():
    def stage(inputs, outputs):
        return nn.Sequential(nn.MaxPool2d(2), ResidualConv(inputs, outputs, norm="bn"), SEBlock(outputs, reduction=4))

    return _Trained(_Encoder(ResidualConv(3, 4, norm="bn"), stage(4, 8), stage(8, 16)), "ce"), _images()
