"""Entry points of composennent: its language models with the losses that they are trained by."""

import sys
import types

import torch
from torch.nn.functional import cross_entropy

_package = sys.modules["composennent"] = types.ModuleType("composennent")
_package.__path__ = ["composennent"]

from composennent.models import BERT, GPT, EncoderDecoderModel  # noqa: E402


class _Next(torch.nn.Module):
    """What comes next, as its trainer of causal models asks."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens, mask):
        logits = self.model(tokens, attention_mask=mask)
        return cross_entropy(logits[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())


def _tokens():
    return torch.tensor([[3, 7, 2, 9, 14, 5], [5, 12, 11, 4, 0, 0]]), torch.tensor([[1] * 6, [1, 1, 1, 1, 0, 0]])


def gpt():
    return _Next(GPT(vocab_size=20, latent_dim=8, num_heads=2, num_layers=2, max_seq_len=8)), _tokens()


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = BERT(vocab_size=20, latent_dim=8, num_heads=2, num_layers=2, max_seq_len=8)

    def forward(self, tokens, mask, labels, follows):
        result = self.model(tokens, attention_mask=mask)
        words = cross_entropy(result["mlm_logits"].flatten(0, 1), labels.flatten(), ignore_index=-100)
        return words + cross_entropy(result["nsp_logits"], follows)


def bert():
    labels = torch.tensor([[-100, 7, -100, -100, 14, -100], [5, -100, -100, 4, -100, -100]])
    return _Masked(), (*_tokens(), labels, torch.tensor([1, 0]))


def encoder_and_decoder():
    model = EncoderDecoderModel(20, 8, encoder_layers=1, decoder_layers=1, num_heads=2, max_seq_len=8)
    return model, (_tokens()[0],)


def gpt_with_memory():
    model = GPT(20, 8, num_heads=2, num_layers=1, max_seq_len=8, use_memory=True, memory_size=16)
    return _Next(model), _tokens()
