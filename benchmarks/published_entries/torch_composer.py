"""Entry points of torch-composer: networks as it composes them, as a classifier, an autoencoder and a drift."""

import torch
import torch_composer as tc


class _Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = tc.nn.compose(5, 3, torch.nn.LeakyReLU(), {1: [8, 8], 2: [8, 6]}, dropout_probability=0.1)

    def forward(self, x, labels):
        return torch.nn.functional.cross_entropy(self.net(x), labels)


def classifier():
    return _Classifier(), (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]))


class _Autoencoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = tc.nn.compose(10, 2, torch.nn.GELU(), {1: [8, 4]}, dropout_probability=False)
        self.decoder = tc.nn.compose(2, 10, torch.nn.GELU(), {1: [4, 8]}, dropout_probability=False)

    def forward(self, x):
        return torch.nn.functional.mse_loss(self.decoder(self.encoder(x)), x)


def autoencoder():
    return _Autoencoder(), (torch.randn(4, 10),)


class _Drift(torch.nn.Module):
    """States that follow a composed drift for a few steps."""

    def __init__(self):
        super().__init__()
        self.drift = tc.nn.compose(3, 3, torch.nn.Tanh(), {1: [8, 8]}, dropout_probability=0, output_bias=False)

    def forward(self, x):
        states = [x]
        for _ in range(4):
            states.append(states[-1] + 0.1 * self.drift(states[-1]))
        return torch.stack(states)


def drift():
    return _Drift(), (torch.randn(4, 3),)
