"""Entry points of torchtext: its encoders and its transformer from texts to texts, small, and its attention."""

import sys
import types

import torch

for _name in ("torchtext", "torchtext.models", "torchtext.models.roberta", "torchtext.models.t5", "torchtext.nn"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from torchtext.models.roberta.model import (  # noqa: E402
    RobertaClassificationHead,
    RobertaEncoderConf,
    RobertaModel,
)
from torchtext.models.t5.model import T5Conf, T5Model  # noqa: E402
from torchtext.nn.modules.multiheadattention import (  # noqa: E402
    InProjContainer,
    MultiheadAttentionContainer,
    ScaledDotProduct,
)


def _words():
    return torch.tensor([[0, 7, 5, 9, 4, 2], [0, 8, 3, 2, 1, 1]])


def _encoder():
    sizes = {"vocab_size": 20, "embedding_dim": 16, "ffn_dimension": 32, "max_seq_len": 12}
    return RobertaEncoderConf(num_attention_heads=2, num_encoder_layers=2, **sizes)


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = RobertaModel(_encoder(), RobertaClassificationHead(num_classes=3, input_dim=16))

    def forward(self, words, classes):
        return torch.nn.functional.cross_entropy(self.model(words), classes)


def classified():
    return _Classified(), (_words(), torch.tensor([0, 2]))


def encoded():
    return RobertaModel(_encoder()).eval(), _words()


class _Translated(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        sizes = {"embedding_dim": 16, "qkv_dim": 8, "num_attention_heads": 2, "ffn_dimension": 32, "vocab_size": 20}
        layers = {"num_encoder_layers": 2, "num_decoder_layers": 2}
        self.model = T5Model(T5Conf(linear_head=True, training=True, **sizes, **layers, **settings))
        for name, weight in self.model.named_parameters():
            if name.endswith("_proj_weight"):
                torch.nn.init.normal_(weight, std=0.1)  # memory without values until weights are loaded

    def forward(self, words, wanted):
        shifted = self.model._shift_right(wanted)
        scores = self.model(encoder_tokens=words, decoder_tokens=shifted)["decoder_output"]
        return torch.nn.functional.cross_entropy(scores.flatten(0, 1), wanted.flatten(), ignore_index=0)


def _pair():
    return torch.tensor([[7, 5, 9, 4, 1], [8, 3, 1, 0, 0]]), torch.tensor([[6, 2, 9, 1], [4, 1, 0, 0]])


def translated():
    return _Translated(), _pair()


def translated_by_gated_layers():
    return _Translated(feed_forward_proj="gated-gelu"), _pair()


class _Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layers = InProjContainer(*(torch.nn.Linear(8, 8) for _ in range(3)))
        self.model = MultiheadAttentionContainer(2, layers, ScaledDotProduct(dropout=0.1), torch.nn.Linear(8, 8))

    def forward(self, queries, memory, mask):
        return self.model(queries, memory, memory, attn_mask=mask)[0]


def attention():
    mask = torch.ones(1, 5, 6, dtype=torch.bool).triu(2)
    return _Attention(), (torch.randn(5, 2, 8), torch.randn(6, 2, 8), mask)
