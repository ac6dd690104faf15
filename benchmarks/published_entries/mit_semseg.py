"""Entry points of mit-semseg: encoders and decoders of segmentations, with losses at more depths than the last."""

from itertools import pairwise

import torch
from mit_semseg.models import hrnet, mobilenet, models, resnet
from torch import nn


class _Trained(nn.Module):
    """Its module of training with labels of which some are to be ignored, as its data gives them."""

    def __init__(self, encoder, decoder, deep=None):
        super().__init__()
        decoder.apply(models.ModelBuilder.weights_init)
        self.module = models.SegmentationModule(encoder, decoder, nn.NLLLoss(ignore_index=-1), deep)

    def forward(self, images, labels):
        return self.module({"img_data": images, "seg_label": labels})


class _Encoder(nn.Module):
    """Four stages, each of half the resolution of the one before."""

    def __init__(self):
        super().__init__()
        widths = 3, 4, 8, 16, 32
        self.stages = nn.ModuleList(models.conv3x3_bn_relu(*pair, stride=2) for pair in pairwise(widths))

    def forward(self, images, return_feature_maps=True):
        found = []
        for stage in self.stages:
            images = stage(images)
            found.append(images)
        return found


def _images(size, labels):
    return torch.rand(2, 3, size, size), torch.randint(-1, 5, (2, labels, labels))


def mobile_with_deep_supervision():
    encoder = models.MobileNetV2Dilated(mobilenet.mobilenetv2(pretrained=False), dilate_scale=8)
    return _Trained(encoder, models.C1DeepSup(num_class=5, fc_dim=320), deep=0.4), _images(32, 4)


def pyramid_pooling():
    encoder = models.ResnetDilated(resnet.ResNet(resnet.BasicBlock, [1, 1, 1, 1]), dilate_scale=8)
    return _Trained(encoder, models.PPMDeepsup(num_class=5, fc_dim=512), deep=0.4), _images(32, 4)


def unified_parsing():
    decoder = models.UPerNet(num_class=5, fc_dim=32, fpn_inplanes=(4, 8, 16, 32), fpn_dim=8)
    return _Trained(_Encoder(), decoder), _images(32, 16)


def high_resolution():
    return _Trained(hrnet.hrnetv2(pretrained=False), models.C1(num_class=5, fc_dim=720)), _images(32, 8)
