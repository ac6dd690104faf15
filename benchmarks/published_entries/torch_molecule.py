"""Entry points of torch-molecule: its models of molecules as texts and graphs, each with its own loss."""

import torch
from torch_molecule.generator.gdss.model import ScoreNetworkA, ScoreNetworkX
from torch_molecule.generator.lstm.lstm import LSTM
from torch_molecule.generator.molgpt.gpt import GPT
from torch_molecule.predictor.smiles_transformer.model import Transformer


class _Property(torch.nn.Module):
    """Properties of molecules, some of which were not measured."""

    def __init__(self):
        super().__init__()
        sizes = {"num_task": 2, "input_dim": 20, "hidden_size": 16, "n_heads": 4, "num_layers": 2}
        self.model = Transformer(**sizes, max_input_len=12, dropout=0.1)
        self.loss = torch.nn.MSELoss(reduction="none")

    def forward(self, tokens, properties):
        return self.model.compute_loss(tokens, properties, self.loss)


def properties():
    measured = torch.tensor([[0.3, float("nan")], [-1.2, 0.8]])
    return _Property(), (torch.randint(1, 20, (2, 12)), measured)


class _Generated(torch.nn.Module):
    """The next token of a molecule that shall have given properties."""

    def __init__(self):
        super().__init__()
        self.model = GPT(20, 10, 2, 2, 4, 16, use_scaffold=False, scaffold_maxlen=0, use_lstm=False, lstm_layers=0)

    def forward(self, tokens, following, wanted):
        return self.model.compute_loss(tokens, following, wanted)


def generated():
    tokens = torch.randint(0, 20, (2, 11))
    return _Generated(), (tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous(), torch.randn(2, 2))


class _Recurrent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = LSTM(1, 20, 16, 20, num_layer=2, dropout=0.1)
        self.loss = torch.nn.CrossEntropyLoss()

    def forward(self, tokens, following, wanted):
        return self.model.compute_loss((tokens, following, wanted), self.loss)


def recurrent():
    tokens = torch.randint(0, 20, (2, 9))
    return _Recurrent(), (tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous(), torch.randn(2, 1))


class _Scores(torch.nn.Module):
    """Scores of atoms and bonds of a molecule of which noise is taken away."""

    def __init__(self):
        super().__init__()
        self.atoms = ScoreNetworkX(4, 2, 8)
        self.bonds = ScoreNetworkA(4, 6, 8, 3, 2, c_init=2, c_hid=4, c_final=2, adim=8, num_heads=4)

    def forward(self, atoms, bonds, flags):
        return self.atoms(atoms, bonds, flags), self.bonds(atoms, bonds, flags)


def scores():
    flags = torch.tensor([[1.0, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0]])
    bonds = torch.triu((torch.rand(2, 6, 6) > 0.6).float(), diagonal=1) * flags[:, :, None] * flags[:, None]
    atoms = torch.nn.functional.one_hot(torch.randint(0, 4, (2, 6)), 4).float() * flags[:, :, None]
    return _Scores(), (atoms, bonds + bonds.transpose(1, 2), flags)
