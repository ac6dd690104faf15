"""Entry points of torch-genomics: variational autoencoders of binary sites, with the losses of their training."""

import torch
from torchgenomics.models.vae import BinaryBetaTCVAE, BinaryBetaVAE
from torchgenomics.training.losses import beta_tcvae_loss, beta_vae_loss


class _Trained(torch.nn.Module):
    def __init__(self, model, loss, correlated):
        super().__init__()
        self.model, self.loss, self.correlated = model, loss, correlated

    def forward(self, sites):
        given, latent, sampled = self.model(sites)
        more = (sampled,) if self.correlated else ()
        return self.loss(sites, given, latent, *more, beta=2.0)["total_loss"]


def _sites():
    return (torch.randint(2, (6, 12)).float(),)


def weighed():
    return _Trained(BinaryBetaVAE(12, [8, 6], 3), beta_vae_loss, False), _sites()


def total_correlation():
    return _Trained(BinaryBetaTCVAE(12, [8], 3), beta_tcvae_loss, True), _sites()
