"""Entry points of joetorch: its encoders and blocks, and its losses of classes, codes and reconstructions."""

import torch
from joetorch import functional, nn


class _Classifying(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.model, self.loss = nn.convmixer((3, 16, 16), (5,), hidden_dim=12, depth=2, patch_size=2), loss

    def forward(self, pictures, labels):
        return self.loss(self.model(pictures), labels).mean()


class _Reconstructing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.MNIST_AE(16, "mlp")

    def forward(self, pictures, labels):
        return self.model.loss((pictures, labels))["loss"]


class _Variational(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = nn.MNIST_CNN_Encoder(16, layer_norm=False), nn.MNIST_CNN_Decoder(8)

    def forward(self, pictures):
        mean, log_variance = self.encoder(pictures).chunk(2, -1)
        given = self.decoder(mean + torch.randn_like(mean) * torch.exp(log_variance / 2))
        wanted = torch.nn.functional.interpolate(pictures, given.shape[-2:])
        return functional.bce_recon_loss(given, wanted) + functional.kl_loss(mean, log_variance)


class _Decorrelating(torch.nn.Module):
    """Codes of two views, alike and with features of their own."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(10, 6)

    def forward(self, first, second):
        first, second = self.layer(first), self.layer(second)
        alike = functional.smooth_l1_loss(first, second) + functional.negative_cosine_similarity(first, second)
        return alike + functional.interfeature_correlation(first) - functional.feature_std_entropy(first)


def _labelled():
    return torch.rand(4, 3, 16, 16), torch.tensor([0, 4, 2, 3])


def classes():
    return _Classifying(functional.nll_loss), _labelled()


def smoothed_classes():
    return _Classifying(functional.smooth_nll_loss), _labelled()


def reconstruction():
    return _Reconstructing(), (torch.rand(3, 1, 28, 28), torch.tensor([1, 7, 0]))


def variational():
    return _Variational(), (torch.rand(3, 1, 28, 28),)


def decorrelating():
    return _Decorrelating(), (torch.randn(8, 10), torch.randn(8, 10))


def attention():
    return nn.CrossAttention(2, 16, 12), (torch.randn(2, 7, 16), torch.randn(2, 5, 12))


def encoder():
    return nn.SmallEncoder(3, 4), (torch.rand(1, 3, 32, 32),)
