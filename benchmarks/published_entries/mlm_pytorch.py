"""Entry points of mlm-pytorch: small transformers of words under its loss of what was masked, in both of its kinds."""

import torch
from mlm_pytorch import MLM


class _Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = torch.nn.Embedding(20, 8), torch.nn.Parameter(0.02 * torch.randn(8, 8))
        self.layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.head = torch.nn.Linear(8, 20)

    def forward(self, words):
        return self.head(self.layer(self.words(words) + self.places[: words.shape[1]]))


def _sentences():
    return (torch.tensor([[3, 7, 5, 9, 14, 6, 11, 8], [5, 12, 11, 4, 17, 0, 0, 0]]),)


def masked():
    return MLM(_Words(), mask_prob=0.3, mask_token_id=2, pad_token_id=0), _sentences()


def replaced():
    model = MLM(_Words(), num_tokens=20, random_token_prob=0.1, mask_token_id=2, mask_ignore_token_ids=[3, 4])
    return model, _sentences()
