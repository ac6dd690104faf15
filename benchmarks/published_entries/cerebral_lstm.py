"""Entry points of cerebral-lstm: its memory of two cells over series and words, steps first, with losses."""

import torch
from cerebral_lstm import CerebralLSTM


class _Series(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.memory, self.output = CerebralLSTM(3, 8, num_layers=2, dropout=0.1), torch.nn.Linear(8, 1)
        self.loss = torch.nn.MSELoss()

    def forward(self, steps, wanted):
        outputs, _ = self.memory(steps)
        return self.loss(self.output(outputs[-1]), wanted)


def series():
    return _Series(), (torch.randn(6, 4, 3), torch.randn(4, 1))


class _Words(torch.nn.Module):
    """The class of padded texts, whose states at their last words are read."""

    def __init__(self):
        super().__init__()
        self.words, self.memory = torch.nn.Embedding(20, 6, padding_idx=0), CerebralLSTM(6, 8)
        self.output, self.loss = torch.nn.Linear(8, 3), torch.nn.CrossEntropyLoss()

    def forward(self, words, labels):
        outputs, _ = self.memory(self.words(words).transpose(0, 1))
        last = (words != 0).sum(1) - 1
        return self.loss(self.output(outputs[last, torch.arange(len(words))]), labels)


def words():
    padded = torch.tensor([[3, 7, 2, 19, 4], [5, 6, 0, 0, 0], [1, 0, 0, 0, 0]])
    return _Words(), (padded, torch.tensor([2, 0, 1]))


class _Continued(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.memory = CerebralLSTM(3, 4)

    def forward(self, steps, hidden, upper, lower):
        return self.memory(steps, [(hidden, (upper, lower))])


def continued():
    return _Continued(), (torch.randn(5, 2, 3), *(torch.randn(2, 4) for _ in range(3)))
