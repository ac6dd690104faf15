"""Entry points of torch-dimensions: its models of series over grids and its vision transformer, small, with losses."""

import torch
import torch_dimensions as td


class _Forecast(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.first, self.model, self.head = torch.nn.Linear(2, 8), model, torch.nn.Linear(8, 2)

    def forward(self, past, future):
        return torch.nn.functional.mse_loss(self.head(self.model(self.first(past))), future)


def _fields():
    """Series (batch, times, rows, columns, features), each told the next step."""
    fields = torch.randn(1, 5, 4, 3, 2).cumsum(1)
    return fields[:, :-1], fields[:, 1:]


def _lattice():
    return td.Lattice(shape=(4, 3), names=("row", "column"), time=True)


def state_spaces():
    return _Forecast(td.S4D(8, 2, lattice=_lattice(), portable=True)), _fields()


def recurrent():
    return _Forecast(td.LSTM(8, 3, lattice=_lattice(), method=td.axial_scan)), _fields()


def transformer():
    return _Forecast(td.Transformer(8, 3, _lattice())), _fields()


def transformer_of_all_cells():
    return _Forecast(td.Transformer(8, 2, _lattice(), method=td.flatten)), _fields()


def convolutions():
    return _Forecast(td.TCN(8, 3, _lattice())), _fields()


class _Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.head = td.ViT(8, 2, image=(8, 8), patch=4, in_channels=3), torch.nn.LazyLinear(3)

    def forward(self, pictures, labels):
        hidden = self.model(pictures)
        return torch.nn.functional.cross_entropy(self.head(hidden.flatten(1, -2).mean(dim=1)), labels)


def pictures():
    model, inputs = _Pictures(), (torch.rand(2, 8, 8, 3), torch.tensor([2, 0]))
    model(*inputs)
    return model, inputs
