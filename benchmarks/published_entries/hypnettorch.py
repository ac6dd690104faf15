"""Entry points of hypnettorch: networks whose weights others make for a task, whole and in chunks, and its layers."""

import sys
import types

import torch

for _name in ("matplotlib", "matplotlib.pyplot"):  # only for its pictures
    sys.modules[_name] = types.ModuleType(_name)

from hypnettorch.hnets import HMLP, ChunkedHMLP  # noqa: E402
from hypnettorch.mnets import MLP, ResNet, SimpleRNN  # noqa: E402
from hypnettorch.utils.self_attention_layer import SelfAttnLayer  # noqa: E402

for _name in ("matplotlib", "matplotlib.pyplot"):
    del sys.modules[_name]


class _Task(torch.nn.Module):
    """The loss of one task, whose weights are made from its embedding."""

    def __init__(self, main, hyper, loss, task):
        super().__init__()
        self.main, self.hyper, self.loss, self.task = main, hyper, loss, task

    def forward(self, features, wanted):
        given = self.main(features, weights=self.hyper(cond_id=self.task))
        return self.loss(given, wanted)


def regression():
    main = MLP(n_in=2, n_out=1, hidden_layers=(8, 8), no_weights=True, verbose=False)
    hyper = HMLP(main.param_shapes, cond_in_size=4, layers=(10,), num_cond_embs=3, verbose=False)
    return _Task(main, hyper, torch.nn.MSELoss(), 1), (torch.randn(6, 2), torch.randn(6, 1))


def images_in_chunks():
    main = ResNet(
        (8, 8, 3), 4, n=1, num_feature_maps=(4, 4, 6, 8), no_weights=True, use_batch_norm=False, verbose=False
    )
    hyper = ChunkedHMLP(
        main.param_shapes, 200, chunk_emb_size=4, cond_in_size=4, layers=(6,), num_cond_embs=2, verbose=False
    )
    return _Task(main, hyper, torch.nn.CrossEntropyLoss(), 0), (torch.rand(2, 192), torch.tensor([3, 1]))


class _Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = SimpleRNN(n_in=3, rnn_layers=(6,), fc_layers=(4,), use_lstm=True, verbose=False)

    def forward(self, series, labels):
        return torch.nn.functional.cross_entropy(self.model(series).flatten(0, 1), labels.flatten())


def steps():
    return _Steps(), (torch.randn(5, 2, 3), torch.tensor([[0, 3], [1, 1], [2, 0], [3, 2], [0, 1]]))


class _Modulated(torch.nn.Module):
    """Normalised layers whose gains and shifts stand for a context."""

    def __init__(self):
        super().__init__()
        self.model = MLP(n_in=4, n_out=3, hidden_layers=(8,), use_batch_norm=True, use_context_mod=True, verbose=False)

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.model(features), labels)


def modulated():
    return _Modulated(), (torch.randn(6, 4), torch.tensor([0, 2, 1, 1, 0, 2]))


class _Attended(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.attention, self.head = torch.nn.Conv2d(3, 8, 3), SelfAttnLayer(8, False), torch.nn.Linear(8, 2)

    def forward(self, images, labels):
        given = self.attention(torch.relu(self.first(images)))
        return torch.nn.functional.cross_entropy(self.head(given.mean((2, 3))), labels)


def attended():
    return _Attended(), (torch.rand(2, 3, 8, 8), torch.tensor([1, 0]))
