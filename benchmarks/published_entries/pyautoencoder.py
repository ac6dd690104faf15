"""Entry points of pyautoencoder: its autoencoders with the losses that they compute, of two likelihoods, and pairs."""

import torch
from pyautoencoder.vanilla import AE
from pyautoencoder.variational import VAE, AdaGVAE


def _encoder(outputs):
    convolutions = torch.nn.Conv2d(1, 8, 3, stride=2, padding=1), torch.nn.ReLU(), torch.nn.Flatten()
    return torch.nn.Sequential(*convolutions, torch.nn.Linear(8 * 16, outputs), torch.nn.ReLU())


def _decoder(latent):
    first = torch.nn.Linear(latent, 128), torch.nn.ReLU(), torch.nn.Unflatten(1, (8, 4, 4))
    return torch.nn.Sequential(*first, torch.nn.ConvTranspose2d(8, 1, 2, stride=2))


def _images():
    return torch.rand(4, 1, 8, 8)


class _Trained(torch.nn.Module):
    def __init__(self, model, example, options, **loss):
        super().__init__()
        self.model, self.options, self.loss = model, options, loss
        self.model.build(example)
        self.train()

    def forward(self, images):
        return self.model.compute_loss(images, self.model(images, **self.options), **self.loss).objective


def plain():
    return _Trained(AE(_encoder(4), _decoder(4)), _images(), {}), _images()


def plain_of_binary_pictures():
    model = AE(_encoder(4), _decoder(4))
    return _Trained(model, _images(), {}, likelihood="bernoulli"), (_images() > 0.5).float()


def variational():
    return _Trained(VAE(_encoder(16), _decoder(4), 4), _images(), {"S": 2}, beta=4), _images()


def variational_of_binary_pictures():
    model = VAE(_encoder(16), _decoder(4), 4)
    return _Trained(model, _images(), {"S": 3}, likelihood="bernoulli"), (_images() > 0.5).float()


class _Pairs(torch.nn.Module):
    """Two pictures that share what makes them, which it finds by the divergence of their codes."""

    def __init__(self):
        super().__init__()
        self.model = AdaGVAE(VAE(_encoder(16), _decoder(4), 4))
        self.model.build(_images())
        self.train()

    def forward(self, first, second):
        return self.model.compute_loss((first, second), self.model((first, second))).objective


def pairs():
    return _Pairs(), (_images(), _images())
