"""Entry points of diresa-torch: its twin autoencoder, trained with each loss of distances."""

import torch
from diresa_torch.arch.models import Diresa
from diresa_torch.losses import loss_funcs


class _Trained(torch.nn.Module):
    """Reconstruction, covariance of the latents and distances, as its trainer adds them."""

    def __init__(self, network, of_distances):
        super().__init__()
        self.network, self.of_distances = network, of_distances
        self.rebuilt, self.of_latents = torch.nn.MSELoss(), loss_funcs.LatentCovLoss()

    def forward(self, data, twins):
        given, latent, distances = self.network(data, twins)
        return self.rebuilt(given, data) + self.of_latents(latent, None) + self.of_distances(distances, None)


def _dense(of_distances):
    network = Diresa.from_hyper_param(input_shape=(6,), dense_units=(8, 3))
    return _Trained(network, of_distances), (torch.rand(8, 6), torch.rand(8, 6))


def logarithms():
    return _dense(loss_funcs.MALEDistLoss())


def percentages():
    return _dense(loss_funcs.MAPEDistLoss())


def squares_of_logarithms():
    return _dense(loss_funcs.MSLEDistLoss())


def correlation():
    return _dense(loss_funcs.CorrDistLoss())


def correlation_of_logarithms():
    return _dense(loss_funcs.CorrLogDistLoss())


def images():
    network = Diresa.from_hyper_param(input_shape=(1, 8, 8), stack=(1, 1), stack_filters=(4, 2), dense_units=(3,))
    return _Trained(network, loss_funcs.MSEDistLoss()), (torch.rand(4, 1, 8, 8), torch.rand(4, 1, 8, 8))
