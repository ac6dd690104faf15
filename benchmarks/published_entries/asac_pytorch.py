"""Entry points of asac-pytorch: its transformer of images that models its own attention, with all its losses."""

import torch
from ASAC.ASAC import ASAC, AttentionSchema, PatchEmbedding


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        sizes = {"dim": 16, "depth": 2, "heads": 2, "seq_len": 4, "dim_head": 8, "num_classes": 3}
        schema = {
            "dim_bottleneck": 8,
            "vq_codebook_size": 16,
            "awareness_driven_heads": 2,
            "awareness_driven_kv_heads": 1,
        }
        self.network = ASAC(**sizes, **schema, to_embedding=PatchEmbedding(16, 4), **options)

    def forward(self, images, labels):
        given = self.network(images)
        classified = torch.nn.functional.cross_entropy(given[0], labels)
        return classified + given[1] + given[5]


def _images():
    return torch.rand(2, 3, 8, 8), torch.tensor([0, 2])


def plain():
    return _Classified(), _images()


def schemas():
    return _Classified(use_asac=True), _images()


def aware():
    return _Classified(use_asac=True, use_awareness=True, kl_div_loss=False), _images()


class _Schema(torch.nn.Module):
    """The model of attention alone, on the similarities of queries and keys."""

    def __init__(self):
        super().__init__()
        self.queries, self.keys = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
        self.schema = AttentionSchema(dim=16, dim_bottleneck=8, codebook_size=16)

    def forward(self, tokens):
        similarities = self.queries(tokens) @ self.keys(tokens).transpose(1, 2) / 8**0.5
        return self.schema(similarities.unsqueeze(1), return_loss=True)[2]


def schema():
    return _Schema(), (torch.randn(2, 4, 8),)
