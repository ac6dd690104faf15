"""Entry points of dall-e: its encoder and decoder of pictures, in the smallest of their sizes, and their training."""

import torch
from dall_e import Decoder, Encoder, map_pixels, unmap_pixels

SIZES = {"n_hid": 64, "n_blk_per_group": 1, "vocab_size": 512}


class _Words(torch.nn.Module):
    """The words of a picture's patches."""

    def __init__(self):
        super().__init__()
        self.encoder = Encoder(**SIZES)

    def forward(self, pictures):
        return torch.argmax(self.encoder(map_pixels(pictures)), dim=1)


def words():
    return _Words(), torch.rand(1, 3, 16, 16)


class _Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = Decoder(n_init=16, **SIZES)

    def forward(self, words):
        codes = torch.nn.functional.one_hot(words, num_classes=512).permute(0, 3, 1, 2).float()
        return unmap_pixels(torch.sigmoid(self.decoder(codes)[:, :3]))


def pictures():
    return _Pictures(), torch.tensor([[[3, 500], [27, 411]]])


class _Autoencoder(torch.nn.Module):
    """Words are drawn softly, and the decoder says where and how wide the pixels are."""

    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = Encoder(**SIZES), Decoder(n_init=16, **SIZES)

    def forward(self, pictures):
        mapped = map_pixels(pictures)
        codes = torch.nn.functional.gumbel_softmax(self.encoder(mapped), tau=1.0, dim=1)
        mean, log_scale = self.decoder(codes).chunk(2, dim=1)
        error = (torch.logit(mapped) - mean).abs() / log_scale.exp()
        return (error + log_scale).mean()


def autoencoder():
    return _Autoencoder(), (torch.rand(1, 3, 16, 16),)
