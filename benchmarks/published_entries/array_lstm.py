"""Entry points of array-lstm: its recurrent layers, with one memory and with several, on series and words."""

import torch
from arrayLSTM import LSTM, ArrayLSTM


class _Forecast(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, torch.nn.Linear(8, 2)

    def forward(self, past, future):
        return torch.nn.functional.mse_loss(self.head(self.layer(past)[0]), future)


def _series():
    walks = torch.randn(2, 6, 2).cumsum(1)
    return walks[:, :-1], walks[:, 1:]


def one_memory():
    return _Forecast(LSTM(2, 8)), _series()


def three_memories():
    return _Forecast(ArrayLSTM(2, 8, 3)), _series()


class _Language(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.embedding, self.layer, self.head = torch.nn.Embedding(12, 6), layer, torch.nn.Linear(8, 12)

    def forward(self, words, following):
        logits = self.head(self.layer(self.embedding(words))[0])
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), following.flatten())


def language():
    words = torch.tensor([[3, 7, 2, 9, 11], [5, 1, 10, 4, 0]])
    return _Language(ArrayLSTM(6, 8, 2)), (words[:, :-1], words[:, 1:])
