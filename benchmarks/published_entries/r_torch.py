"""Entry points of r-torch: the losses of policies by groups, of a language model's logits."""

import sys
from types import SimpleNamespace
from unittest.mock import MagicMock

import torch

sys.modules["loguru"] = MagicMock()

from r_torch.main import GRPO, GRPOConfig  # noqa: E402


class _Policy(torch.nn.Module):
    """One step of a layer's policy against an older one, with the divergence from it."""

    def __init__(self, beta):
        super().__init__()
        self.layer, self.beta = torch.nn.Linear(6, 12), beta
        self.method = SimpleNamespace(config=GRPOConfig())

    def forward(self, states, old_logits, advantages, target_ids, attention_mask):
        logits = self.layer(states)
        loss = GRPO.compute_policy_loss(self.method, old_logits, logits, advantages, target_ids, attention_mask)
        if not self.beta:
            return loss
        return loss + self.beta * GRPO.compute_kl_divergence(self.method, old_logits, logits, attention_mask)


def _episodes():
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
    inputs = torch.randn(2, 5, 6), torch.randn(2, 5, 12), torch.randn(2, 5), torch.randint(12, (2, 5))
    return *inputs, mask


def policy():
    return _Policy(0.0), _episodes()


def policy_and_divergence():
    return _Policy(0.01), _episodes()


class _Divergence(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.method = torch.nn.Linear(6, 12), SimpleNamespace(config=GRPOConfig())

    def forward(self, states, old_logits, attention_mask):
        return GRPO.compute_kl_divergence(self.method, old_logits, self.layer(states), attention_mask)


def divergence():
    states, old_logits, *_, mask = _episodes()
    return _Divergence(), (states, old_logits, mask)
