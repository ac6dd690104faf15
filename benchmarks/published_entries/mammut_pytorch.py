"""Entry points of mammut-pytorch: captions and pairs of images and texts, with the loss of both."""

import torch
from mammut_pytorch.mammut_pytorch import MaMMUT


class _Training(torch.nn.Module):
    def __init__(self, encoder=None, **options):
        super().__init__()
        small = {"dim": 8, "num_tokens": 13, "depth": 2, "dim_head": 4, "heads": 2, "ff_mult": 2, "num_img_queries": 3}
        self.model = MaMMUT(img_encoder=encoder, image_dim=6, **{**small, **options})
        self.named = "images" if encoder else "image_tokens"

    def forward(self, text, picture):
        return self.model(text, return_loss=True, **{self.named: picture})


class _Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = torch.nn.Conv2d(3, 6, 4, 4)

    def forward(self, images):
        return self.patches(images).flatten(2).transpose(1, 2)


def _text():
    return torch.randint(1, 13, (3, 7))


def tokens():
    return _Training(), (_text(), torch.randn(3, 4, 6))


def images():
    return _Training(_Encoder()), (_text(), torch.randn(3, 3, 8, 8))


def every_second_layer():
    return _Training(cross_attend_every=2, contrastive_loss_weight=0.5), (_text(), torch.randn(3, 4, 6))
