"""Entry points of pytorch3dunet: its blocks put together as its networks are, in small, with losses of masks."""

import torch
from pytorch3dunet.unet3d.buildingblocks import (
    DoubleConv,
    ResNetBlock,
    ResNetBlockSE,
    create_decoders,
    create_encoders,
)


class _Network(torch.nn.Module):
    def __init__(self, block, order="gcr", upsample="default", solid=True, classes=1):
        super().__init__()
        maps, shared = [8, 16, 32], (block, 3, 1)
        self.encoders = create_encoders(1, maps, *shared, 2, 0.1, order, 4, 2, solid)
        self.decoders = create_decoders(maps, *shared, order, 4, upsample, 0.1, solid)
        self.head = (torch.nn.Conv3d if solid else torch.nn.Conv2d)(8, classes, 1)

    def forward(self, volumes):
        hidden, kept = volumes, []
        for encoder in self.encoders:
            hidden = encoder(hidden)
            kept.insert(0, hidden)
        for decoder, features in zip(self.decoders, kept[1:], strict=True):
            hidden = decoder(features, hidden)
        return self.head(hidden)


class _Segmented(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, volumes, masks):
        return self.loss(self.model(volumes), masks)


def _volumes(*shape):
    return torch.randn(1, 1, *shape), (torch.rand(1, 1, *shape) > 0.5).float()


def volumes():
    return _Segmented(_Network(DoubleConv), torch.nn.BCEWithLogitsLoss()), _volumes(8, 8, 8)


def residual():
    return _Segmented(_Network(ResNetBlock), torch.nn.BCEWithLogitsLoss()), _volumes(8, 8, 8)


def residual_with_squeezes():
    return _Segmented(_Network(ResNetBlockSE, "cge"), torch.nn.BCEWithLogitsLoss()), _volumes(8, 8, 8)


def slices_of_classes():
    model = _Network(DoubleConv, "bcr", solid=False, classes=3)
    return _Segmented(model, torch.nn.CrossEntropyLoss()), (torch.randn(2, 1, 16, 16), torch.randint(3, (2, 16, 16)))
