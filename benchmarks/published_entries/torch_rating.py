"""Entry points of torch-rating: ratings of teams that are learned through its layer of expected results."""

import torch
from torch_rating._rating_layers._elo import EloLayer


class _Rated(torch.nn.Module):
    """Ratings of four teams, of which two meet."""

    def __init__(self, **options):
        super().__init__()
        self.ratings, self.layer = torch.nn.Embedding(4, 1), EloLayer(in_channels=1, **options)
        torch.nn.init.normal_(self.ratings.weight, 1500.0, 100.0)

    def forward(self, home, away, results):
        expected = self.layer(self.ratings(home)[0], self.ratings(away)[0])
        return torch.nn.functional.mse_loss(expected, results)


def rated():
    return _Rated(), (torch.tensor([2]), torch.tensor([0]), torch.tensor([0.0, 1.0]))


def learned_scale():
    return _Rated(hp_grad=True), (torch.tensor([1]), torch.tensor([3]), torch.tensor([1.0, 0.0]))


class _Likelihood(_Rated):
    def forward(self, home, away, results):
        expected = self.layer(self.ratings(home)[0], self.ratings(away)[0])
        return torch.nn.functional.binary_cross_entropy(expected, results)


def likelihood():
    return _Likelihood(), (torch.tensor([1]), torch.tensor([3]), torch.tensor([1.0, 0.0]))
