"""Entry points of zootopia3: its networks of images, of rows and of waves, with the losses that they are trained by."""

import torch
from zootopia3.models import MyCNN, MyMLP, MyRNN


class _Trained(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, features, wanted):
        return self.loss(self.model(features), wanted)


def images():
    model = MyCNN(3, 16, 16, num_cnn_channels=4, num_cnn_layers=1, hidden_dim=8, num_layers=1)
    return _Trained(model, torch.nn.CrossEntropyLoss()), (torch.rand(3, 3, 16, 16), torch.tensor([2, 0, 1]))


def rows():
    model = MyMLP(input_dim=6, output_dim=1, num_layers=2, hidden_dim=8)
    return _Trained(model, torch.nn.MSELoss()), (torch.randn(5, 6), torch.randn(5, 1))


class _Waves(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.model = MyRNN(1, 1, 6, class_=kind, num_layers=2)

    def forward(self, waves, wanted):
        return torch.nn.functional.mse_loss(self.model(waves, self.model.init_hidden(len(waves)))[0], wanted)


def waves():
    waves = torch.sin(torch.arange(12.0)[None] + torch.rand(4, 1))
    return _Waves(torch.nn.GRU), (waves[:, :11, None], waves[:, 11:])
