"""Entry points of pytorch-retrieve: perceptrons and recurrent convolutions, with its outputs and their losses."""

import torch
from pytorch_retrieve.modules.conv.blocks import InvertedBottleneckBlock, SqueezeExcite
from pytorch_retrieve.modules.conv.gru import GRUNetwork
from pytorch_retrieve.modules.mlp import MLP
from pytorch_retrieve.modules.normalization import LayerNormFirst
from pytorch_retrieve.modules.output import Mean, Quantiles
from pytorch_retrieve.modules.transformations import Log


class _Retrieved(torch.nn.Module):
    def __init__(self, outputs, head, normalization=torch.nn.BatchNorm1d):
        super().__init__()
        self.head = head
        self.model = MLP(5, outputs, 3, 8, residual_connections="simple", normalization_factory=normalization)

    def forward(self, radiances, wanted):
        return self.head(self.model(radiances)).loss(wanted)


def quantiles():
    head = Quantiles("precipitation", 1, tau=[0.1, 0.5, 0.9])
    return _Retrieved(3, head), (torch.randn(8, 5), 5 * torch.rand(8))


def mean():
    return _Retrieved(1, Mean("precipitation", 1)), (torch.randn(8, 5), 5 * torch.rand(8, 1))


class _Logarithmic(torch.nn.Module):
    """The mean of the logarithm of what is wanted, in a transformation of the package."""

    def __init__(self):
        super().__init__()
        self.model, self.transformation = MLP(5, 1, 2, 8, normalization_factory=torch.nn.LayerNorm), Log()

    def forward(self, radiances, wanted):
        return torch.nn.functional.mse_loss(self.model(radiances), self.transformation(wanted))


def logarithmic():
    return _Logarithmic(), (torch.randn(8, 5), 0.01 + 5 * torch.rand(8, 1))


class _Sequences(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = GRUNetwork(2, 4, 3, 2)
        self.convolution = torch.nn.Conv2d(4, 1, 1)

    def forward(self, images, wanted):
        return torch.nn.functional.mse_loss(self.convolution(self.network(images)[:, -1]), wanted)


def sequences():
    return _Sequences(), (torch.randn(2, 3, 2, 8, 8), torch.randn(2, 1, 8, 8))


class _Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.block = LayerNormFirst(4), InvertedBottleneckBlock(4, 8, expansion_factor=2)
        self.squeeze, self.head = SqueezeExcite(8, 4), torch.nn.Linear(8, 3)

    def forward(self, images, labels):
        hidden = self.squeeze(self.block(self.norm(images)))
        return torch.nn.functional.cross_entropy(self.head(hidden.mean((2, 3))), labels)


def images():
    return _Images(), (torch.randn(2, 4, 8, 8), torch.tensor([0, 2]))
