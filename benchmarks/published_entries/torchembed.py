"""Entry points of torchembed: its embeddings of categories, places, times and patches, in small networks."""

import torch
from torchembed.categorical import MultiCategoricalEmbedding
from torchembed.fourier import GaussianFourierProjection, LearnedFourierFeatures, RandomFourierFeatures
from torchembed.patch import PatchEmbedding
from torchembed.positional import ALiBiEmbedding, RotaryEmbedding, SinusoidalEmbedding
from torchembed.temporal import CyclicEmbedding


class _Table(torch.nn.Module):
    """Categories beside the hour of the day."""

    def __init__(self):
        super().__init__()
        self.categories, self.hours = MultiCategoricalEmbedding([5, 12, 3], dropout=0.1), CyclicEmbedding(24)
        self.head = torch.nn.Linear(self.categories.output_dim + 2, 1)

    def forward(self, categories, hours, clicked):
        features = torch.cat([self.categories(categories), self.hours(hours)], dim=-1)
        logits = self.head(features).squeeze(1)
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, clicked)


def table():
    categories = torch.tensor([[0, 11, 2], [4, 3, 0], [1, 7, 1]])
    return _Table(), (categories, torch.rand(3) * 24, torch.tensor([1.0, 0.0, 0.0]))


class _Language(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.embedding, self.places = torch.nn.Embedding(12, 16), SinusoidalEmbedding(16, 32, learned_scale=True)
        self.projection, self.head, self.kind = torch.nn.Linear(16, 48), torch.nn.Linear(16, 12), kind
        self.rotary, self.slopes = RotaryEmbedding(8, max_seq_len=32), ALiBiEmbedding(2, max_seq_len=32)

    def forward(self, words, following):
        hidden = self.embedding(words)
        if self.kind == "sinusoidal":
            hidden = self.places(hidden)
        batch, steps = words.shape
        query, key, value = self.projection(hidden).view(batch, steps, 3, 2, 8).permute(2, 0, 3, 1, 4)
        if self.kind == "rotary":
            query, key = self.rotary(query, key)
        scores = query @ key.transpose(-2, -1) / 8**0.5
        if self.kind == "slopes":
            scores = self.slopes(scores)
        future = torch.ones(steps, steps, dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(future, float("-inf")).softmax(dim=-1) @ value
        logits = self.head(hidden + mixed.transpose(1, 2).reshape(batch, steps, 16))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), following.flatten())


def _words():
    words = torch.tensor([[3, 7, 2, 9, 11], [5, 1, 10, 4, 0]])
    return words[:, :-1], words[:, 1:]


def sinusoidal_places():
    return _Language("sinusoidal"), _words()


def rotary_places():
    return _Language("rotary"), _words()


def slopes_of_distance():
    return _Language("slopes"), _words()


class _Field(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.model = torch.nn.Sequential(features, torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))

    def forward(self, places, colours):
        return torch.nn.functional.mse_loss(torch.sigmoid(self.model(places)), colours)


def random_features():
    return _Field(RandomFourierFeatures(2, 8, trainable=True)), (torch.rand(9, 2), torch.rand(9, 3))


def learned_features():
    return _Field(LearnedFourierFeatures(2, 6, 8)), (torch.rand(9, 2), torch.rand(9, 3))


class _Denoised(torch.nn.Module):
    """What noise is in a picture of which the time of its noise is known."""

    def __init__(self):
        super().__init__()
        self.patches, self.times = PatchEmbedding(8, 4, 1, embed_dim=16), GaussianFourierProjection(16)
        self.out = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.SiLU(), torch.nn.Linear(32, 16))

    def forward(self, pictures, noise, times):
        spread = times.view(-1, 1, 1, 1)
        hidden = self.patches(pictures + spread * noise) + self.times(times).unsqueeze(1)
        expected = noise.unfold(2, 4, 4).unfold(3, 4, 4).reshape(len(noise), 4, 16)
        return torch.nn.functional.mse_loss(self.out(hidden), expected)


def denoised():
    return _Denoised(), (torch.rand(2, 1, 8, 8), torch.randn(2, 1, 8, 8), torch.rand(2))
