"""Entry points of vit-pytorch-implementation: its small vision transformer with the loss of a classifier."""

import torch
from vit_pytorch.lilvit import TransformerEncoderBlock, lilViT


def _network(**options):
    sizes = {"img_size": 16, "patch_size": 4, "num_transformer_layers": 2, "embedding_dim": 16, "mlp_size": 32}
    return lilViT(**sizes, num_heads=4, num_classes=5, **options)


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network, self.loss = _network(), torch.nn.CrossEntropyLoss()

    def forward(self, images, labels):
        return self.loss(self.network(images), labels)


def training():
    return _Classified(), (torch.rand(2, 3, 16, 16), torch.tensor([0, 3]))


def grey_images():
    return _network(in_channels=1, mlp_dropout=0.0, embedding_dropout=0.0), (torch.rand(2, 1, 16, 16),)


def block():
    return TransformerEncoderBlock(embedding_dim=16, num_heads=2, mlp_size=32), (torch.randn(2, 5, 16),)
