"""Entry points of drsa: its recurrent model of hazard rates with its losses, and the rates it derives."""

import torch
from drsa.functions import event_rate, event_rate_loss, event_time, event_time_loss, survival_rate
from drsa.model import DRSA


def _model():
    return DRSA(n_features=4, hidden_dim=2, n_layers=1, embeddings=[torch.nn.Embedding(10, 5)])


def _sequences():
    data = torch.normal(torch.arange(1.0, 7.0).repeat(4, 1)).unsqueeze(-1).repeat(1, 1, 3)
    groups = torch.ones(4, 6, 1) * torch.tensor([2, 7, 0, 2]).view(4, 1, 1)
    return (torch.cat([groups, data], -1),)


class _Trained(torch.nn.Module):
    """The weighted average of both losses that its README trains."""

    def __init__(self, alpha=0.5):
        super().__init__()
        self.model, self.alpha = _model(), alpha

    def forward(self, sequences):
        hazards = self.model(sequences)
        return self.alpha * event_time_loss(hazards) + (1 - self.alpha) * event_rate_loss(hazards)


def losses():
    return _Trained(), _sequences()


class _Rates(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _model()

    def forward(self, sequences):
        hazards = self.model(sequences)
        return survival_rate(hazards), event_rate(hazards), event_time(hazards)


def rates():
    return _Rates(), _sequences()


def hazards():
    return _model(), _sequences()
