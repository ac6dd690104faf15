"""Entry points of rwkv7-hf: its recurrent language model, small, with the loss that it takes of labels."""

import torch
from rwkv7_hf.configuration_rwkv7 import RWKV7Config
from rwkv7_hf.modeling_rwkv7 import RWKV7ForCausalLM, RWKV7Model


def _config():
    ranks = {"decay_low_rank_dim": 4, "gate_low_rank_dim": 4, "a_low_rank_dim": 4, "v_low_rank_dim": 4}
    return RWKV7Config(vocab_size=20, hidden_size=16, num_hidden_layers=2, head_dim=8, use_cache=False, **ranks)


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = RWKV7ForCausalLM(_config())

    def forward(self, words):
        return self.model(input_ids=words, labels=words).loss


def language():
    return _Language(), (torch.tensor([[3, 7, 2, 9, 14], [5, 12, 11, 4, 19]]),)


class _Padded(_Language):
    def forward(self, words, mask):
        return self.model(input_ids=words, attention_mask=mask, labels=words).loss


def language_of_padded_texts():
    words = torch.tensor([[3, 7, 2, 9, 14], [0, 0, 11, 4, 19]])
    return _Padded(), (words, (words != 0).long())


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.head = RWKV7Model(_config()), torch.nn.Linear(16, 3)

    def forward(self, words, labels):
        hidden = self.model(input_ids=words).last_hidden_state
        return torch.nn.functional.cross_entropy(self.head(hidden[:, -1]), labels)


def classified():
    return _Classified(), (torch.tensor([[3, 7, 2, 9, 14], [5, 12, 11, 4, 19]]), torch.tensor([2, 0]))
