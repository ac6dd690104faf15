"""Entry points of pytorch-cqrn: convolutional quasi-recurrence over spectra, in its three windows, as in its README."""

import torch
from torchcqrn import CQRN, CQRNLayer


def window_of_two():
    return CQRN(input_dim=1, hidden_size=4, num_layers=2, dropout=0.4, window=2), (torch.rand(5, 2, 1, 9),)


def window_of_three():
    return CQRN(input_dim=2, hidden_size=4, window=3, kernel_size=[3, 5]), (torch.rand(5, 2, 2, 9),)


def one_layer():
    return CQRNLayer(2, 4), (torch.rand(5, 2, 2, 9), torch.zeros(1, 2, 4, 9))


class _Enhanced(torch.nn.Module):
    """A mask of speech in noise, trained by the error of what it lets through."""

    def __init__(self):
        super().__init__()
        self.recurrent, self.mask = CQRN(input_dim=1, hidden_size=4, num_layers=2, window=2), torch.nn.Conv2d(4, 1, 1)

    def forward(self, noisy, clean):
        states = self.recurrent(noisy)[0]
        mask = torch.sigmoid(self.mask(states.flatten(0, 1).unsqueeze(2))).view_as(noisy)
        return torch.nn.functional.mse_loss(mask * noisy, clean)


def enhancement():
    return _Enhanced(), (torch.rand(5, 2, 1, 9), torch.rand(5, 2, 1, 9))
