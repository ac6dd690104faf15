"""Entry points of pytorch-glow: its flows of images, trained by the bits each dimension takes."""

import math

import torch
from glow.glow import Glow


class _Trained(torch.nn.Module):
    """As its training script has the loss."""

    def __init__(self, **options):
        super().__init__()
        self.flow = Glow(nb_channels=3, nb_blocks=2, nb_flows=1, **options)

    def forward(self, images):
        pixels = images[0].numel()
        log_probability, log_determinant, _ = self.flow(images - 0.5)
        loss = -math.log(32) * pixels + log_determinant + log_probability
        return (-loss / (math.log(2) * pixels)).mean()


def _initialized(model):
    images = torch.rand(2, 3, 8, 8)
    model(images)  # its normalization starts with the first batch
    return model, (images,)


def additive():
    return _initialized(_Trained(grad_checkpoint=False))


def affine():
    return _initialized(_Trained(affine_coupling=True, grad_checkpoint=False))


def by_determinant():
    return _initialized(_Trained(lu=False, affine_coupling=True, grad_checkpoint=False))


class _Drawn(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.flow = Glow(nb_channels=3, nb_blocks=2, nb_flows=1, affine_coupling=True, grad_checkpoint=False)

    def forward(self, *noises):
        return self.flow.reverse(list(noises))


def drawn():
    model = _Drawn()
    return model, tuple(0.7 * torch.randn(2, *shape) for shape in model.flow.get_latent_shapes((3, 8, 8)))
