"""Entry points of pytorch-normalizers: networks of tabular features behind its layers of normalization."""

import numpy as np
import torch
from pytorch_normalizers import QuantileNorm, SmoothBuckets


def _sample():
    sample = np.random.default_rng(0).normal(size=(200, 4)) * [1.0, 10.0, 100.0, 0.1] + [0.0, 5.0, -20.0, 1.0]
    return sample.astype(np.float32)


class _Regressing(torch.nn.Module):
    def __init__(self, normalizer):
        super().__init__()
        self.normalizer, self.layer = normalizer, torch.nn.Linear(4, 1)

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.layer(self.normalizer(features)), wanted)


def _inputs():
    return torch.from_numpy(_sample()[:8]), torch.randn(8, 1)


def buckets():
    return _Regressing(SmoothBuckets(_sample())), _inputs()


def buckets_of_missing():
    features, wanted = _inputs()
    features[1, 2] = features[4, 0] = torch.nan
    return _Regressing(SmoothBuckets(_sample(), num_buckets=8, dropout=0.0)), (features, wanted)


def quantiles():
    return _Regressing(QuantileNorm(_sample(), 9)).eval(), _inputs()


def quantiles_in_training():
    return _Regressing(QuantileNorm(_sample(), 5)), _inputs()
