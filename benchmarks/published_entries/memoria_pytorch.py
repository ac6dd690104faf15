"""Entry points of memoria-pytorch: a reader of segments whose memory it holds, and its abstractor, with losses."""

import torch
from memoria import Abstractor, Memoria


class _Abstracted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(20, 16), torch.nn.Linear(16, 3)
        self.abstractor = Abstractor(num_memories=4, hidden_dim=16, feedforward_dim=32)

    def forward(self, words, labels):
        return torch.nn.functional.cross_entropy(self.head(self.abstractor(self.words(words)).mean(1)), labels)


def abstracted():
    return _Abstracted(), (torch.tensor([[3, 7, 2, 9, 14], [5, 12, 11, 4, 19]]), torch.tensor([2, 0]))


class _Reader(torch.nn.Module):
    """Each segment attends to itself and to what was remembered of those before it."""

    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(20, 16), torch.nn.Linear(16, 3)
        self.attention = torch.nn.MultiheadAttention(16, 2, batch_first=True)

    def forward(self, segments, labels):
        memory = Memoria(num_reminded_stm=4, stm_capacity=16, ltm_search_depth=5, initial_lifespan=3, num_final_ltms=4)
        for segment in segments.unbind(1):
            hidden = self.words(segment)
            memory.add_working_memory(hidden.detach())
            reminded, indices = memory.remind()
            context = torch.cat([hidden, reminded], dim=1)
            hidden = hidden + self.attention(hidden, context, context)[0]
            memory.adjust_lifespan_and_memories(indices, torch.ones_like(indices).float())
        return torch.nn.functional.cross_entropy(self.head(hidden.mean(1)), labels)


def reader():
    return _Reader(), (torch.randint(20, (2, 3, 4)), torch.tensor([2, 0]))
