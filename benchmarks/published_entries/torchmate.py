"""Entry points of torchmate: its layers of attention and of squeezed channels in a small segmentation."""

import torch
from torchmate.modules.refined_self_attention_sagan import RefinedSelfAttentionSAGAN
from torchmate.modules.squeeze_and_excitation import ChannelSELayer, ChannelSpatialSELayer, SpatialSELayer


class _Segmented(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        first = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.ReLU()
        self.layers = torch.nn.Sequential(*first, layer, torch.nn.Conv2d(8, 3, 1))

    def forward(self, images, masks):
        return torch.nn.functional.cross_entropy(self.layers(images), masks)


def _images():
    return torch.rand(2, 3, 6, 6), torch.randint(0, 3, (2, 6, 6))


def attention():
    return _Segmented(RefinedSelfAttentionSAGAN(8)), _images()


def channels():
    return _Segmented(ChannelSELayer(8)), _images()


def positions():
    return _Segmented(SpatialSELayer(8)), _images()


def channels_and_positions():
    return _Segmented(ChannelSpatialSELayer(8, reduction_ratio=4)), _images()
