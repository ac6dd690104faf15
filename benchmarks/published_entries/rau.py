"""Entry points of rau: its language models and transducers, initialised as it does, with the loss of its training."""

import torch
from rau.models import (
    get_lstm_language_model,
    get_simple_rnn_language_model,
    get_transformer_encoder_decoder,
    get_unidirectional_transformer_encoder,
)
from rau.tools.torch.init import smart_init, uniform_fallback

SIZES = {"d_model": 8, "num_heads": 2, "feedforward_size": 16, "dropout": 0.1}


class _Language(torch.nn.Module):
    """Padding of the target is a number past the last word, which the loss ignores."""

    def __init__(self, model, padding, **options):
        super().__init__()
        smart_init(model, None, fallback=uniform_fallback(0.1))
        self.model, self.padding, self.options = model, padding, options

    def forward(self, words, target):
        logits = self.model(words, **self.options)
        losses = torch.nn.functional.cross_entropy(
            logits.permute(0, 2, 1), target, ignore_index=self.padding, reduction="none", label_smoothing=0.1
        )
        return losses.sum() / (target != self.padding).sum()


def transformer():
    """Word 11 starts a text and pads it, word 10 ends it."""
    model = get_unidirectional_transformer_encoder(
        input_vocabulary_size=12,
        output_vocabulary_size=11,
        tie_embeddings=True,
        num_layers=2,
        use_padding=False,
        **SIZES,
    )
    words = torch.tensor([[11, 3, 7, 2, 9], [11, 5, 10, 11, 11]])
    return _Language(model, 11, include_first=False), (words, torch.tensor([[3, 7, 2, 9, 10], [5, 10, 11, 11, 11]]))


def _recurrent(make):
    model = make(input_vocabulary_size=11, output_vocabulary_size=11, hidden_units=8, layers=2, dropout=0.1)
    words = torch.tensor([[3, 7, 2, 9], [5, 0, 0, 0]])
    return _Language(model, 11), (words, torch.tensor([[3, 7, 2, 9, 10], [5, 10, 11, 11, 11]]))


def long_memory():
    return _recurrent(get_lstm_language_model)


def simple_memory():
    return _recurrent(get_simple_rnn_language_model)


class _Translation(_Language):
    def forward(self, source, source_is_padding, words, target):
        logits = self.model(source, words, source_is_padding)
        return torch.nn.functional.cross_entropy(logits.permute(0, 2, 1), target, ignore_index=self.padding)


def translation():
    model = get_transformer_encoder_decoder(
        source_vocabulary_size=10,
        target_input_vocabulary_size=12,
        target_output_vocabulary_size=11,
        tie_embeddings=True,
        num_encoder_layers=1,
        num_decoder_layers=1,
        **SIZES,
    )
    source = torch.tensor([[3, 7, 2, 9, 8], [5, 9, 0, 0, 0]])
    padding = torch.tensor([[False] * 5, [False, False, True, True, True]])
    words, target = torch.tensor([[11, 4, 6], [11, 1, 10]]), torch.tensor([[4, 6, 10], [1, 10, 11]])
    return _Translation(model, 11), (source, padding, words, target)
