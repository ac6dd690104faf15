"""Entry points of pytorch-stream: its layers of series that also run step by step, in small networks, with losses."""

import continual as co
import torch


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model, self.head = co.Sequential(*layers), torch.nn.LazyLinear(3)

    def forward(self, series, labels):
        return torch.nn.functional.cross_entropy(self.head(self.model(series).mean(dim=-1).flatten(1)), labels)


def _made(model, *inputs):
    model(*inputs)
    return model, inputs


def _series():
    return torch.randn(2, 4, 12).cumsum(2), torch.tensor([2, 0])


def convolutions():
    layers = co.Conv1d(4, 8, 3), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), co.AvgPool1d(3, stride=1)
    return _made(_Classified(*layers), *_series())


def residual():
    layers = co.Conv1d(4, 8, 1), co.Residual(co.Conv1d(8, 8, kernel_size=3, padding=1)), torch.nn.ReLU()
    return _made(_Classified(*layers), *_series())


def branches():
    branches = co.Conv1d(4, 4, kernel_size=1), co.Conv1d(4, 4, kernel_size=3, padding=1), co.MaxPool1d(1)
    return _made(_Classified(co.BroadcastReduce(*branches, reduce="concat"), torch.nn.ReLU()), *_series())


def films():
    layers = co.Conv3d(1, 4, (3, 3, 3)), torch.nn.BatchNorm3d(4), torch.nn.ReLU(), co.AdaptiveAvgPool3d((1, 1, 1), 3)
    return _made(_Classified(*layers), torch.rand(2, 1, 5, 6, 6), torch.tensor([2, 0]))


def transformer():
    layer = co.TransformerEncoderLayerFactory(d_model=4, nhead=2, dim_feedforward=8, sequence_len=12)
    layers = co.RecyclingPositionalEncoding(4, 24), co.TransformerEncoder(layer, num_layers=1)
    return _made(_Classified(*layers), *_series())


class _Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.head = co.GRU(4, 8, num_layers=2), torch.nn.Linear(8, 3)

    def forward(self, series, labels):
        hidden, _ = self.layer(series)
        return torch.nn.functional.cross_entropy(self.head(hidden[:, :, -1]), labels)


def recurrent():
    return _Recurrent(), _series()
