"""Entry points of rouge-torch: a loss of overlapping words and of longest common sequences, on logits of one layer."""

import torch
from rouge_torch import ROUGEScoreTorch


class _Summarized(torch.nn.Module):
    def __init__(self, kinds):
        super().__init__()
        self.layer, self.score, self.kinds = torch.nn.Linear(5, 8), ROUGEScoreTorch(8), kinds

    def forward(self, steps, reference):
        logits = self.layer(steps)
        given = [torch.nn.functional.one_hot(reference, 8).float()]
        loss = self.score.compute_rouge_loss(logits, given, rouge_types=self.kinds)
        return loss + torch.nn.functional.cross_entropy(logits.flatten(0, 1), reference.flatten())


def _texts():
    return torch.randn(2, 6, 5), torch.randint(1, 8, (2, 6))


def words():
    return _Summarized(["rouge_1"]), _texts()


def pairs_of_words():
    return _Summarized(["rouge_1", "rouge_2"]), _texts()


def longest_sequences():
    return _Summarized(["rouge_l"]), _texts()
