"""Entry points of swin-transformer-pytorch: small transformers of shifted windows, and their parts."""

import torch
from swin_transformer_pytorch import SwinTransformer
from swin_transformer_pytorch.swin_transformer import PatchMerging, SwinBlock


def _transformer(**options):
    return SwinTransformer(
        hidden_dim=16, layers=(2, 2, 2, 2), heads=(1, 2, 2, 4), num_classes=5, head_dim=8, window_size=2, **options
    )


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def relative_positions():
    return _transformer(), (torch.rand(2, 3, 64, 64),)


def absolute_positions():
    return _Classified(_transformer(relative_pos_embedding=False)), (torch.rand(2, 3, 64, 64), torch.tensor([4, 0]))


def shifted_block():
    return SwinBlock(8, 2, 4, 16, shifted=True, window_size=4, relative_pos_embedding=True), (torch.randn(2, 8, 8, 8),)


def merged_patches():
    return PatchMerging(3, 8, 4), (torch.rand(2, 3, 16, 16),)
