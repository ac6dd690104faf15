"""Entry points of qste: networks whose matrices are turned into signs and scales, as in its README."""

import qste
import torch


class _Block(torch.nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.norm, self.attention = torch.nn.LayerNorm(width), torch.nn.MultiheadAttention(width, 2, batch_first=True)
        self.mlp = torch.nn.Sequential(
            torch.nn.LayerNorm(width), torch.nn.Linear(width, 32), torch.nn.GELU(), torch.nn.Linear(32, width)
        )

    def forward(self, hidden):
        normed = self.norm(hidden)
        hidden = hidden + self.attention(normed, normed, normed, need_weights=False)[0]
        return hidden + self.mlp(hidden)


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.blocks = torch.nn.Embedding(20, 8), torch.nn.Sequential(_Block(), _Block())
        self.head = torch.nn.Linear(8, 20)

    def forward(self, words):
        scores = self.head(self.blocks(self.embedding(words[:, :-1])))
        return torch.nn.functional.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten())


def texts():
    return qste.convert(_Language(), include=["*.mlp.*"]), torch.randint(20, (2, 9))


def texts_of_binary_words():
    return qste.convert(_Language(), include=["embedding", "*.mlp.*"]), torch.randint(20, (2, 9))


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 16))
        self.head = torch.nn.Sequential(torch.nn.SiLU(), torch.nn.Linear(16, 4))

    def forward(self, rows, classes):
        return torch.nn.functional.cross_entropy(self.head(self.layers(rows)), classes)


def rows():
    return qste.convert(_Classified(), include=["layers.*"]), (torch.randn(5, 8), torch.tensor([0, 2, 1, 3, 3]))
