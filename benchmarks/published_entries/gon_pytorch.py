"""Entry points of gon-pytorch: its gradient origin networks, which find what they need to know by a gradient."""

import torch
from gon_pytorch.modules import (
    GON,
    GaussianFourierFeatureTransform,
    IdentityPositionalEncoding,
    ImplicitDecoder,
    LinearBlockFactory,
    NeRFPositionalEncoding,
    SirenBlockFactory,
    Swish,
)


class _Trained(torch.nn.Module):
    """The error of images from what a gradient at the origin told of them."""

    def __init__(self, encoder, factory, latent=4, **options):
        super().__init__()
        modulation = options.pop("modulation", False)
        decoder = ImplicitDecoder(latent, 1, 8, 3, factory, encoder, modulation=modulation)
        self.model = GON(decoder, **options)

    def forward(self, places, images):
        latent, _ = self.model.infer_latents(places, images)
        return self.model.loss_outer(self.model(places, latent), images)


def _images():
    lines = torch.linspace(-1, 1, 5)
    places = torch.stack(torch.meshgrid(lines, lines, indexing="ij"), dim=-1)
    return places.expand(3, 5, 5, 2), torch.rand(3, 5, 5, 1)


def sines():
    return _Trained(IdentityPositionalEncoding(2), SirenBlockFactory(w0=30)), _images()


def frequencies():
    encoder = GaussianFourierFeatureTransform(2, mapping_size=6, sigma=2.0)
    factory = LinearBlockFactory(activation_cls=Swish)
    return _Trained(encoder, factory, latent_updates=2, learn_origin=True), _images()


def modulated():
    return _Trained(NeRFPositionalEncoding(2, n=3), SirenBlockFactory(w0=5), modulation=True), _images()
