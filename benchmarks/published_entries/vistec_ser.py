"""Entry points of vistec-ser: emotions of speech by its pyramid of recurrent layers and its attention over one."""

import sys
import types

import torch

for _name in ("vistec_ser", "vistec_ser.models", "vistec_ser.models.layers"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from vistec_ser.models.layers.rnn import AttentionLSTM, PyramidLSTM  # noqa: E402


class _Emotions(torch.nn.Module):
    """Convolutions over the frames, then attention, as its own network goes."""

    def __init__(self):
        super().__init__()
        self.convolutions = torch.nn.Sequential(
            torch.nn.Conv1d(10, 8, 5, padding=2), torch.nn.BatchNorm1d(8), torch.nn.ReLU(), torch.nn.MaxPool1d(2)
        )
        self.attention = AttentionLSTM(8, 6, 4)

    def forward(self, frames, emotions):
        given = self.convolutions(frames).transpose(1, 2)
        return torch.nn.functional.cross_entropy(self.attention(given), emotions)


def emotions():
    return _Emotions(), (torch.randn(3, 10, 12), torch.tensor([3, 0, 1]))


class _Pyramid(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = PyramidLSTM(5, 6), PyramidLSTM(12, 4, bidirectional=False)
        self.head = torch.nn.Linear(4, 3)

    def forward(self, frames, labels):
        given = self.second(self.first(frames)[0])[0]
        return torch.nn.functional.cross_entropy(self.head(given).flatten(0, 1), labels.flatten())


def pyramid():
    return _Pyramid(), (torch.randn(2, 16, 5), torch.tensor([[0, 2, 1, 1], [2, 2, 0, 1]]))
