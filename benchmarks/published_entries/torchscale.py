"""Entry points of torchscale: its encoders, decoders and retentive networks, trained in small sizes."""

import torch
from torchscale.architecture.config import DecoderConfig, EncoderConfig, RetNetConfig
from torchscale.architecture.decoder import Decoder
from torchscale.architecture.encoder import Encoder
from torchscale.architecture.retnet import RetNetDecoder
from torchscale.component.embedding import TextEmbedding

VOCABULARY = 20


class _Next(torch.nn.Module):
    def __init__(self, kind, config):
        super().__init__()
        self.model = kind(config, embed_tokens=TextEmbedding(VOCABULARY, 16))

    def forward(self, tokens):
        logits = self.model(tokens[:, :-1])[0]
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), tokens[:, 1:])


def _tokens():
    return (torch.randint(2, VOCABULARY, (2, 7)),)


def _decoder(**options):
    sizes = {"decoder_embed_dim": 16, "decoder_attention_heads": 2, "decoder_ffn_embed_dim": 32, "decoder_layers": 2}
    return DecoderConfig(vocab_size=VOCABULARY, **sizes, **options)


def decoder():
    return _Next(Decoder, _decoder()), _tokens()


def extrapolated_positions():
    return _Next(Decoder, _decoder(xpos_rel_pos=True, subln=True)), _tokens()


def retention():
    sizes = {"decoder_embed_dim": 16, "decoder_value_embed_dim": 32, "decoder_retention_heads": 2}
    config = RetNetConfig(vocab_size=VOCABULARY, **sizes, decoder_ffn_embed_dim=32, decoder_layers=2)
    return _Next(RetNetDecoder, config), _tokens()


class _Classified(torch.nn.Module):
    """Sequences of several lengths by their first token."""

    def __init__(self, **options):
        super().__init__()
        sizes = {"encoder_embed_dim": 16, "encoder_attention_heads": 2, "encoder_ffn_embed_dim": 32}
        config = EncoderConfig(vocab_size=VOCABULARY, encoder_layers=2, no_output_layer=True, **sizes, **options)
        self.encoder = Encoder(config, embed_tokens=TextEmbedding(VOCABULARY, 16))
        self.head = torch.nn.Linear(16, 3)

    def forward(self, tokens, padding, labels):
        encoded = self.encoder(src_tokens=tokens, encoder_padding_mask=padding)["encoder_out"]
        return torch.nn.functional.cross_entropy(self.head(encoded[:, 0]), labels)


def _padded():
    padding = torch.tensor([[False] * 6, [False] * 4 + [True] * 2])
    return torch.randint(2, VOCABULARY, (2, 6)), padding, torch.tensor([0, 2])


def encoder():
    return _Classified(deepnorm=True, rel_pos_buckets=8, max_rel_pos=16), _padded()


def multiway():
    return _Classified(multiway=True), _padded()
