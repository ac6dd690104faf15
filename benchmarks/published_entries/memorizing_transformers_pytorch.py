"""Entry points of memorizing-transformers-pytorch: its transformer with memories of nearest keys, in small sizes."""

import torch
from memorizing_transformers_pytorch import MemorizingTransformer
from memorizing_transformers_pytorch.memorizing_transformers_pytorch import (
    Attention,
    FeedForward,
    T5RelativePositionBias,
)


class _Block(torch.nn.Module):
    """Its layers without memories: the token after each of them."""

    def __init__(self):
        super().__init__()
        self.embedding, self.head = torch.nn.Embedding(20, 16), torch.nn.Linear(16, 20)
        self.attention, self.feed_forward = Attention(dim=16, heads=2, dim_head=8), FeedForward(16)
        self.positions = T5RelativePositionBias(scale=8**0.5, heads=2)

    def forward(self, tokens):
        given = self.embedding(tokens[:, :-1])
        length = given.shape[1]
        attended, _ = self.attention(given, rel_pos_bias=self.positions(length, length, device=given.device))
        given = given + attended
        logits = self.head(given + self.feed_forward(given))
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


def block():
    return _Block(), (torch.randint(0, 20, (2, 7)),)


class _Remembering(torch.nn.Module):
    def __init__(self):
        super().__init__()
        sizes = {"num_tokens": 20, "dim": 16, "dim_head": 8, "heads": 2, "depth": 2}
        self.model = MemorizingTransformer(
            **sizes, memorizing_layers=(2,), max_knn_memories=64, num_retrieved_memories=2, xl_memory_layers=()
        )

    def forward(self, tokens):
        with self.model.knn_memories_context(batch_size=tokens.shape[0]) as memories:
            logits = self.model(tokens[:, :-1], knn_memories=memories)
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


def remembering():
    return _Remembering(), (torch.randint(0, 20, (2, 7)),)
