"""Entry points of muse-maskgit-pytorch: masked tokens of pictures with their losses, and the coder of pictures."""

import sys
from unittest.mock import MagicMock

import torch
from transformers import T5Config, T5EncoderModel, T5Tokenizer  # noqa: F401

for _name in (
    "torchvision",
    "torchvision.transforms",
    "memory_efficient_attention_pytorch",
    "memory_efficient_attention_pytorch.flash_attention",
    "muse_maskgit_pytorch.trainers",
):
    sys.modules[_name] = MagicMock()  # weights, kernels of a GPU and loops of training, which nothing here needs

from muse_maskgit_pytorch import muse_maskgit_pytorch as muse  # noqa: E402
from muse_maskgit_pytorch.vqgan_vae import VQGanVAE  # noqa: E402

muse.get_encoded_dim = lambda name: 24  # the width of the texts, which the package looks up on a hub


def _sizes():
    return {"num_tokens": 64, "seq_len": 16, "dim": 32, "depth": 1, "dim_head": 16, "heads": 2, "flash": False}


def _coder():
    return VQGanVAE(dim=16, layers=2, codebook_size=64, use_vgg_and_gan=False)


class _Coding(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model, self.options = VQGanVAE(dim=16, layers=2, codebook_size=64, vgg=None, **options), options

    def forward(self, pictures):
        return self.model(pictures, return_loss=True)


class _Masked(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = muse.MaskGitTransformer(**_sizes(), **options)

    def forward(self, tokens, labels, texts):
        return self.model(tokens, labels=labels, text_embeds=texts, ignore_index=-1, cond_drop_prob=0.25)


class _Criticised(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = muse.TokenCritic(**_sizes())

    def forward(self, tokens, changed, texts):
        return self.model(tokens, labels=changed, text_embeds=texts)


class _Training(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        transformer = muse.MaskGitTransformer(**_sizes())
        self.model = muse.MaskGit(image_size=16, transformer=transformer, vae=_coder(), **options)

    def forward(self, tokens, texts):
        return self.model(tokens, text_embeds=texts, sample_temperature=0.5)


def _texts():
    texts = torch.randn(2, 6, 24)
    texts[1, 4:] = 0.0
    return texts


def _labels():
    labels = torch.randint(0, 64, (2, 16))
    labels[:, ::3] = -1
    return labels


def masked():
    return _Masked(), (torch.randint(0, 65, (2, 16)), _labels(), _texts())


def self_conditioned():
    return _Masked(self_cond=True), (torch.randint(0, 65, (2, 16)), _labels(), _texts())


def critic():
    return _Criticised(), (torch.randint(0, 64, (2, 16)), torch.randint(0, 2, (2, 16)).float(), _texts())


def training():
    return _Training(), (torch.randint(0, 64, (2, 4, 4)), _texts())


def training_with_critic():
    return _Training(self_token_critic=True), (torch.randint(0, 64, (2, 4, 4)), _texts())


def coder():
    return _coder(), (torch.rand(2, 3, 16, 16),)


def coding():
    return _Coding(use_vgg_and_gan=False, l2_recon_loss=True), (torch.rand(2, 3, 16, 16),)
