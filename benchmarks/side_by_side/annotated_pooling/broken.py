"""Sentence embeddings: pooling over tokens, then a similarity. The annotations are the contract."""

import torch
import torch.nn as nn
from jaxtyping import Bool, Float, Int
from torch import Tensor


class SentenceEncoder(nn.Module):
    def __init__(self, words: int = 300, dim: int = 48):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        layer = nn.TransformerEncoderLayer(dim, 4, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1)

    def pooled(self, tokens: Float[Tensor, "b n dim"], mask: Bool[Tensor, "b n"]) -> Float[Tensor, "b dim"]:
        weights = mask.unsqueeze(-1).float()
        return (tokens * weights).sum(dim=1, keepdim=True) / weights.sum(dim=1, keepdim=True).clamp(min=1)  # <- expected

    def forward(self, ids: Int[Tensor, "b n"]) -> Float[Tensor, "b dim"]:
        mask = ids != 0
        return self.pooled(self.encoder(self.embed(ids), src_key_padding_mask=~mask), mask)


def similarity(a: Float[Tensor, "b dim"], b: Float[Tensor, "b dim"]) -> Float[Tensor, "b"]:
    return nn.functional.cosine_similarity(a, b, dim=-1)


def main() -> None:
    encoder = SentenceEncoder()
    left, right = torch.randint(1, 300, (4, 9)), torch.randint(1, 300, (4, 12))
    print(similarity(encoder(left), encoder(right)))


if __name__ == "__main__":
    main()
