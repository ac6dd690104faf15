"""Entry points of torchsx: blocks of its encoders, peers attended to by masks included, with a loss."""

import torch
from torchsx.nn.deepsets import PeerCrossAttention, ResidualFF


class _Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(6, 8), ResidualFF(8), ResidualFF(8), torch.nn.Linear(8, 1))

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.model(features)[:, 0], wanted)


def scaled():
    return _Scaled(), (torch.randn(8, 6), torch.randn(8))


class _Peers(torch.nn.Module):
    """Each slot attends to its peers and not to itself; a slot without a peer to none."""

    def __init__(self):
        super().__init__()
        self.attention, self.head = PeerCrossAttention(8, 2), torch.nn.Linear(8, 1)

    def forward(self, queries, context, allow, empty, wanted):
        given = self.head(self.attention(queries, context, allow, empty))
        return torch.nn.functional.mse_loss(given[..., 0], wanted)


def peers():
    valid = torch.tensor([[True] * 5, [True, True, True, False, False]])
    allow = valid[:, None, None, :] & ~torch.eye(5, dtype=torch.bool)
    inputs = torch.randn(2, 5, 8), torch.randn(2, 5, 8), allow, ~valid[..., None]
    return _Peers(), (*inputs, torch.randn(2, 5))
