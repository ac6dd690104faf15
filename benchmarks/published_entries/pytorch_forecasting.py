"""Entry points of pytorch-forecasting: losses of forecasts behind a linear layer."""

import torch
from pytorch_forecasting import metrics


class _Forecasting(torch.nn.Module):
    def __init__(self, loss, outputs):
        super().__init__()
        self.head, self.loss, self.outputs = torch.nn.Linear(6, 3 * outputs), loss, outputs

    def forward(self, past, wanted):
        found = self.head(past).view(-1, 3, self.outputs)
        return self.loss.loss(found if self.outputs > 1 else found[..., 0], wanted).mean()


def _series(wanted):
    return torch.randn(4, 6), wanted


def quantiles():
    return _Forecasting(metrics.QuantileLoss([0.1, 0.5, 0.9]), 3), _series(torch.randn(4, 3))


def symmetric_percentage():
    return _Forecasting(metrics.SMAPE(), 1), _series(torch.rand(4, 3) + 0.5)


def percentage():
    return _Forecasting(metrics.MAPE(), 1), _series(torch.rand(4, 3) + 0.5)


def poisson():
    return _Forecasting(metrics.PoissonLoss(), 1), _series(torch.randint(9, (4, 3)).float())


def tweedie():
    return _Forecasting(metrics.TweedieLoss(), 1), _series(torch.rand(4, 3))


class _Distributed(torch.nn.Module):
    """Parameters rescaled to the series' own scale, as the package's models hand them to their loss."""

    def __init__(self, loss, outputs, encoder):
        super().__init__()
        self.head, self.loss, self.outputs, self.encoder = torch.nn.Linear(6, 3 * outputs), loss, outputs, encoder

    def forward(self, past, scale, wanted):
        found = self.head(past).view(-1, 3, self.outputs)
        return self.loss.loss(self.loss.rescale_parameters(found, scale, self.encoder), wanted).mean()


def _scaled(wanted):
    return torch.randn(4, 6), torch.rand(4, 2) + 0.5, wanted


def _encoder(**options):
    from pytorch_forecasting.data.encoders import TorchNormalizer

    return TorchNormalizer(**options)


def normal():
    return _Distributed(metrics.NormalDistributionLoss(), 2, _encoder()), _scaled(torch.randn(4, 3))


def log_normal():
    encoder = _encoder(transformation="log")
    return _Distributed(metrics.LogNormalDistributionLoss(), 2, encoder), _scaled(torch.rand(4, 3) + 0.5)


def negative_binomial():
    encoder = _encoder(center=False)
    wanted = torch.randint(9, (4, 3)).float()
    return _Distributed(metrics.NegativeBinomialDistributionLoss(), 2, encoder), _scaled(wanted)
