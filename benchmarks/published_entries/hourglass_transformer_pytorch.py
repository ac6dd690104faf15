"""Entry points of hourglass-transformer-pytorch: transformers that shorten what they read, as in its README."""

import torch
from hourglass_transformer_pytorch import HourglassTransformer, HourglassTransformerLM


class _Language(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.model = HourglassTransformerLM(
            num_tokens=20, dim=16, max_seq_len=16, heads=2, dim_head=8, causal=True, **settings
        )

    def forward(self, words):
        scores = self.model(words[:, :-1])
        return torch.nn.functional.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten())


def language():
    return _Language(shorten_factor=2, depth=(1, 1, 1)), torch.randint(20, (2, 9))


def nested_language():
    model = _Language(shorten_factor=(2, 2), depth=(1, (1, 1, 1), 1), updown_sample_type="linear")
    return model, torch.randint(20, (2, 9))


class _Steps(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        sizes = {"dim": 16, "heads": 2, "dim_head": 8, "shorten_factor": 2, "depth": (1, 1, 1)}
        self.model = HourglassTransformer(**sizes, **settings)

    def forward(self, steps, mask):
        return self.model(steps, mask=mask)


def masked_steps():
    mask = torch.arange(8).expand(2, -1) < torch.tensor([[8], [5]])
    return _Steps(attn_resampling=True, norm_out=True), (torch.randn(2, 8, 16), mask)


def steps_without_resampling():
    mask = torch.ones(2, 8, dtype=torch.bool)
    return _Steps(attn_resampling=False, updown_sample_type="linear"), (torch.randn(2, 8, 16), mask)
