"""Entry points of pali-torch: small encoders of images and texts of its transformer, with their losses."""

import torch
from pali.transformer import Decoder, Encoder, TransformerWrapper, ViTransformerWrapper


class _Images(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        layers = Encoder(dim=8, depth=1, heads=2, attn_dim_head=4, **options)
        self.model = ViTransformerWrapper(image_size=16, patch_size=4, num_classes=3, attn_layers=layers)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def images():
    return _Images(), (torch.rand(2, 3, 16, 16), torch.tensor([0, 2]))


def gated_images():
    return _Images(ff_glu=True, use_rmsnorm=True, attn_qk_norm=True), (torch.rand(2, 3, 16, 16), torch.tensor([0, 2]))


class _Language(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        layers = Decoder(dim=8, depth=1, heads=2, attn_dim_head=4, **options)
        self.model = TransformerWrapper(num_tokens=16, max_seq_len=12, attn_layers=layers)

    def forward(self, tokens):
        return torch.nn.functional.cross_entropy(self.model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])


def language():
    return _Language(), (torch.randint(16, (2, 9)),)


def gated_language():
    return _Language(ff_swish=True, ff_glu=True), (torch.randint(16, (2, 9)),)
