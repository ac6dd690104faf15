"""Entry points of torch-brain: attention over the times of spikes, as in a decoder of behaviour, with its loss."""

import torch
from torch_brain.nn import (
    InfiniteVocabEmbedding,
    RotaryCrossAttention,
    RotarySelfAttention,
    RotaryTimeEmbedding,
    SinusoidalTimeEmbedding,
)


def _units():
    embedding = InfiniteVocabEmbedding(16)
    embedding.initialize_vocab([f"unit_{number}" for number in range(6)])
    return embedding


class _Decoder(torch.nn.Module):
    """Spikes of units are read by latents at their own times, and queries at further times say the velocity."""

    def __init__(self, rotate_value):
        super().__init__()
        self.units, self.latents, self.queries = _units(), torch.nn.Embedding(4, 16), torch.nn.Embedding(1, 16)
        self.times = RotaryTimeEmbedding(head_dim=8, rotate_dim=4, t_min=1e-4, t_max=2.0627)
        options = {"dim": 16, "heads": 2, "dim_head": 8, "dropout": 0.1}
        self.encoder = RotaryCrossAttention(**options, rotate_value=rotate_value)
        self.processor = RotarySelfAttention(**options, rotate_value=rotate_value)
        self.decoder = RotaryCrossAttention(**options)
        self.readout = torch.nn.Linear(16, 2)

    def forward(self, units, spike_times, mask, latent_times, output_times, velocity):
        inputs, latents = self.units(units), self.latents(torch.arange(4).expand(len(units), 4))
        spikes, between, asked = self.times(spike_times), self.times(latent_times), self.times(output_times)
        latents = latents + self.encoder(latents, inputs, between, spikes, mask)
        latents = latents + self.processor(latents, between)
        queries = self.queries(torch.zeros_like(output_times, dtype=torch.long))
        output = queries + self.decoder(queries, latents, asked, between)
        return torch.nn.functional.mse_loss(self.readout(output), velocity)


def _spikes():
    units = torch.tensor([[1, 4, 2, 6, 3], [5, 2, 1, 0, 0]])
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    times = torch.rand(2, 5).sort(dim=1).values
    latent_times, output_times = torch.linspace(0, 1, 4).expand(2, 4), torch.rand(2, 3).sort(dim=1).values
    return units, times, mask, latent_times, output_times, torch.randn(2, 3, 2)


def decoder():
    return _Decoder(rotate_value=False), _spikes()


def decoder_of_rotated_values():
    return _Decoder(rotate_value=True), _spikes()


class _Counted(torch.nn.Module):
    """Windows of time with their sinusoidal embedding, and which stimulus was shown."""

    def __init__(self):
        super().__init__()
        self.units, self.times = _units(), SinusoidalTimeEmbedding(16, 1e-2, 4.0)
        self.head = torch.nn.Linear(16, 3)

    def forward(self, units, times, stimulus):
        hidden = self.units(units) + self.times(times)
        return torch.nn.functional.cross_entropy(self.head(hidden.mean(dim=1)), stimulus)


def stimuli():
    return _Counted(), (torch.tensor([[1, 4, 2], [5, 2, 0]]), torch.rand(2, 3), torch.tensor([2, 0]))
