"""Entry points of quant-analytics-torch: hedges of a recurrent network, with the losses of its engines."""

import torch
from quant_analytics_torch.calculators.deeplearninghedgingengine import DeepLearningValuationEngine
from quant_analytics_torch.modules.longshorttermmemory import LongShortTermModule


def deltas():
    return LongShortTermModule(batch_size=4, hidden_layer_size=8), (torch.randn(4, 5, 1).cumsum(1),)


class _Hedged(torch.nn.Module):
    """What a hedge earns of given paths, with the mean and spread that the engine's training weighs."""

    def __init__(self):
        super().__init__()
        self.engine = DeepLearningValuationEngine(batch_size=6, hidden_layer_size=8, seq_len=3)

    def forward(self, paths):
        engine = self.engine
        earned = engine.pnl(paths, engine.delta(paths), engine.payoff(paths), paths.shape[0])
        return -earned.mean() + engine.risk_aversion * torch.norm(earned)


def hedge():
    return _Hedged(), (torch.cat([torch.zeros(6, 1, 1), 0.2 * torch.randn(6, 3, 1).cumsum(1)], 1),)
