"""Entry points of agent-attention-pytorch: attention through agents, alone and in its transformer, over padding."""

import torch
from agent_attention_pytorch import AgentSelfAttention, AgentTransformer


def _tokens():
    mask = torch.tensor([[True] * 6, [True] * 4 + [False] * 2])
    return torch.randn(2, 6, 8), mask


def attention():
    return AgentSelfAttention(dim=8, num_agent_tokens=3, dim_head=4, heads=2), _tokens()


def attention_without_gates():
    options = {"talking_heads": False, "gate": False, "dropout": 0.1}
    return AgentSelfAttention(dim=8, num_agent_tokens=3, dim_head=4, heads=2, **options), _tokens()


class _Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = AgentTransformer(dim=8, num_agent_tokens=3, depth=2, heads=2, dim_head=4)
        self.head = torch.nn.Linear(8, 3)

    def forward(self, tokens, mask, labels):
        return torch.nn.functional.cross_entropy(self.head(self.model(tokens, mask=mask).mean(1)), labels)


def transformer():
    return _Classifier(), (*_tokens(), torch.tensor([0, 2]))
