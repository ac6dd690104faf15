"""Entry points of multimodal-autoencoders: two kinds of measurements in one latent space, with its trainer's losses."""

import torch
from multimodal_autoencoders.base.autoencoder import VariationalAutoencoder
from multimodal_autoencoders.base.base_model import Classifier, Decoder, Encoder


class _Encoder(Encoder):
    def _set_model(self):
        width = self.n_hidden
        return torch.nn.Sequential(
            torch.nn.Linear(self.n_input, width),
            torch.nn.BatchNorm1d(width),
            torch.nn.PReLU(),
            torch.nn.Linear(width, width),
            torch.nn.BatchNorm1d(width),
            torch.nn.PReLU(),
        )


class _Decoder(Decoder):
    def _set_model(self):
        layers = torch.nn.Linear(self.n_z, self.n_hidden), torch.nn.BatchNorm1d(self.n_hidden), torch.nn.PReLU()
        return torch.nn.Sequential(*layers, torch.nn.Linear(self.n_hidden, self.n_input))


class _Classifier(Classifier):
    def _set_model(self):
        return torch.nn.Sequential(torch.nn.Linear(self.n_z, 8), torch.nn.ReLU(), torch.nn.Linear(8, self.n_out))


def _modality(inputs):
    return VariationalAutoencoder(_Encoder(inputs, 16), _Decoder(inputs, 16, 4), "adam", 1e-3)


def _divergence(mean, logvar):
    """As its trainer computes it, over the whole batch."""
    return -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())


class _Pretrained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.metric = _modality(12), torch.nn.MSELoss()

    def forward(self, genes):
        given, _, mean, logvar = self.model(genes)
        return self.metric(genes, given) + 0.001 * _divergence(mean, logvar)


def pretrained():
    return _Pretrained(), torch.log1p(torch.randint(0, 50, (6, 12)).float())


class _Joint(torch.nn.Module):
    """Paired cells: latent values near each other, which a discriminator cannot tell apart, and kinds of cells."""

    def __init__(self):
        super().__init__()
        self.genes, self.images = _modality(12), _modality(20)
        self.discriminator, self.classifier = _Classifier("adam", 1e-3, 4, 2), _Classifier("sgd", 1e-3, 4, 3)
        self.metric, self.anchor, self.classes = torch.nn.MSELoss(), torch.nn.L1Loss(), torch.nn.CrossEntropyLoss()

    def forward(self, genes, images, clusters):
        passed = [self.genes(genes), self.images(images)]
        total = 0
        for place, (batch, (given, latent, mean, logvar)) in enumerate(zip((genes, images), passed, strict=True)):
            other = torch.full((len(batch),), 1 - place)
            total += self.metric(batch, given) + 0.001 * _divergence(mean, logvar)
            total += self.classes(self.discriminator(latent), other)
            total += self.classes(self.classifier(latent), clusters.flatten().long())
            total += self.anchor(latent, passed[1 - place][1])
        return total


def joint():
    genes = torch.log1p(torch.randint(0, 50, (6, 12)).float())
    return _Joint(), (genes, torch.rand(6, 20), torch.tensor([[0], [2], [1], [1], [0], [2]]))


class _Translated(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.genes, self.images = _modality(12), _modality(20)

    def forward(self, genes):
        return self.images.decode(self.genes.encode(genes))


def translated():
    return _Translated(), torch.log1p(torch.randint(0, 50, (6, 12)).float())
