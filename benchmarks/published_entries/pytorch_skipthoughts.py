"""Entry points of pytorch-skipthoughts: encoders of sentences whose neighbours are decoded, with its loss."""

import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

import torch

sys.modules["torchsru"] = MagicMock()  # a cell of its own, which no entry here has

from torchst.model import SkipThoughts, compute_loss  # noqa: E402


class _Vocabulary(SimpleNamespace):
    bos, eos, pad = 0, 1, 2

    def __len__(self):
        return 12

    def __getitem__(self, word):
        return word


class _Thoughts(torch.nn.Module):
    """The mean of what the two decoders lose."""

    def __init__(self, **options):
        super().__init__()
        self.model = SkipThoughts(_Vocabulary(), word_dim=6, hidden_dim=8, n_layers=1, **options)

    def forward(self, sentences, lengths, neighbours, neighbour_lengths, order, wanted):
        logits, _ = self.model(sentences, lengths, neighbours, neighbour_lengths, order)
        ranges = torch.arange(wanted.shape[-1])
        losses = []
        for decoder in range(2):
            seen = ranges < neighbour_lengths[:, decoder, None]
            chosen = torch.log_softmax(logits[:, decoder], -1).gather(2, wanted[:, decoder, :, None])[..., 0]
            losses.append(-(chosen * seen).sum() / neighbour_lengths[:, decoder].sum())
        return torch.stack(losses).mean()


def _sentences():
    lengths, neighbour_lengths = torch.tensor([5, 4, 2]), torch.tensor([[5, 5], [5, 3], [2, 2]])
    words = torch.randint(3, 12, (3, 5)), lengths, torch.randint(3, 12, (3, 2, 5)), neighbour_lengths
    return *words, torch.tensor([[0, 0], [1, 1], [2, 2]]), torch.randint(3, 12, (3, 2, 5))


def gated():
    return _Thoughts(encoder_direction="uni"), _sentences()


def both_directions():
    return _Thoughts(encoder_direction="bi", conditional_decoding=True), _sentences()


def combined_cells():
    return _Thoughts(encoder_direction="combine", encoder_cell="lstm", reverse_encoder=True), _sentences()


class _Decoded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 12)

    def forward(self, states, words, lengths):
        return compute_loss(self.layer(states), words, lengths)[1]


def decoded():
    return _Decoded(), (torch.randn(2, 4, 6), torch.randint(12, (2, 4)), torch.tensor([4, 2]))
