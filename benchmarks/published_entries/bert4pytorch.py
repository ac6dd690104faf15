"""Entry points of bert4pytorch: its models on a small configuration, with the losses that train them."""

import torch
from bert4pytorch.modeling import BertConfig, BertForMaskedLM, BertForPreTraining, BertForSequenceClassification


def _config():
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    return BertConfig(30, **sizes, max_position_embeddings=16)


def _texts():
    mask = torch.tensor([[1] * 8, [1] * 5 + [0] * 3])
    return torch.randint(0, 30, (2, 8)), torch.tensor([[0] * 4 + [1] * 4, [0] * 8]), mask


def _masked():
    labels = torch.full((2, 8), -1)
    labels[0, 2], labels[1, 1], labels[1, 4] = 7, 21, 3
    return labels


def pretrained():
    return BertForPreTraining(_config()), (*_texts(), _masked(), torch.tensor([0, 1]))


def masked_tokens():
    return BertForMaskedLM(_config()), (*_texts(), _masked())


def classified():
    return BertForSequenceClassification(_config(), 3), (*_texts(), torch.tensor([0, 2]))
