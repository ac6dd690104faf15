"""Entry points of g2p-fa: its network from letters to sounds, trained, and the encoder alone."""

import torch
from g2p_fa.model import Decoder, Encoder, Seq2Seq


class _Spoken(torch.nn.Module):
    def __init__(self, taught):
        super().__init__()
        encoder, decoder = Encoder(20, 6, 8, 2, 0.1), Decoder(15, 6, 8, 2, 0.1)
        self.model, self.taught = Seq2Seq(encoder, decoder, "cpu"), taught

    def forward(self, letters, sounds):
        given = self.model(letters, sounds, self.taught)[1:]
        return torch.nn.functional.cross_entropy(given.flatten(0, 1), sounds[1:].flatten(), ignore_index=0)


def _words():
    letters = torch.tensor([[1, 5, 7, 12, 3, 2], [1, 9, 4, 2, 0, 0], [1, 18, 6, 11, 2, 0]])
    return letters.T, torch.tensor([[1, 4, 9, 14, 2], [1, 7, 2, 0, 0], [1, 3, 3, 2, 0]]).T


def taught():
    return _Spoken(1.0), _words()


def by_itself():
    return _Spoken(0.0), _words()


class _Kinds(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = Encoder(20, 6, 8, 1, 0.0), torch.nn.Linear(8, 3)

    def forward(self, letters, labels):
        return torch.nn.functional.cross_entropy(self.head(self.encoder(letters)[0][-1]), labels)


def kinds():
    return _Kinds(), (_words()[0], torch.tensor([2, 0, 1]))
