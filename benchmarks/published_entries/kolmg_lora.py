"""Entry points of kolmg-lora: its adapters of splines in frozen attention and in a frozen perceptron."""

import torch
from kolmg_lora import KOLMGLoRAConfig, add_kolmg_lora


class _Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(20, 8, padding_idx=0)
        self.q_proj, self.k_proj, self.v_proj = (torch.nn.Linear(8, 8) for _ in range(3))
        self.out, self.head = torch.nn.Linear(8, 8), torch.nn.Linear(8, 2)

    def forward(self, words, labels):
        given, real = self.words(words), words != 0
        scores = self.q_proj(given) @ self.k_proj(given).transpose(1, 2) / 8**0.5
        weights = scores.masked_fill(~real[:, None], float("-inf")).softmax(-1)
        given = given + self.out(weights @ self.v_proj(given))
        mean = (given * real[..., None]).sum(1) / real.sum(1, keepdim=True)
        return torch.nn.functional.cross_entropy(self.head(mean), labels)


def _sentences():
    return torch.tensor([[3, 7, 2, 19, 4, 8], [5, 6, 1, 0, 0, 0]]), torch.tensor([1, 0])


def attention():
    return add_kolmg_lora(_Attention(), KOLMGLoRAConfig(rank=2, alpha=4.0, rs_lora=True)), _sentences()


def magnitudes():
    config = KOLMGLoRAConfig(rank=2, alpha=2.0, dropout=0.0, use_dora=True, grid_size=3, spline_order=3)
    return add_kolmg_lora(_Attention(), config), _sentences()


class _Perceptron(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up, self.down = torch.nn.Linear(6, 12), torch.nn.Linear(6, 12), torch.nn.Linear(12, 1)

    def forward(self, features, wanted):
        given = self.down(torch.nn.functional.silu(self.gate(features)) * self.up(features))
        return torch.nn.functional.mse_loss(given, wanted)


def feed_forward():
    model = add_kolmg_lora(_Perceptron(), rank=4, alpha=4.0, train_ffn=True)
    return model, (torch.randn(5, 6), torch.randn(5, 1))
