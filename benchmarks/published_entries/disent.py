"""Entry points of disent: its divergences and triplets of codes, that a small autoencoder of pictures is trained by."""

import torch
from disent.nn.loss.kl import kl_loss
from disent.nn.loss.reduction import loss_reduction
from disent.nn.loss.triplet import TripletLossConfig, compute_triplet_loss


def _encoder(size):
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 16), torch.nn.ReLU(), torch.nn.Linear(16, size))


class _Variational(torch.nn.Module):
    def __init__(self, mode, beta=4.0):
        super().__init__()
        layers = torch.nn.Linear(3, 16), torch.nn.ReLU(), torch.nn.Linear(16, 64), torch.nn.Unflatten(1, (1, 8, 8))
        self.encoder, self.decoder = _encoder(6), torch.nn.Sequential(*layers)
        self.mode, self.beta = mode, beta

    def forward(self, pictures):
        mean, log_variance = self.encoder(pictures).split(3, dim=-1)
        posterior = torch.distributions.Normal(mean, torch.exp(0.5 * log_variance))
        prior = torch.distributions.Normal(torch.zeros_like(mean), torch.ones_like(mean))
        sampled = posterior.rsample()
        restored = self.decoder(sampled)
        error = torch.nn.functional.binary_cross_entropy_with_logits(restored, pictures, reduction="none")
        divergence = kl_loss(posterior, prior, sampled, mode=self.mode)
        return loss_reduction(error, "mean_sum") + self.beta * loss_reduction(divergence, "mean_sum")


def variational():
    return _Variational("direct"), (torch.rand(3, 1, 8, 8),)


def variational_approximately():
    return _Variational("approx"), (torch.rand(3, 1, 8, 8),)


def variational_both_ways():
    return _Variational("direct_symmetric"), (torch.rand(3, 1, 8, 8),)


class _Triplets(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model, self.config = _encoder(3), config

    def forward(self, anchors, near, far):
        codes = [self.model(pictures) for pictures in (anchors, near, far)]
        return compute_triplet_loss(codes, self.config)[0]


def _three():
    pictures = torch.rand(3, 1, 8, 8)
    return pictures, (pictures + 0.05 * torch.randn(3, 1, 8, 8)).clamp(0, 1), torch.rand(3, 1, 8, 8)


def triplets():
    return _Triplets(TripletLossConfig(triplet_margin_min=None)), _three()


def soft_triplets():
    return _Triplets(TripletLossConfig("triplet_soft", triplet_margin_min=None, triplet_margin_max=None)), _three()


def clamped_triplets():
    return _Triplets(TripletLossConfig("min_clamped_triplet")), _three()
