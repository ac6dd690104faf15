"""Entry points of dalle2-pytorch: losses of its prior and of its decoder, its network, its quantised autoencoder."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("torchvision", "torchvision.transforms", "kornia", "kornia.filters", "kornia.augmentation"):
    sys.modules[_name] = MagicMock()  # pictures that are changed, which nothing here needs
for _name in ("resize_right", "x_clip", "coca_pytorch", "dalle2_pytorch.trainer", "dalle2_pytorch.tokenizer"):
    sys.modules[_name] = MagicMock()  # other networks of text and pictures, a trainer and words

from dalle2_pytorch import Decoder, DiffusionPrior, DiffusionPriorNetwork, Unet, VQGanVAE  # noqa: E402


class _Prior(torch.nn.Module):
    """The README's training of the prior on embeddings that are made before."""

    def __init__(self, **options):
        super().__init__()
        net = DiffusionPriorNetwork(dim=16, depth=1, dim_head=8, heads=2, max_text_len=6)
        self.prior = DiffusionPrior(net, image_embed_dim=16, timesteps=100, cond_drop_prob=0.2, **options)

    def forward(self, text, image, encodings):
        return self.prior(text_embed=text, image_embed=image, text_encodings=encodings)


def _embeddings():
    text, image = (torch.nn.functional.normalize(torch.randn(2, 16), dim=-1) for _ in range(2))
    return text, image, torch.randn(2, 6, 16)


def prior():
    return _Prior(), _embeddings()


def prior_of_velocity():
    return _Prior(predict_v=True), _embeddings()


def _unet(**options):
    return Unet(dim=8, image_embed_dim=16, cond_dim=8, dim_mults=(1, 2), attn_heads=2, attn_dim_head=8, **options)


class _Decoding(torch.nn.Module):
    def __init__(self, unet, **options):
        super().__init__()
        self.decoder = Decoder(unet, image_size=16, timesteps=100, **options)

    def forward(self, image, embedding):
        return self.decoder(image, image_embed=embedding)


def decoder():
    return _Decoding(_unet()), (torch.rand(2, 3, 16, 16), torch.randn(2, 16))


class _Described(_Decoding):
    def forward(self, image, embedding, encodings):
        return self.decoder(image, image_embed=embedding, text_encodings=encodings)


def decoder_of_text():
    unet = _unet(cond_on_text_encodings=True, text_embed_dim=16, max_text_len=6)
    inputs = torch.rand(2, 3, 16, 16), torch.randn(2, 16), torch.randn(2, 6, 16)
    return _Described(unet, learned_variance=False, p2_loss_weight_gamma=1.0), inputs


class _Network(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = _unet()

    def forward(self, image, times, embedding):
        return self.net(image, times, image_embed=embedding)


def network():
    return _Network(), (torch.randn(2, 3, 16, 16), torch.randint(100, (2,)), torch.randn(2, 16))


class _Restoring(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = VQGanVAE(
            dim=16, image_size=16, layers=2, vq_codebook_size=12, vq_codebook_dim=8, use_vgg_and_gan=False
        )

    def forward(self, image):
        return self.model(image, return_loss=True)


def quantised():
    return _Restoring(), (torch.rand(2, 3, 16, 16),)
