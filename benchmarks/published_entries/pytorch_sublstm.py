"""Entry points of pytorch-sublstm: its recurrent layers of subtractive gates, with losses of what they read."""

import torch
from subLSTM.nn import SubLSTM


def layers():
    return SubLSTM(6, 8, num_layers=2, bias=True, batch_first=True), torch.randn(3, 5, 6)


class _Classified(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.recurrent = SubLSTM(6, 8, batch_first=True, **options)
        self.head = torch.nn.Linear(8, 3)

    def forward(self, steps, labels):
        return torch.nn.functional.cross_entropy(self.head(self.recurrent(steps)[0][:, -1]), labels)


def classified():
    return _Classified(num_layers=2), (torch.randn(3, 5, 6), torch.tensor([2, 0, 1]))


class _Forecast(torch.nn.Module):
    """The next step from those before it."""

    def __init__(self):
        super().__init__()
        self.recurrent, self.head = SubLSTM(2, 8, bias=True), torch.nn.Linear(8, 2)

    def forward(self, series):
        output, _ = self.recurrent(series[:-1])
        return torch.nn.functional.mse_loss(self.head(output), series[1:])


def forecast():
    return _Forecast(), (torch.randn(5, 3, 2),)
