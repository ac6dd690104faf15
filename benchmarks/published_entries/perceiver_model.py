"""Entry points of perceiver-model: its networks of both papers over pictures and texts, small, with losses."""

import torch
from perceiver_pytorch import Perceiver, PerceiverIO


def _pictures(**options):
    return Perceiver(
        input_channels=3,
        input_axis=2,
        num_freq_bands=4,
        max_freq=10.0,
        depth=2,
        num_latents=8,
        latent_dim=16,
        latent_heads=2,
        cross_dim_head=8,
        latent_dim_head=8,
        num_classes=4,
        **options,
    )


def pictures():
    return _pictures(self_per_cross_attn=2), torch.randn(1, 8, 8, 3)


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = _pictures(**options)

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.model(pictures), labels)


def pictures_trained():
    return _Classified(attn_dropout=0.1, ff_dropout=0.1), (torch.randn(2, 8, 8, 3), torch.tensor([3, 0]))


def pictures_trained_with_tied_layers():
    return _Classified(weight_tie_layers=True), (torch.randn(2, 8, 8, 3), torch.tensor([3, 0]))


class _Texts(torch.nn.Module):
    """Masked words are read out by queries of their places."""

    def __init__(self):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(20, 16), torch.nn.Embedding(6, 16)
        self.model = PerceiverIO(
            dim=16,
            queries_dim=16,
            logits_dim=20,
            depth=2,
            num_latents=4,
            latent_dim=16,
            latent_heads=2,
            cross_dim_head=8,
            latent_dim_head=8,
        )

    def forward(self, words, labels):
        queries = self.places(torch.arange(6)).expand(len(words), 6, 16)
        logits = self.model(self.words(words) + queries, queries=queries)
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)


def texts_trained():
    words = torch.tensor([[3, 0, 2, 9, 14, 1], [5, 12, 0, 4, 19, 1]])
    return _Texts(), (words, torch.tensor([[-100, 7, -100, -100, -100, -100], [-100, -100, 11, -100, -100, -100]]))
