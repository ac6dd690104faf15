"""Entry points of loralib: adapters of words, of attention's merged projections and of convolutions."""

import loralib
import torch


class _Words(torch.nn.Module):
    """A layer of attention whose queries and values are adapted, over adapted words."""

    def __init__(self):
        super().__init__()
        self.words = loralib.Embedding(20, 8, r=2, lora_alpha=4, padding_idx=0)
        self.projection = loralib.MergedLinear(8, 24, r=2, lora_dropout=0.1, enable_lora=[True, False, True])
        self.out, self.head = torch.nn.Linear(8, 8), loralib.Linear(8, 3, r=2, lora_alpha=8)

    def forward(self, words, labels):
        real = words != 0
        query, key, value = self.projection(self.words(words)).chunk(3, dim=-1)
        scores = (query @ key.transpose(1, 2) / 8**0.5).masked_fill(~real[:, None], float("-inf"))
        given = self.out(scores.softmax(-1) @ value)
        mean = (given * real[..., None]).sum(1) / real.sum(1, keepdim=True)
        return torch.nn.functional.cross_entropy(self.head(mean), labels)


def words():
    model = _Words()
    loralib.mark_only_lora_as_trainable(model, bias="lora_only")
    return model, (torch.tensor([[3, 7, 2, 19, 4, 8], [5, 6, 1, 0, 0, 0]]), torch.tensor([2, 0]))


class _Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = loralib.Conv2d(3, 6, 3, r=2, padding=1), loralib.Conv2d(6, 8, 3, r=2, stride=2)
        self.head = torch.nn.Linear(8, 4)

    def forward(self, images, labels):
        given = torch.relu(self.second(torch.relu(self.first(images))))
        return torch.nn.functional.cross_entropy(self.head(given.mean((2, 3))), labels)


def images():
    return _Images(), (torch.rand(2, 3, 9, 9), torch.tensor([3, 1]))


class _Rows(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = loralib.Linear(5, 8, r=3, lora_alpha=6, lora_dropout=0.2, fan_in_fan_out=True)
        self.last = loralib.Linear(8, 1, r=1, merge_weights=False)

    def forward(self, rows, wanted):
        return torch.nn.functional.mse_loss(self.last(torch.tanh(self.first(rows))), wanted)


def rows():
    return _Rows(), (torch.randn(6, 5), torch.randn(6, 1))
