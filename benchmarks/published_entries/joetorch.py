"""Entry points of joetorch: its convolutions with attention, autoencoders of digits, mixers, losses on one layer."""

import torch
from joetorch.functional.loss_functions import (
    bce_recon_loss,
    kl_loss,
    mse_recon_loss,
    negative_cosine_similarity,
    smooth_l1_loss,
    smooth_nll_loss,
)
from joetorch.functional.representations import feature_std_entropy, interfeature_correlation
from joetorch.nn import MNIST_AE, ConvCrossAttentionBlock, ConvResidualBlock, ConvSelfAttentionBlock, convmixer


class _Digits(torch.nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.model = MNIST_AE(16, mode)

    def forward(self, images):
        return self.model.loss((images, None))["loss"]


def digits():
    return _Digits("mlp"), (torch.rand(2, 1, 28, 28),)


def mixer():
    return convmixer((3, 16, 16), (5,), 8, 2, patch_size=2), (torch.rand(2, 3, 16, 16),)


def attention():
    layers = ConvResidualBlock(8, 16, gn_groups=4), ConvSelfAttentionBlock(16, gn_groups=4)
    return torch.nn.Sequential(*layers), (torch.randn(2, 8, 8, 8),)


def cross_attention():
    return ConvCrossAttentionBlock(8, 12, gn_groups=4), (torch.randn(2, 8, 8, 8), torch.randn(2, 12, 4, 4))


class _Variational(torch.nn.Module):
    def __init__(self, recon):
        super().__init__()
        self.encoder, self.decoder, self.recon = torch.nn.Linear(16, 8), torch.nn.Linear(4, 16), recon

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=1)
        drawn = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.recon(self.decoder(drawn), x) + kl_loss(mean, log_variance)


def variational():
    return _Variational(bce_recon_loss), (torch.rand(4, 16),)


def variational_squares():
    return _Variational(mse_recon_loss), (torch.rand(4, 16),)


class _Supervised(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.classes, self.value = torch.nn.Linear(6, 4), torch.nn.Linear(6, 1)

    def forward(self, features, labels, values):
        return smooth_nll_loss(self.classes(features), labels).mean() + smooth_l1_loss(self.value(features), values)


def supervised():
    return _Supervised(), (torch.randn(5, 6), torch.tensor([0, 3, 1, 2, 3]), torch.randn(5, 1))


class _Features(torch.nn.Module):
    """Two views drawn together while the features stay apart."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 4)

    def forward(self, first, second):
        x, y = self.layer(first), self.layer(second)
        return negative_cosine_similarity(x, y) + interfeature_correlation(x) - feature_std_entropy(x)


def features():
    return _Features(), (torch.randn(8, 6), torch.randn(8, 6))
