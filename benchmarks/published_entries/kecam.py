"""Entry points of kecam: small ones of its networks of images and of words, made of the layers of PyTorch."""

import os

import torch

os.environ["KECAM_BACKEND"] = "torch"

from keras_cv_attention_models.beit import Beit
from keras_cv_attention_models.coatnet import CoAtNet
from keras_cv_attention_models.convnext import ConvNeXt
from keras_cv_attention_models.gpt2 import GPT2
from keras_cv_attention_models.mlp_family.mlp_mixer import MLPMixer

IMAGE = {"input_shape": (3, 32, 32), "num_classes": 4, "classifier_activation": None, "pretrained": None}


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def _images():
    return torch.rand(2, 3, 32, 32), torch.tensor([3, 1])


def convolutions():
    return _Trained(ConvNeXt([1, 1], [8, 16], use_grn=True, layer_scale_init_value=0, **IMAGE)), _images()


def patches():
    return _Trained(Beit(depth=2, embed_dim=16, num_heads=2, patch_size=8, **IMAGE)), _images()


def mixed():
    return _Trained(MLPMixer(2, 8, 16, tokens_mlp_dim=12, channels_mlp_dim=24, **IMAGE)), _images()


def both():
    kinds = {"block_types": ["conv", "transform"], "strides": [2, 2], "head_dimension": 8}
    return _Trained(CoAtNet([1, 1], [8, 16], stem_width=8, **kinds, **IMAGE)), _images()


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = GPT2(2, 16, 2, vocab_size=20, max_block_size=12)

    def forward(self, words):
        return torch.nn.functional.cross_entropy(self.model(words[:, :-1]).transpose(1, 2), words[:, 1:])


def language():
    return _Language(), (torch.tensor([[3, 7, 2, 19, 4, 8], [5, 6, 1, 9, 2, 11]]),)
