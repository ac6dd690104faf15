"""Entry points of pytorch-utils: its recurrent network of packed sequences between an input and an output module."""

import torch
from pytorch_utils.wrapped_lstm import WrappedLSTM
from torch import nn


def _packed(x, lengths):
    return nn.utils.rnn.pack_padded_sequence(x, lengths)


def _hidden(layers, count):
    return torch.zeros(layers, count, 6), torch.zeros(layers, count, 6)


class _Tagger(nn.Module):
    """A tag of each word: the loss over what is no padding."""

    def __init__(self):
        super().__init__()
        self.rnn = WrappedLSTM(8, 6, nn.Embedding(20, 8), nn.Linear(6, 5), num_layers=2)

    def forward(self, words, lengths, tags):
        output, _ = self.rnn(_hidden(2, len(lengths)), _packed(words, lengths))
        return nn.functional.cross_entropy(output.data, _packed(tags, lengths).data)


def tagger():
    words = torch.tensor([[3, 7, 5, 9, 14], [5, 12, 11, 0, 0], [8, 2, 0, 0, 0]])
    tags = torch.tensor([[0, 4, 1, 1, 2], [3, 0, 0, 0, 0], [1, 2, 0, 0, 0]])
    return _Tagger(), (words.T, torch.tensor([5, 3, 2]), tags.T)


class _Joined(nn.Module):
    """What is given to each step besides its values is joined to them."""

    def __init__(self):
        super().__init__()
        self.values, self.kinds = nn.Linear(3, 5), nn.Embedding(4, 3)

    def forward(self, values, kinds):
        return torch.cat([self.values(values).tanh(), self.kinds(kinds)], dim=-1)


class _Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = WrappedLSTM(8, 6, _Joined(), nn.Linear(6, 1))

    def forward(self, values, kinds, lengths):
        packed = _packed(values, lengths), _packed(kinds, lengths)
        output, (hidden, _) = self.rnn(_hidden(1, len(lengths)), *packed)
        return nn.utils.rnn.pad_packed_sequence(output)[0], hidden


def forecaster():
    return _Forecaster(), (torch.randn(5, 3, 3), torch.randint(0, 4, (5, 3)), torch.tensor([5, 4, 2]))


class _Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = WrappedLSTM(3, 6), nn.Linear(6, 4)

    def forward(self, values, lengths, labels):
        _, (hidden, _) = self.rnn(_hidden(1, len(lengths)), _packed(values, lengths))
        return nn.functional.cross_entropy(self.head(hidden[-1]), labels)


def classifier():
    return _Classifier(), (torch.randn(5, 3, 3), torch.tensor([5, 4, 2]), torch.tensor([0, 3, 1]))
