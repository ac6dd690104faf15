"""Entry points of trvaep: its autoencoder of cells under conditions, with the losses that it is trained by."""

import sys
import types
from unittest.mock import MagicMock

import torch

for _name in ("trvaep", "trvaep.model"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]
WANTING = {"scanpy", "sklearn", "sklearn.preprocessing"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # tables of cells, which nothing here needs

from trvaep.model._cvae import CVAE  # noqa: E402
from trvaep.model._losses import MSE_kl, mmd  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Trained(torch.nn.Module):
    def __init__(self, conditions=2, **settings):
        super().__init__()
        sizes = {"encoder_layer_sizes": [16, 8], "decoder_layer_sizes": [8, 16], "latent_dim": 4}
        self.model = CVAE(12, num_classes=conditions, **sizes, **settings)
        self.apart = mmd(conditions, beta=1)

    def forward(self, cells, conditions):
        found, mean, spread, *hidden = self.model(cells, conditions)
        loss, *_ = MSE_kl(found, cells, mean, spread, alpha=self.model.alpha)
        return loss + self.apart(hidden[0], conditions) if hidden else loss


def _cells():
    return torch.rand(8, 12) * 3, torch.tensor([0, 1, 0, 1, 1, 0, 1, 0])


def conditions_drawn_near():
    return _Trained(), _cells()


def conditions():
    return _Trained(use_mmd=False), _cells()


def plain_layers():
    return _Trained(use_batch_norm=False, dr_rate=0, output_activation="linear", use_mmd=False), _cells()
