"""Entry points of torchcrf: the likelihood of labels behind a recurrent layer."""

import torch
from TorchCRF import CRF


class _Tagging(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.recurrent, self.head = torch.nn.GRU(4, 6, batch_first=True), torch.nn.Linear(6, 3)
        self.loss = CRF(3, use_gpu=False)

    def forward(self, x, labels, mask):
        return -self.loss(self.head(self.recurrent(x)[0]), labels, mask).mean()


def tagging():
    mask = torch.tensor([[True, True, True, True], [True, True, False, False]])
    return _Tagging(), (torch.randn(2, 4, 4), torch.randint(3, (2, 4)), mask)
