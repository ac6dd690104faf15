"""Entry points of fcd-torch: ChemNet with the weights that the package carries, of molecules as one-hot letters."""

from pathlib import Path

import fcd_torch
import torch
from fcd_torch.utils import load_imported_model

LETTERS, LENGTH = 35, 350


def _molecules():
    letters = torch.randint(0, LETTERS, (2, LENGTH))
    return torch.nn.functional.one_hot(letters, LETTERS).float().transpose(1, 2)


def _network():
    weights = Path(fcd_torch.__file__).parent / "ChemNet_v0.13_pretrained.pt"
    return load_imported_model(torch.load(weights, weights_only=False)).eval()


def chemnet():
    return _network(), (_molecules(),)


class _Predicted(torch.nn.Module):
    """A property of molecules by one layer on its features."""

    def __init__(self):
        super().__init__()
        self.network, self.head = _network().requires_grad_(False), torch.nn.Linear(512, 1)

    def forward(self, molecules, wanted):
        return torch.nn.functional.mse_loss(self.head(self.network(molecules)), wanted)


def predicted():
    return _Predicted(), (_molecules(), torch.randn(2, 1))
