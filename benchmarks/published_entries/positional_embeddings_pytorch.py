"""Entry point of positional-embeddings-pytorch: attention with Enformer's relative features."""

import torch
from positional_embeddings_pytorch.enformer import EnformerPositionalEmbedding


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.project = torch.nn.Linear(6, 24)
        self.relative = EnformerPositionalEmbedding(num_heads=2, head_dim=12, dropout_p=0.1)

    def forward(self, x):
        q = self.project(x).reshape(1, 8, 2, 12).transpose(1, 2)
        return self.relative.forward_attn(q, q, None, None).softmax(-1)


def enformer():
    return Attention(), (torch.randn(1, 8, 6),)
