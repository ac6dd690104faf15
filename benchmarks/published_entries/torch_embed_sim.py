"""Entry points of torch-embed-sim: likeness to the rows of an embedding, as in its README, and as a language head."""

import torch
from torch_embed_sim import EmbeddingSim


class _Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(num_embeddings=10, embedding_dim=20)
        self.embed_sim = EmbeddingSim(num_embeddings=10)

    def forward(self, words):
        return self.embed_sim(self.embed(words), self.embed.weight)


def likeness():
    return _Net(), torch.tensor([[3, 7, 2], [9, 0, 5]])


class _Language(_Net):
    def __init__(self):
        super().__init__()
        self.recurrent = torch.nn.LSTM(20, 20, batch_first=True)

    def forward(self, words, following):
        probabilities = self.embed_sim(self.recurrent(self.embed(words))[0], self.embed.weight)
        return torch.nn.functional.nll_loss(torch.log(probabilities).flatten(0, 1), following.flatten())


def language():
    return _Language(), (torch.tensor([[3, 7, 2], [9, 0, 5]]), torch.tensor([[7, 2, 1], [0, 5, 4]]))
