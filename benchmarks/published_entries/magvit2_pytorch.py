"""Entry points of magvit2-pytorch: tokenizers of videos with their losses and their discriminator, in small sizes."""

import torch
from magvit2_pytorch import VideoTokenizer


def _tokenizer(layers=("residual", "compress_space", "attend_space"), **options):
    sizes = {"image_size": 16, "init_dim": 8, "max_dim": 16, "attn_dim_head": 8, "attn_heads": 2}
    quiet = {"perceptual_loss_weight": 0.0, "flash_attn": False}  # without the pretrained network of its loss
    codes = {} if "fsq_levels" in options else {"codebook_size": 16}
    return VideoTokenizer(layers=layers, **sizes, **quiet, **codes, **options)


class _Loss(torch.nn.Module):
    def __init__(self, tokenizer, **options):
        super().__init__()
        self.tokenizer, self.options = tokenizer, options

    def forward(self, video):
        return self.tokenizer(video, **self.options)[0]


def _video(frames=3):
    return (torch.randn(1, 3, frames, 16, 16),)


def reconstruction():
    return _Loss(_tokenizer(use_gan=False), return_loss=True), _video()


def linear_attention():
    layers = ("residual", "compress_space", ("consecutive_residual", 2), "linear_attend_space", "attend_time")
    return _Loss(_tokenizer(layers, use_gan=False), return_loss=True), _video()


def levels():
    options = {"use_fsq": True, "fsq_levels": [4, 4], "use_gan": False}
    return _Loss(_tokenizer(**options), return_recon_loss_only=True), _video()


def discriminator():
    options = {"return_discr_loss": True, "apply_gradient_penalty": False}
    return _Loss(_tokenizer(), **options), _video()
