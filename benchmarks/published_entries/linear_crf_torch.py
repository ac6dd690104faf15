"""Entry points of linear-crf-torch: taggers whose scores are of one layer, padded, and with impossible tags."""

import torch
from linear_crf import LinearCRF


class _Tagger(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer, self.crf = torch.nn.Linear(5, 4), LinearCRF(4, batch_first=True, **options)

    def forward(self, features, tags, mask=None):
        return self.crf(self.layer(features), tags, mask)


def whole():
    return _Tagger(), (torch.randn(2, 6, 5), torch.randint(4, (2, 6)))


def padded():
    mask = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]]).bool()
    return _Tagger(), (torch.randn(2, 6, 5), torch.randint(4, (2, 6)), mask)


def impossible_tags():
    """No text starts inside a name, nor does a name's inside follow what is outside of names."""
    transitions = torch.zeros(4, 4, dtype=torch.bool)
    transitions[0, 2] = transitions[0, 3] = True
    model = _Tagger(
        impossible_starts=torch.tensor([False, False, True, True]),
        impossible_transitions=transitions,
        impossible_ends=torch.zeros(4, dtype=torch.bool),
    )
    return model, (torch.randn(2, 6, 5), torch.tensor([[0, 1, 2, 2, 0, 0], [1, 2, 0, 0, 1, 3]]))
