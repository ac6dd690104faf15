"""Entry points of complextorch: its networks of complex signals and pictures, small, with losses of their training."""

import torch
from complextorch import nn
from complextorch.models import CVKAN, AnalyticNeuralNetwork, ViT


class _Restored(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, signals, targets):
        return self.loss(self.model(signals), targets)


def _complex(*shape):
    return torch.randn(*shape, dtype=torch.cfloat)


def convolved():
    layers = nn.Conv1d(2, 8, kernel_size=3, padding=1), nn.CTanh(), nn.Conv1d(8, 1, kernel_size=3, padding=1)
    return _Restored(torch.nn.Sequential(*layers), nn.SplitMSE()), (_complex(2, 2, 12), _complex(2, 1, 12))


def normalized():
    layers = nn.Conv1d(2, 8, 3, padding=1), nn.BatchNorm1d(8), nn.CGELU(), nn.Conv1d(8, 1, 1)
    return _Restored(torch.nn.Sequential(*layers), nn.CVQuadError()), (_complex(4, 2, 12), _complex(4, 1, 12))


class _Classified(torch.nn.Module):
    """Labels from the sizes of complex logits."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, signals, labels):
        return torch.nn.functional.cross_entropy(self.model(signals).abs(), labels)


def vision_transformer():
    model = ViT(image_size=8, patch_size=4, in_channels=1, num_classes=4, dim=8, depth=1, heads=2, mlp_dim=16)
    return _Classified(model), (_complex(2, 1, 8, 8), torch.tensor([3, 0]))


class _Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.recurrent, self.head = nn.LSTM(3, 6, batch_first=True), nn.Linear(6, 4)

    def forward(self, signals):
        return self.head(self.recurrent(signals)[0][:, -1])


def recurrent():
    return _Classified(_Recurrent()), (_complex(2, 5, 3), torch.tensor([3, 0]))


class _Analytic(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = AnalyticNeuralNetwork(6, 16, 8)

    def forward(self, signals, targets):
        restored = self.model(signals)
        return (restored - targets).abs().square().mean() + 0.1 * self.model.consistency_loss(restored)


def analytic():
    return _Analytic(), (_complex(3, 6), _complex(3, 8))


def splines():
    return _Restored(CVKAN([3, 5, 1], num_grid=4), nn.CVQuadError()), (_complex(4, 3), _complex(4, 1))
