"""Entry points of deepgp-torch: its deep and its sparse Gaussian processes, with the bound that trains them."""

import torch
from deepgp import SVGP, DeepGP, DeepGPConfig, build_deep_gp
from deepgp.training.elbo import make_mll


class _Trained(torch.nn.Module):
    def __init__(self, model, rows=8):
        super().__init__()
        self.model, self.bound = model, make_mll(model, num_data=rows, beta=1.0)

    def forward(self, features, wanted):
        return -self.bound(self.model(features), wanted).mean()


def _data(*outputs):
    return torch.randn(8, 2), torch.randn(8, *outputs)


def deep():
    return _Trained(DeepGP([2, 2], num_inducing=5)), _data()


def deep_of_outputs():
    return _Trained(DeepGP([2, 2], num_inducing=5, num_outputs=3)), _data(3)


def sparse():
    return _Trained(SVGP(torch.randn(5, 2))), _data()


def built():
    features, wanted = _data()
    config = DeepGPConfig(num_inducing=4, inner_layer_qsqrt_factor=1e-5, likelihood_noise=0.01)
    model = build_deep_gp(features, num_layers=2, config=config)
    return _Trained(model), (features, wanted)
