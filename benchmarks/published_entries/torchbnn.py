"""Entry points of torchbnn: networks of Bayesian layers with the divergence of their weights."""

import torch
import torchbnn as bnn


class _Trained(torch.nn.Module):
    def __init__(self, layers, loss, weight=0.1, **options):
        super().__init__()
        self.layers, self.loss, self.weight = layers, loss, weight
        self.divergence = bnn.BKLLoss(reduction="mean", **options)

    def forward(self, samples, wanted):
        return self.loss(self.layers(samples), wanted) + self.weight * self.divergence(self.layers)


def classes():
    first = bnn.BayesLinear(prior_mu=0, prior_sigma=0.1, in_features=4, out_features=16)
    second = bnn.BayesLinear(prior_mu=0, prior_sigma=0.1, in_features=16, out_features=3)
    layers = torch.nn.Sequential(first, torch.nn.ReLU(), second)
    return _Trained(layers, torch.nn.CrossEntropyLoss()), (torch.randn(5, 4), torch.tensor([0, 2, 1, 1, 0]))


def regression():
    first = bnn.BayesLinear(prior_mu=0, prior_sigma=0.1, in_features=1, out_features=16)
    second = bnn.BayesLinear(prior_mu=0, prior_sigma=0.1, in_features=16, out_features=1)
    layers = torch.nn.Sequential(first, torch.nn.ReLU(), second)
    return _Trained(layers, torch.nn.MSELoss(), 0.01, last_layer_only=True), (torch.randn(6, 1), torch.randn(6, 1))


def images():
    first = bnn.BayesConv2d(prior_mu=0, prior_sigma=0.1, in_channels=3, out_channels=4, kernel_size=3)
    normal = bnn.BayesBatchNorm2d(prior_mu=0, prior_sigma=0.1, num_features=4)
    head = bnn.BayesLinear(prior_mu=0, prior_sigma=0.1, in_features=4, out_features=3)
    rest = torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), head
    return _Trained(torch.nn.Sequential(first, normal, *rest), torch.nn.CrossEntropyLoss()), _images()


def _images():
    return torch.rand(2, 3, 6, 6), torch.tensor([0, 2])
