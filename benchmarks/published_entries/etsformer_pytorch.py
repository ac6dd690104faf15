"""Entry points of etsformer-pytorch: forecasts by smoothing and frequencies, and its classifier of series."""

import torch
from etsformer_pytorch import ClassificationWrapper, ETSFormer


def _transformer(features):
    return ETSFormer(time_features=features, model_dim=16, embed_kernel_size=3, layers=2, heads=4, K=2, dropout=0.0)


class _Forecast(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.network = _transformer(features)

    def forward(self, series, wanted):
        given = self.network(series, num_steps_forecast=4)
        return torch.nn.functional.mse_loss(given, wanted)


def forecast():
    return _Forecast(3), (torch.randn(2, 16, 3), torch.randn(2, 4, 3))


def forecast_of_one():
    return _Forecast(1), (torch.randn(2, 16), torch.randn(2, 4))


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = ClassificationWrapper(
            etsformer=_transformer(1), dim_head=8, heads=2, level_kernel_size=5, num_classes=3
        )

    def forward(self, series, labels):
        return torch.nn.functional.cross_entropy(self.network(series), labels)


def classified():
    return _Classified(), (torch.randn(2, 16), torch.tensor([0, 2]))
