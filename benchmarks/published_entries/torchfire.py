"""Entry points of torchfire: its perceptrons, of embedded symbols and with residuals, with their loss."""

import sys
import types

import torch

# The package draws and reports, for which it asks for more libraries; its models do without.
_package = sys.modules["torchfire"] = types.ModuleType("torchfire")
_package.__path__ = ["torchfire"]

from torchfire.models import MLP, MLPEmbedding, ResMLP  # noqa: E402


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, rows, labels):
        return torch.nn.functional.cross_entropy(self.model(rows), labels)


def _labels():
    return torch.tensor([0, 2, 1, 1])


def perceptron():
    return _Classified(MLP(6, [8, 8], 3)), (torch.randn(4, 6), _labels())


def residual():
    return _Classified(ResMLP(6, [8, 8, 8], 3)), (torch.randn(4, 6), _labels())


def symbols():
    return _Classified(MLPEmbedding(7, [4, 8], 3)), (torch.randint(7, (4, 2)), _labels())
