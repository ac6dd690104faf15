"""Entry points of torch-rechub: losses of its trainers, its quantised autoencoder and its rankers."""

import sys
import types

import torch

for _name in ("", ".models", ".models.ranking", ".models.multi_task", ".models.matching"):
    _name = f"torch_rechub{_name}"
    sys.modules[_name] = types.ModuleType(_name)
    sys.modules[_name].__path__ = [_name.replace(".", "/")]

from torch_rechub.basic.features import DenseFeature, SequenceFeature, SparseFeature  # noqa: E402
from torch_rechub.basic.loss_func import BPRLoss, HingeLoss, InBatchNCELoss, NCELoss  # noqa: E402
from torch_rechub.models.matching.youtube_dnn import YoutubeDNN  # noqa: E402
from torch_rechub.models.multi_task.esmm import ESMM  # noqa: E402
from torch_rechub.models.ranking.deepfm import DeepFM  # noqa: E402
from torch_rechub.models.ranking.din import DIN  # noqa: E402


class _Scores(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.users, self.items, self.loss = torch.nn.Embedding(20, 8), torch.nn.Embedding(30, 8), loss

    def forward(self, user, item, others):
        users = self.users(user)
        positive = (users * self.items(item)).sum(-1)
        return self.loss(positive, (users[:, None] * self.items(others)).sum(-1))


def _pairs():
    return torch.randint(0, 20, (6,)), torch.randint(0, 30, (6,)), torch.randint(0, 30, (6, 4))


def hinge():
    return _Scores(HingeLoss()), _pairs()


def pairwise():
    return _Scores(BPRLoss()), _pairs()


class _Next(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.items, self.network, self.loss = (
            torch.nn.Embedding(30, 8),
            torch.nn.GRU(8, 8, batch_first=True),
            NCELoss(0.1),
        )

    def forward(self, history, targets):
        return self.loss(self.network(self.items(history))[0][:, -1] @ self.items.weight.T, targets)


def next_item():
    return _Next(), (torch.randint(0, 30, (6, 5)), torch.randint(1, 30, (6,)))


class _InBatch(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.items, self.tower, self.loss = torch.nn.Embedding(30, 8), torch.nn.Linear(5, 8), InBatchNCELoss()

    def forward(self, user, targets):
        return self.loss(self.tower(user), self.items.weight, targets)


def in_batch():
    return _InBatch(), (torch.randn(6, 5), torch.randint(1, 30, (6,)))


def _features():
    sparse = [SparseFeature(n, vocab_size=20, embed_dim=4) for n in ("user", "item")]
    return [DenseFeature("age"), *sparse]


class _Named(torch.nn.Module):
    def __init__(self, model, names):
        super().__init__()
        self.model, self.names, self.loss = model, names, torch.nn.BCELoss()

    def forward(self, labels, *values):
        return self.loss(self.model(dict(zip(self.names, values, strict=True))), labels)


def machine():
    model = DeepFM(_features(), _features()[1:], {"dims": [8], "dropout": 0.2, "activation": "relu"})
    values = (torch.rand(6), torch.randint(0, 20, (6,)), torch.randint(0, 20, (6,)))
    return _Named(model, ("age", "user", "item")), (torch.randint(0, 2, (6,)).float(), *values)


def interest():
    item = [SparseFeature("item", vocab_size=20, embed_dim=4)]
    history = [SequenceFeature("history", vocab_size=20, embed_dim=4, pooling="concat", shared_with="item")]
    model = DIN([SparseFeature("user", vocab_size=20, embed_dim=4)], history, item, {"dims": [8]}, {"dims": [8]})
    values = (torch.randint(0, 20, (6,)), torch.randint(0, 20, (6, 5)), torch.randint(0, 20, (6,)))
    return _Named(model, ("user", "history", "item")), (torch.randint(0, 2, (6,)).float(), *values)


def both_rates():
    model = ESMM(_features()[1:2], _features()[2:], {"dims": [8]}, {"dims": [8]})
    labels = torch.randint(0, 2, (6, 3)).float()
    return _Named(model, ("user", "item")), (labels, torch.randint(0, 20, (6,)), torch.randint(0, 20, (6,)))


class _Retrieval(_Named):
    def forward(self, labels, *values):
        return torch.nn.functional.cross_entropy(self.model(dict(zip(self.names, values, strict=True))), labels)


def retrieval():
    model = YoutubeDNN(
        [SparseFeature("user", vocab_size=20, embed_dim=4)],
        [SparseFeature("item", vocab_size=20, embed_dim=4)],
        [SequenceFeature("others", vocab_size=20, embed_dim=4, pooling="concat", shared_with="item")],
        {"dims": [8, 4]},
        temperature=0.02,
    )
    values = (torch.randint(0, 20, (6,)), torch.randint(0, 20, (6,)), torch.randint(0, 20, (6, 3)))
    return _Retrieval(model, ("user", "item", "others")), (torch.zeros(6, dtype=torch.int64), *values)
