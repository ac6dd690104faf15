"""Entry points of kydon-gpt: its language model with the loss of the next word, and its attention alone."""

import torch
from kydon_gpt import GPTModel, MuiltHeadAttention_v1, MyGPTConfig, MyGPTModelForCausalLM

SIZES = {"vocab_size": 20, "context_length": 12, "emb_dim": 16, "n_heads": 2, "n_layers": 2, "drop_rate": 0.1}


class _Language(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, torch.nn.CrossEntropyLoss()

    def forward(self, words, following):
        logits = self.model(words)
        logits = logits["logits"] if isinstance(logits, dict) else logits
        return self.loss(logits.flatten(0, 1), following.flatten())


def language():
    words = torch.randint(0, 20, (2, 9))
    return _Language(GPTModel(SIZES)), (words[:, :-1], words[:, 1:])


def language_of_a_whole_context():
    words = torch.randint(0, 20, (2, 13))
    return _Language(MyGPTModelForCausalLM(MyGPTConfig(**SIZES))), (words[:, :-1], words[:, 1:])


def attention():
    return MuiltHeadAttention_v1(8, 8, 6, 0.0, 2, qkv_bias=True), torch.randn(2, 4, 8)
