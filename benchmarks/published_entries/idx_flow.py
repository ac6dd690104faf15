"""Entry points of idx-flow: fields on a sphere's pixels, made smaller and as fine again, classified and attended."""

import numpy
import torch
from idx_flow import GlobalMLP, SpatialConv, SpatialLayerNorm, SpatialMLP, SpatialUpsampling, SpatialViT, Squeeze

COARSE, FINE = 12, 48


def _children():
    """The four fine pixels in each coarse one, as nested pixels are numbered."""
    return numpy.arange(FINE).reshape(COARSE, 4)


def _parents():
    """The coarse pixel that each fine one lies in, and the next two, with their distances."""
    own = numpy.arange(FINE) // 4
    return numpy.stack([own, (own + 1) % COARSE, (own - 1) % COARSE], axis=1)


def _distances():
    return numpy.random.default_rng(0).uniform(0.1, 0.9, (FINE, 3))


class _Compressed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.down = SpatialConv(COARSE, _children(), filters=6)
        self.norm = SpatialLayerNorm(6)
        self.up = SpatialUpsampling(FINE, _parents(), _distances(), interpolation="idw")
        self.last = torch.nn.Linear(6, 2)

    def forward(self, fields):
        given = torch.nn.functional.gelu(self.norm(self.down(fields)))
        return torch.nn.functional.mse_loss(self.last(self.up(given)), fields)


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.local = SpatialMLP(COARSE, _children(), hidden_units=(8, 6), activations=("gelu", "linear"))
        self.overall, self.squeeze = GlobalMLP(hidden_units=(8, 3), activations=("gelu", "linear")), Squeeze("mean")

    def forward(self, fields, labels):
        given = self.squeeze(self.overall(self.local(fields)))
        return torch.nn.functional.cross_entropy(given, labels)


class _Attended(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = SpatialViT(COARSE, _children(), embed_dim=8, depth=2, num_heads=2, output_dim=1)

    def forward(self, fields, wanted):
        return torch.nn.functional.mse_loss(self.model(fields)[..., 0], wanted)


def _made(model, *inputs):
    """The layers learn of their channels from what they are first given."""
    model(*inputs)
    return model, inputs


def compressed():
    return _made(_Compressed(), torch.randn(2, FINE, 2))


def classified():
    return _made(_Classified(), torch.randn(2, FINE, 2), torch.tensor([2, 0]))


def attended():
    return _made(_Attended(), torch.randn(2, FINE, 2), torch.randn(2, COARSE))
