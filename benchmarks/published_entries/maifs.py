"""Entry points of maifs: models behind its choice of features, of tables and of images, with their masks."""

import torch
from maifs import FeatureSelectionWrapper
from torch import nn


class _Trained(nn.Module):
    def __init__(self, model, kept, data=None, loss=nn.functional.cross_entropy, **options):
        super().__init__()
        self.wrapper, self.loss = FeatureSelectionWrapper(model, len(kept), **options), loss
        if data is not None:
            self.wrapper._ensure_preprocessor_fitted(data)
        self.wrapper.mask.copy_(torch.tensor(kept))

    def forward(self, x, wanted):
        return self.loss(self.wrapper(x), wanted)


def table():
    x, labels = torch.randn(8, 6), torch.tensor([0, 2, 1, 1, 0, 2, 0, 1])
    x[:, 4] = (x[:, 4] > 0).float()
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    return _Trained(model, [1.0, 0.0, 1.0, 1.0, 1.0, 0.0], [(x, labels)], lambda_reg=0.01), (x, labels)


def channels():
    layers = nn.Conv2d(4, 6, 3, padding=1), nn.BatchNorm2d(6), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    model = nn.Sequential(*layers, nn.Linear(6, 2))
    options = {"input_feature_axis": 1, "cardinality_k": 2}
    return _Trained(model, [1.0, 0.0, 0.0, 1.0], **options), (torch.rand(3, 4, 6, 6), torch.tensor([0, 1, 1]))


class _Last(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(5, 6, batch_first=True), nn.Linear(6, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


def series():
    x, targets = torch.randn(4, 7, 5), torch.randn(4, 1)
    options = {"loss": nn.functional.mse_loss, "max_selected_features": 4}
    return _Trained(_Last(), [1.0, 1.0, 0.0, 1.0, 0.0], [(x, targets)], **options), (x, targets)
