"""Entry points of quicknat-pytorch: its blocks that segment slices of brains, with its losses."""

import torch
from quickNat_pytorch.net_api.losses import CrossEntropyLoss2d, DiceLoss
from quickNat_pytorch.net_api.sub_module import ClassifierBlock, DecoderBlock, DenseBlock, EncoderBlock
from quickNat_pytorch.quickNAT import quickNAT

SIZES = {
    "num_filters": 64,
    "kernel_h": 5,
    "kernel_w": 5,
    "kernel_c": 1,
    "stride_conv": 1,
    "pool": 2,
    "stride_pool": 2,
    "num_class": 4,
}


class _Small(torch.nn.Module):
    """One level of its network, with few filters."""

    def __init__(self):
        super().__init__()
        sizes = {**SIZES, "num_filters": 8, "kernel_h": 3, "kernel_w": 3}
        self.encoder = EncoderBlock({**sizes, "num_channels": 1})
        self.bottleneck = DenseBlock({**sizes, "num_channels": 8})
        self.decoder = DecoderBlock({**sizes, "num_channels": 16})
        self.classifier = ClassifierBlock({**sizes, "num_channels": 8})

    def forward(self, images):
        given, skipped, places = self.encoder(images)
        return self.classifier(self.decoder(self.bottleneck(given), skipped, places))


class _Segmented(torch.nn.Module):
    def __init__(self, network, loss, log=False):
        super().__init__()
        self.network, self.loss, self.log = network, loss, log

    def forward(self, images, masks):
        given = self.network(images)
        return self.loss(given.log_softmax(dim=1) if self.log else given, masks)


def _images(size):
    return torch.rand(1, 1, size, size), torch.randint(0, 4, (1, size, size))


def cross_entropy():
    return _Segmented(_Small(), CrossEntropyLoss2d()), _images(8)


def dice():
    return _Segmented(_Small(), DiceLoss(), log=True), _images(8)


def whole():
    return _Segmented(quickNAT({**SIZES, "num_channels": 1}), CrossEntropyLoss2d()), _images(32)
