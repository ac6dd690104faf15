"""Entry points of pytorch-beam-search: its models of sequences, trained on the next token as they do it."""

import torch
from pytorch_beam_search import autoregressive, seq2seq


class _Translated(torch.nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        source, target = (seq2seq.Index([list("abcde"), list("badce")]) for _ in range(2))
        self.model = kind(source, target, **options)

    def forward(self, source, target):
        logits = self.model(source, target)[:, :-1]
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), target[:, 1:])


def _pairs():
    return torch.randint(3, 8, (2, 6)), torch.randint(3, 8, (2, 5))


def recurrent():
    sizes = {"encoder_embedding_dimension": 8, "decoder_embedding_dimension": 8}
    hidden = {"encoder_hidden_units": 8, "decoder_hidden_units": 8, "encoder_layers": 1, "decoder_layers": 1}
    return _Translated(seq2seq.LSTM, **sizes, **hidden), _pairs()


def attending():
    sizes = {"embedding_dimension": 8, "feedforward_dimension": 16, "encoder_layers": 1, "decoder_layers": 1}
    return _Translated(seq2seq.Transformer, max_sequence_length=10, **sizes), _pairs()


class _Language(torch.nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.model = kind(autoregressive.Index(list("abcdeedcba")), embedding_dimension=8, **options)

    def forward(self, tokens):
        logits = self.model(tokens)[:, :-1]
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


def language():
    return _Language(autoregressive.LSTM, hidden_units=8, layers=1), (torch.randint(1, 6, (2, 6)),)


def attending_language():
    options = {"max_sequence_length": 8, "feedforward_dimension": 16, "layers": 1}
    return _Language(autoregressive.TransformerEncoder, **options), (torch.randint(1, 6, (2, 6)),)
