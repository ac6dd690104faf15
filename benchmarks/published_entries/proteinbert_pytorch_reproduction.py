"""Entry points of proteinbert-pytorch-reproduction: its blocks and model of sequences with annotations."""

import torch
from proteinbert_pytorch.proteinbert_pytorch import GlobalAttention, ProteinBERT, TransformerLikeBlock


class _Pretrained(torch.nn.Module):
    """The two losses of its paper: tokens, and the annotations that its head gives as probabilities."""

    def __init__(self):
        super().__init__()
        self.network = ProteinBERT(26, 12, d_local=8, d_global=16)

    def forward(self, tokens, annotations, wanted):
        local, annotated = self.network(tokens, annotations)
        tokens_lost = torch.nn.functional.cross_entropy(local.transpose(1, 2), wanted)
        return tokens_lost + torch.nn.functional.binary_cross_entropy(annotated, annotations)


def pretrained():
    tokens = torch.randint(0, 26, (2, 10))
    return _Pretrained(), (tokens, torch.randint(0, 2, (2, 12)).float(), torch.randint(0, 26, (2, 10)))


def block():
    return TransformerLikeBlock(8, 16), (torch.randn(2, 10, 8), torch.randn(2, 16))


def attention():
    return GlobalAttention(8, 16, n_heads=4, d_key=8), (torch.randn(2, 10, 8), torch.randn(2, 16))
