"""Entry points of neuralm: networks built of layer descriptions, with the losses of their training."""

import torch
from neuralm.layers.layer_factory import LayerFactory
from neuralm.models.autoencoder import AutoencoderModel
from neuralm.models.gan import GANModel
from neuralm.models.siamese import SiameseModel


def _layers(*descriptions):
    return [LayerFactory.create_layer(description) for description in descriptions]


def _linear(inputs, outputs):
    return {"type": "linear", "in_features": inputs, "out_features": outputs}


class _Variational(torch.nn.Module):
    """Reconstruction of values in [0, 1] and the divergence from a normal distribution."""

    def __init__(self):
        super().__init__()
        encoder = _layers(_linear(8, 16), {"type": "relu"}, _linear(16, 4))
        decoder = _layers(_linear(4, 16), {"type": "relu"}, _linear(16, 8), {"type": "sigmoid"})
        self.model = AutoencoderModel(encoder, decoder, 8, 4, is_variational=True)

    def forward(self, samples):
        made, mean, log_variance = self.model(samples)
        error = torch.nn.functional.binary_cross_entropy(made, samples, reduction="sum")
        return error - 0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())


def variational():
    return _Variational(), (torch.rand(4, 8),)


class _Pairs(torch.nn.Module):
    """The contrastive loss: alike samples lie near each other, others apart by a margin."""

    def __init__(self):
        super().__init__()
        shared = _layers(_linear(6, 16), {"type": "batchnorm1d", "num_features": 16}, {"type": "gelu"})
        self.model = SiameseModel(shared, _layers(_linear(16, 4)))

    def forward(self, first, second, alike):
        distance = self.model(first, second)[2]
        apart = torch.clamp(1.0 - distance, min=0.0)
        return (alike * distance.pow(2) + (1 - alike) * apart.pow(2)).mean()


def pairs():
    return _Pairs(), (torch.randn(4, 6), torch.randn(4, 6), torch.tensor([1.0, 0.0, 0.0, 1.0]))


class _Judged(torch.nn.Module):
    """The discriminator tells samples from those that the generator makes."""

    def __init__(self):
        super().__init__()
        generator = _layers(_linear(3, 16), {"type": "leakyrelu", "negative_slope": 0.2}, _linear(16, 6))
        discriminator = _layers(_linear(6, 16), {"type": "leakyrelu"}, _linear(16, 1), {"type": "sigmoid"})
        self.model = GANModel(generator, discriminator, latent_size=3)

    def forward(self, samples, noise):
        judged, made = self.model(samples, noise)
        real = torch.cat([torch.ones(len(samples), 1), torch.zeros(len(made), 1)])
        return torch.nn.functional.binary_cross_entropy(judged, real)


def judged():
    return _Judged(), (torch.randn(4, 6), torch.randn(4, 3))
