"""Entry points of booster-pytorch: its small autoencoder of variation under its bounds, and its classification."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"torchvision", "torchvision.utils", "matplotlib", "matplotlib.pyplot", "matplotlib.image"}
WANTING |= {"tensorboard", "torch.utils.tensorboard"}
WANTING -= set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # drawings, which nothing here needs

from booster.evaluation import Classification, VariationalInference  # noqa: E402
from booster.models import SimpleVAE  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Evaluated(torch.nn.Module):
    def __init__(self, model, evaluator, **settings):
        super().__init__()
        self.model, self.evaluator, self.settings = model, evaluator, settings

    def forward(self, *data):
        return self.evaluator(self.model, data, **self.settings)[0]


def _images():
    return (torch.rand(3, 1, 6, 6) > 0.5).float()


def _autoencoder():
    return SimpleVAE((-1, 1, 6, 6), z_dim=4, nhid=16, nlayers=2, dropout=0.1)


def autoencoder_with_free_bits():
    evaluator = VariationalInference(torch.distributions.Bernoulli)
    return _Evaluated(_autoencoder(), evaluator, beta=0.5, freebits=[2.0]), _images()


def autoencoder_with_several_samples():
    evaluator = VariationalInference(torch.distributions.Bernoulli, iw_samples=3)
    return _Evaluated(_autoencoder(), evaluator, freebits=[0.5]), _images()


def classified():
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
    return _Evaluated(model, Classification(3)), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))
