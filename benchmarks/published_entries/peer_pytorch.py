"""Entry points of peer-pytorch: its layer of many experts and its attention by product keys, with a loss."""

import torch
from PEER_pytorch import PEER, PEERLora, PKAttention


class _Predicting(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.first, self.layer, self.last = torch.nn.Linear(5, 8), layer, torch.nn.Linear(8, 4)

    def forward(self, tokens, labels):
        hidden = self.first(tokens)
        return torch.nn.functional.cross_entropy(self.last(hidden + self.layer(hidden)).flatten(0, 1), labels.flatten())


def _entry(layer):
    return _Predicting(layer), (torch.randn(2, 6, 5), torch.randint(4, (2, 6)))


def experts():
    return _entry(PEER(8, heads=2, num_experts=16, num_experts_per_head=2, pre_rmsnorm=True))


def competing():
    return _entry(PEER(8, heads=2, num_experts=16, num_experts_per_head=2, non_competing_scores=False))


def apart():
    return _entry(PEER(8, heads=2, num_experts=16, num_experts_per_head=2, separate_embed_per_head=True))


def low_rank():
    return _entry(PEERLora(8, heads=2, num_experts=16, num_experts_per_head=2))


def attention():
    return _entry(PKAttention(8, heads=8, num_key_values=16, key_value_pk_topk=3, pre_rmsnorm=True))
