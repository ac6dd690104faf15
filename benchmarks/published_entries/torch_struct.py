"""Entry points of torch-struct: structures over sequences, scored by small networks, with their likelihoods."""

import torch
from torch_struct import DependencyCRF, LinearChainCRF, TreeCRF
from torch_struct.deptree import DepTree
from torch_struct.linearchain import LinearChain


class _Tagged(torch.nn.Module):
    """Tags of words, each scored with the tag before it."""

    def __init__(self, words=20, tags=3):
        super().__init__()
        self.embedding, self.emission = torch.nn.Embedding(words, 8), torch.nn.Linear(8, tags)
        self.transition = torch.nn.Linear(tags, tags)
        self.tags = tags

    def _scores(self, tokens):
        emission = self.emission(self.embedding(tokens))
        scores = self.transition.weight.view(1, 1, self.tags, self.tags) + emission[:, 1:, :, None]
        first = emission[:, 0].view(len(tokens), 1, 1, self.tags)
        return torch.cat([scores[:, :1] + first, scores[:, 1:]], dim=1)

    def forward(self, tokens, tags):
        parts = LinearChain.to_parts(tags, self.tags).type_as(self.transition.weight)
        return -LinearChainCRF(self._scores(tokens)).log_prob(parts).mean()


def tagged():
    return _Tagged(), (torch.randint(0, 20, (2, 5)), torch.randint(0, 3, (2, 5)))


class _Tags(_Tagged):
    """How likely each tag is, and how unsure the whole chain."""

    def forward(self, tokens):
        chain = LinearChainCRF(self._scores(tokens))
        return chain.marginals, chain.entropy


def tags():
    return _Tags(), (torch.randint(0, 20, (2, 5)),)


class _Parsed(torch.nn.Module):
    """Which word depends on which other, by a product of both."""

    def __init__(self, words=20):
        super().__init__()
        self.embedding, self.arcs = torch.nn.Embedding(words, 8), torch.nn.Bilinear(8, 8, 1)

    def forward(self, tokens, heads):
        words = self.embedding(tokens)
        pairs = words[:, :, None].expand(-1, -1, words.shape[1], -1), words[:, None].expand(-1, words.shape[1], -1, -1)
        scores = self.arcs(pairs[0].contiguous(), pairs[1].contiguous()).squeeze(-1)
        return -DependencyCRF(scores).log_prob(DepTree.to_parts(heads).type_as(scores)).mean()


def parsed():
    return _Parsed(), (torch.randint(0, 20, (2, 4)), torch.tensor([[2, 0, 2, 3], [0, 1, 2, 3]]))


class _Trees(torch.nn.Module):
    def forward(self, spans):
        return TreeCRF(spans).partition


def trees():
    return _Trees(), (torch.randn(2, 4, 4, 3),)
