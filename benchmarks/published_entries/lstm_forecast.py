"""Entry points of lstm-forecast: its predictor of prices from scaled features, with the loss of its training."""

import torch
from lstm_forecast.model import PricePredictor


class _Forecast(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model, self.loss = PricePredictor(input_size=5, **options), torch.nn.MSELoss()

    def forward(self, days, following):
        return self.loss(self.model(days), following)


def training():
    """Days of features that its scaler standardised."""
    model = _Forecast(hidden_size=16, num_layers=2, dropout=0.2, fc_output_size=5)
    return model, (torch.randn(3, 8, 5), torch.randn(3, 5))


def one_target():
    model = _Forecast(hidden_size=8, num_layers=1, dropout=0.5, fc_output_size=1)
    return model, (torch.randn(3, 8, 5), torch.randn(3, 1))


def single_series():
    return PricePredictor(5, 8, 2, 0.1, 5), (torch.randn(8, 5),)
