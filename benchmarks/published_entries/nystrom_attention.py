"""Entry points of nystrom-attention: its attention by landmarks and its transformer, small, with losses of labels."""

import torch
from nystrom_attention import NystromAttention, Nystromformer


class _Attended(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = NystromAttention(
            dim=16, dim_head=8, heads=2, num_landmarks=4, pinv_iterations=6, residual_conv_kernel=3
        )

    def forward(self, steps, present):
        return self.model(steps, mask=present)


def attention():
    return _Attended(), (torch.randn(1, 16, 16), torch.ones(1, 16).bool())


class _Texts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(20, 16), torch.nn.Linear(16, 3)
        self.model = Nystromformer(
            dim=16, dim_head=8, heads=2, depth=2, num_landmarks=4, pinv_iterations=6, attn_values_residual_conv_kernel=3
        )

    def forward(self, words, labels):
        return torch.nn.functional.cross_entropy(self.head(self.model(self.words(words)).mean(1)), labels)


def texts():
    return _Texts(), (torch.randint(20, (2, 16)), torch.tensor([2, 0]))


class _Padded(_Texts):
    def forward(self, words, labels):
        hidden = self.model(self.words(words), mask=words != 0)
        return torch.nn.functional.cross_entropy(self.head(hidden[:, 0]), labels)


def padded_texts():
    words = torch.randint(1, 20, (2, 14))
    words[1, 9:] = 0
    return _Padded(), (words, torch.tensor([2, 0]))
