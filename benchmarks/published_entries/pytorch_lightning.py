"""Entry points of pytorch-lightning: the language models of its demos with the loss they train on."""

import torch
from pytorch_lightning.demos.lstm import SimpleLSTM
from pytorch_lightning.demos.transformer import Transformer


class _Attending(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Transformer(vocab_size=11, ninp=8, nhead=2, nhid=8, nlayers=1)

    def forward(self, inputs, target):
        return torch.nn.functional.nll_loss(self.model(inputs, target), target.view(-1))


def transformer():
    return _Attending(), (torch.randint(11, (2, 5)), torch.randint(11, (2, 5)))


class _Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = SimpleLSTM(vocab_size=11, ninp=6, nhid=6, nlayers=2)

    def forward(self, inputs, target):
        output, _ = self.model(inputs, self.model.init_hidden(2))
        return torch.nn.functional.nll_loss(output, target.view(-1))


def recurrent():
    return _Recurrent(), (torch.randint(11, (2, 5)), torch.randint(11, (2, 5)))
