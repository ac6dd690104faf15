"""Entry points of prosper-nn: forecasts by networks that correct errors or stay consistent with history."""

import torch
from prosper_nn.models.deep_feed_forward.deep_feed_forward import DeepFeedForward
from prosper_nn.models.ecnn.ecnn import ECNN
from prosper_nn.models.hcnn.hcnn import HCNN


class _Consistent(torch.nn.Module):
    """Errors of the past, wanted to be zero."""

    def __init__(self, **options):
        super().__init__()
        self.model = HCNN(6, 2, past_horizon=4, forecast_horizon=2, **options)
        self.model.enable_calculate_forecast()

    def forward(self, series):
        past = self.model(series)[:4]
        return torch.nn.functional.mse_loss(past, torch.zeros_like(past))


def consistent():
    return _Consistent(sparsity=0.2), (torch.randn(4, 3, 2),)


def gated():
    return _Consistent(cell_type="hcnn_gru_3_variant", teacher_forcing=0.5), (torch.randn(4, 3, 2),)


def error_correction():
    model = ECNN(n_features_U=3, n_state_neurons=5, past_horizon=4, forecast_horizon=2)
    return model, (torch.randn(4, 3, 3), torch.randn(4, 3, 1))


def deep():
    return DeepFeedForward(4, 6, 2, deepness=3), (torch.randn(5, 4),)
