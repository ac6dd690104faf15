"""Entry points of topologies: language models and others of its catalogue, with quantiles, codes, tags and risks."""

import torch
from topologies.layers.deepsurv import DeepSurv
from topologies.layers.linear_chain_crf import LinearChainCRF
from topologies.models.tft import TFT
from topologies.models.vqvae import VQVAE
from topologies.nn import TransformerLM
from torch import nn


class _Language(nn.Module):
    """The error of the words that follow, where they are no padding."""

    def __init__(self):
        super().__init__()
        options = {"pos": "rope", "norm": "rms", "activation": "swiglu", "kv_heads": 1}
        self.model = TransformerLM(20, max_seq=8, dim=8, layers=2, heads=2, **options)

    def forward(self, words):
        logits = self.model(words[:, :-1], mask=words[:, :-1] != 0)
        return nn.functional.cross_entropy(logits.mT, words[:, 1:], ignore_index=0)


def language_model():
    return _Language(), (torch.tensor([[3, 7, 5, 9, 14, 2], [5, 12, 11, 2, 0, 0]]),)


class _Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = {"static_features": 1, "categorical_cardinalities": (3,), "d_model": 8, "num_heads": 2}
        self.model = TFT(6, 3, past_features=2, future_features=2, **sizes)

    def forward(self, past, future, static, kinds, targets):
        return self.model.quantile_loss(self.model(past, future, static, kinds), targets)


def quantile_forecasts():
    past, future, static = torch.randn(3, 6, 2), torch.randn(3, 3, 2), torch.randn(3, 1)
    return _Forecaster(), (past, future, static, torch.tensor([[0], [2], [1]]), torch.randn(3, 3))


class _Codes(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = VQVAE(3, (8, 8), codebook_size=6, embedding_dim=4, features=(4, 8))

    def forward(self, images):
        found, _, commitment = self.model(images)
        return nn.functional.mse_loss(found, images) + commitment


def image_codes():
    return _Codes(), (torch.rand(2, 3, 8, 8),)


class _Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.rnn = nn.Embedding(20, 6), nn.LSTM(6, 4, batch_first=True, bidirectional=True)
        self.emissions, self.chain = nn.Linear(8, 5), LinearChainCRF(num_labels=5)

    def forward(self, words, tags):
        return self.chain(self.emissions(self.rnn(self.words(words))[0]), tags).mean()


def tagged_words():
    return _Tagger(), (torch.randint(0, 20, (2, 6)), torch.randint(0, 5, (2, 6)))


class _Risks(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = DeepSurv(4, hidden_dims=(8, 8), activation="selu", batch_norm=True, dropout=0.1)

    def forward(self, features, times, events):
        return self.model.negative_log_partial_likelihood(self.model(features), times, events)


def survival_risks():
    events = torch.tensor([1, 0, 1, 1, 0, 1])
    return _Risks(), (torch.randn(6, 4), 0.1 + 5 * torch.rand(6), events)
