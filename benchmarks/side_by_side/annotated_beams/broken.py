"""Beam search scores, with annotated steps."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


class Scorer(nn.Module):
    def __init__(self, words: int, dim: int):
        super().__init__()
        self.words = words
        self.embed = nn.Embedding(words, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, words)

    def forward(self, token: Int[Tensor, "n"], hidden: Float[Tensor, "n dim"]):
        hidden = self.cell(self.embed(token), hidden)
        return self.out(hidden).log_softmax(-1), hidden


def expand(scores: Float[Tensor, "b k"], step: Float[Tensor, "b k words"]) -> Float[Tensor, "b k*words"]:
    return (scores.unsqueeze(-1) + step).flatten(0, 1)  # <- expected


def search(scorer: Scorer, start: Float[Tensor, "b dim"], beams: int, length: int) -> Int[Tensor, "b beams"]:
    b, dim = start.shape
    hidden = start.repeat_interleave(beams, dim=0)
    token = torch.zeros(b * beams, dtype=torch.long)
    scores = torch.zeros(b, beams)
    for _ in range(length):
        step, hidden = scorer(token, hidden)
        flat = expand(scores, step.view(b, beams, -1))
        scores, index = flat.view(b, -1).topk(beams, dim=-1)
        token = (index % scorer.words).view(-1)
        origin = torch.div(index, scorer.words, rounding_mode="floor")
        rows = (torch.arange(b)[:, None] * beams + origin).view(-1)
        hidden = hidden[rows]
    return token.view(b, beams)


if __name__ == "__main__":
    print(search(Scorer(50, 24), torch.randn(3, 24), beams=4, length=5))
