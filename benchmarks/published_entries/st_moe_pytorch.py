"""Entry points of st-moe-pytorch: mixtures of experts, in blocks that classify, with their losses of balance."""

import torch
from st_moe_pytorch import MoE, SparseMoEBlock


def _mixture(**options):
    return MoE(dim=16, num_experts=4, expert_hidden_mult=2, is_distributed=False, **options)


class _Balanced(torch.nn.Module):
    def __init__(self, mixture):
        super().__init__()
        self.mixture, self.head = mixture, torch.nn.Linear(16, 5)

    def forward(self, tokens, labels):
        hidden, balance, *_ = self.mixture(tokens)
        return torch.nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), labels.flatten()) + balance


def _tokens():
    return torch.randn(2, 8, 16), torch.randint(5, (2, 8))


def mixture():
    return _Balanced(_mixture(gating_top_n=2)), _tokens()


def three_experts_a_token():
    return _Balanced(_mixture(gating_top_n=3, threshold_train=0.1)), _tokens()


def block():
    return _Balanced(SparseMoEBlock(_mixture(), add_ff_before=True, add_ff_after=True)), _tokens()


def evaluated():
    return SparseMoEBlock(_mixture()).eval(), _tokens()[:1]
