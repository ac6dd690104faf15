"""Entry points of pytorch-mixtures: its mixtures of experts in place of a feed-forward layer, with losses of words."""

import torch
from pytorch_mixtures.configs import MoEConfig
from pytorch_mixtures.expert_choice_moe import ExpertChoiceMoE
from pytorch_mixtures.topk_moe import TopkMoE
from pytorch_mixtures.utils import FeedForward


def _config(**options):
    sizes = {"hidden_dim": 8, "intermediate_dim": 16, "num_experts": 4, "expert_fn": "ff", "expert_act": "gelu"}
    return MoEConfig(**{**sizes, "capacity_factor": None, "topk": None, "dtype": torch.float32, **options})


class _Language(torch.nn.Module):
    def __init__(self, mixture):
        super().__init__()
        self.embedding, self.norm, self.mixture = torch.nn.Embedding(12, 8), torch.nn.LayerNorm(8), mixture
        self.head = torch.nn.Linear(8, 12)

    def forward(self, words, following):
        hidden = self.embedding(words)
        hidden = hidden + self.mixture(self.norm(hidden))
        return torch.nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), following.flatten())


def _words():
    words = torch.tensor([[3, 7, 2, 9, 11], [5, 1, 10, 4, 0]])
    return words[:, :-1], words[:, 1:]


def best_experts():
    return _Language(TopkMoE(_config(router_fn="topk", topk=2))), _words()


def one_expert_each():
    return _Language(TopkMoE(_config(router_fn="topk", topk=1, expert_act="relu"))), _words()


def experts_choose():
    return _Language(ExpertChoiceMoE(_config(router_fn="ec", capacity_factor=2.0))), _words()


def single_expert():
    return _Language(FeedForward(_config(router_fn=None))), _words()
