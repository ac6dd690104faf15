"""Entry points of audio-xlstm: its cells of extended memory over frames of sound, with a loss of labels."""

import torch
from audio_xlstm.lstm_modules import mLSTM, sLSTM
from audio_xlstm.utils import CausalConv1d


class _Sound(torch.nn.Module):
    def __init__(self, *cells, **options):
        super().__init__()
        self.embedding, self.cells, self.options = torch.nn.Linear(10, 8), torch.nn.ModuleList(cells), options
        self.head = torch.nn.Linear(8, 3)

    def forward(self, frames, labels):
        states = [cell.init_hidden(len(frames)) for cell in self.cells]
        for frame in self.embedding(frames).unbind(dim=1):
            for number, cell in enumerate(self.cells):
                frame, states[number] = cell(frame, states[number], **self.options)
        return torch.nn.functional.cross_entropy(self.head(frame), labels)


def _frames():
    """Logarithms of mel spectra, whose silence is clipped."""
    return torch.log(torch.rand(2, 4, 10).clamp(min=1e-5)), torch.tensor([2, 0])


def scalar_memory():
    return _Sound(sLSTM(8, 4, 2)), _frames()


def scalar_memory_behind_convolution():
    return _Sound(sLSTM(8, 4, 2, ker_size=3), use_conv=True), _frames()


def matrix_memory():
    return _Sound(mLSTM(8, 2, 4)), _frames()


def both_memories():
    return _Sound(mLSTM(8, 2, 4), sLSTM(8, 4, 2)), _frames()


class _Waves(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = CausalConv1d(1, 4, 4), CausalConv1d(4, 1, 4, dilation=2)

    def forward(self, wave, following):
        return torch.nn.functional.mse_loss(self.second(torch.relu(self.first(wave))), following)


def next_samples():
    wave = torch.sin(torch.linspace(0, 20, 33) + torch.rand(2, 1, 1) * 6)
    return _Waves(), (wave[..., :-1], wave[..., 1:])
