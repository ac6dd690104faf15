"""Entry points of torchkbert: small encoders of texts with the losses of its heads."""

import torch
from torchKbert.modeling import BertConfig, BertForMaskedLM, BertForSequenceClassification, BertForTokenClassification


def _config():
    return BertConfig(
        vocab_size_or_config_json_file=24,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
    )


def _text():
    mask = torch.ones(2, 6, dtype=torch.long)
    mask[1, 4:] = 0
    return torch.randint(24, (2, 6)), torch.zeros(2, 6, dtype=torch.long), mask


def classified():
    return BertForSequenceClassification(_config(), 3), (*_text(), torch.tensor([0, 2]))


def tagged():
    return BertForTokenClassification(_config(), 4), (*_text(), torch.randint(4, (2, 6)))


def masked():
    labels = torch.full((2, 6), -1)
    labels[:, 2] = torch.tensor([5, 7])
    return BertForMaskedLM(_config()), (*_text(), labels)
