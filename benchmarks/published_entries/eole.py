"""Entry points of eole: small translators of its recurrent, convolutional and attentive parts, with sparse outputs."""

import torch
from eole.config.models import (
    CnnDecoderConfig,
    CnnEncoderConfig,
    RnnDecoderConfig,
    RnnEncoderConfig,
    TransformerEncoderConfig,
)
from eole.decoders.cnn_decoder import CNNDecoder
from eole.decoders.rnn_decoder import InputFeedRNNDecoder, StdRNNDecoder
from eole.encoders.cnn_encoder import CNNEncoder
from eole.encoders.rnn_encoder import RNNEncoder
from eole.encoders.transformer import TransformerEncoder
from eole.modules.sparse_activations import LogSparsemax
from eole.modules.sparse_losses import SparsemaxLoss
from torch import nn


def _initialised(model):
    """Its trainer begins from these, as its modules alone leave some parameters as they lie in memory."""
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
        elif "norm" in name and name.endswith("weight"):
            nn.init.ones_(parameter)
    return model


class _Translator(nn.Module):
    """Words of one language, with padding, and the error of those of another that follow."""

    def __init__(self, encoder, decoder, loss=None):
        super().__init__()
        self.words, self.others = nn.Embedding(20, 8, padding_idx=0), nn.Embedding(24, 8, padding_idx=0)
        self.encoder, self.decoder, self.head = encoder, decoder, nn.Linear(8, 24)
        self.loss = loss or nn.CrossEntropyLoss(ignore_index=0)

    def forward(self, words, others):
        padding = (words == 0)[:, None, :]
        found, last = self.encoder(self.words(words), pad_mask=padding)
        self.decoder.init_state(src=words, enc_out=found, enc_final_hs=last)
        made, _ = self.decoder(self.others(others[:, :-1]), enc_out=found, src_pad_mask=padding)
        return self.loss(self.head(made).flatten(0, 1), others[:, 1:].flatten())


def _pairs():
    words = torch.tensor([[3, 7, 5, 9, 14, 2], [5, 12, 11, 2, 0, 0]])
    return words, torch.tensor([[1, 9, 22, 13, 2], [1, 17, 4, 2, 0]])


def recurrent():
    sizes = {"layers": 1, "hidden_size": 8, "rnn_type": "LSTM"}
    encoder = RNNEncoder(RnnEncoderConfig(encoder_type="brnn", src_word_vec_size=8, **sizes))
    decoder = StdRNNDecoder(RnnDecoderConfig(tgt_word_vec_size=8, bidirectional_encoder=True, **sizes))
    return _Translator(encoder, decoder), _pairs()


def input_feeding():
    sizes = {"layers": 2, "hidden_size": 8, "rnn_type": "GRU"}
    encoder = RNNEncoder(RnnEncoderConfig(encoder_type="rnn", src_word_vec_size=8, bridge=True, **sizes))
    options = {"coverage_attn": True, "global_attention": "mlp", "context_gate": "both"}
    decoder = InputFeedRNNDecoder(RnnDecoderConfig(tgt_word_vec_size=8, **sizes, **options))
    return _Translator(encoder, decoder, SparsemaxLoss(ignore_index=0)), _pairs()


def convolutional():
    encoder = CNNEncoder(CnnEncoderConfig(layers=2, hidden_size=8))
    return _Translator(encoder, CNNDecoder(CnnDecoderConfig(layers=2, hidden_size=8))), _pairs()


class _Classifier(nn.Module):
    """Sentences of words under attention with places, read at their first words, as sparse probabilities."""

    def __init__(self, **options):
        super().__init__()
        config = TransformerEncoderConfig(layers=1, hidden_size=8, heads=2, transformer_ff=16, **options)
        self.words, self.encoder = nn.Embedding(20, 8, padding_idx=0), _initialised(TransformerEncoder(config))
        self.head, self.sparse = nn.Linear(8, 3), LogSparsemax(dim=-1)

    def forward(self, words):
        found, _ = self.encoder(self.words(words), pad_mask=(words == 0)[:, None, :])
        return self.sparse(self.head(found[:, 0])).exp()


def attentive():
    options = {"layer_norm": "rms", "mlp_activation_fn": "gated-silu", "heads_kv": 1}
    return _Classifier(**options), (_pairs()[0],)
