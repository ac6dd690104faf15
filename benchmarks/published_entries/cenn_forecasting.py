"""Entry points of cenn-forecasting: its cellular networks of many series, as shipped and in variants, with losses."""

import torch
from cenn_forecasting import ams_cenn
from cenn_forecasting.model_v1_baseline import CeNNModel1D as Baseline


class _Forecast(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, past, future):
        return self.loss(self.model(past), future)


def _series():
    """Windows of walks, which start anywhere."""
    walks = torch.randn(3, 20, 2).cumsum(1) + 5 * torch.randn(3, 1, 2)
    return walks[:, :16], walks[:, 16:]


def shipped():
    return _Forecast(ams_cenn(2, 16, 4, hidden_dim=8), torch.nn.MSELoss()), _series()


def scaled_by_deviations():
    model = ams_cenn(2, 16, 4, hidden_dim=8, revin_mode="last_mad", trunk_squash=True)
    return _Forecast(model, torch.nn.L1Loss()), _series()


def patches_and_mixed_series():
    options = {"patch_len": 4, "stride": 3, "cross_var": "star", "revin_mode": "mean", "head_type": "mlp"}
    return _Forecast(ams_cenn(2, 16, 4, hidden_dim=8, **options), torch.nn.HuberLoss()), _series()


def baseline():
    model = Baseline(2, 16, 4, hidden_dim=8, N=2, K=2, dropout=0.1, num_layers=2)
    return _Forecast(model, torch.nn.MSELoss()), _series()
