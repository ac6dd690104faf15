"""Entry points of nequip: energies and forces of a molecule by its networks, and the loss of its training."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("", ".data", ".io", ".geometry", ".neighborlist", ".stress", ".calculators", ".calculators.singlepoint"):
    sys.modules[f"ase{_name}"] = MagicMock()  # readers of molecules and finders of neighbours, which are given here
for _name in ("ase.calculators.calculator", "matscipy", "matscipy.neighbours", "vesin", "lmdb", "hydra", "hydra.utils"):
    sys.modules[_name] = MagicMock()

from nequip.model import FullNequIPGNNModel, NequIPGNNModel  # noqa: E402
from nequip.utils.global_state import set_global_state  # noqa: E402


class _Energy(torch.nn.Module):
    def __init__(self, build=NequIPGNNModel, **options):
        super().__init__()
        set_global_state()
        options = {"seed": 0, "model_dtype": "float32", "r_max": 2.0, "type_names": ["C", "O", "H"], **options}
        self.model = build(avg_num_neighbors=4.0, **options)

    def made(self, positions, types, edges):
        return self.model({"pos": positions, "atom_types": types, "edge_index": edges})

    def forward(self, positions, types, edges):
        return self.made(positions, types, edges)["total_energy"]


class _Forces(_Energy):
    def forward(self, positions, types, edges):
        made = self.made(positions, types, edges)
        return made["total_energy"], made["forces"]


class _Loss(_Energy):
    """The weighted squares of energy for each atom and of forces."""

    def forward(self, positions, types, edges, energy, forces):
        made = self.made(positions, types, edges)
        each = (made["total_energy"] - energy) / len(positions)
        return each.square().mean() + (made["forces"] - forces).square().mean()


def _molecule():
    positions = torch.tensor(
        [
            [1.218055, 0.361240, 0.0],
            [0.0, 0.464133, 0.0],
            [-0.477241, 1.465295, 0.0],
            [-0.948102, -0.700138, 0.0],
            [-0.385946, -1.634236, 0.0],
            [-1.596321, -0.652475, 0.880946],
            [-1.596321, -0.652475, -0.880946],
        ]
    )
    near = (torch.cdist(positions, positions) < 2.0) & ~torch.eye(7, dtype=torch.bool)
    return positions, torch.tensor([1, 0, 2, 0, 2, 2, 2]), near.nonzero().T.contiguous()


def energy():
    return _Energy(num_layers=2, num_features=8, radial_mlp_width=16, do_derivatives=False), _molecule()


def energy_without_parity():
    model = _Energy(num_layers=2, l_max=2, parity=False, num_features=[8, 4, 4], radial_mlp_width=16,
                    do_derivatives=False)  # fmt: skip
    return model, _molecule()


def energy_of_given_layers():
    model = _Energy(
        FullNequIPGNNModel,
        radial_mlp_depth=[1, 1],
        radial_mlp_width=[16, 16],
        feature_irreps_hidden=["8x0e + 8x1o", "8x0e"],
        irreps_edge_sh="1x0e + 1x1o",
        type_embed_num_features=8,
        readout_mlp_hidden_layers_depth=1,
        bessel_trainable=True,
        per_type_energy_scales={"C": 1.5, "O": 1.2, "H": 0.8},
        per_type_energy_shifts={"C": -1.0, "O": -2.0, "H": -0.5},
        do_derivatives=False,
    )
    return model, _molecule()


def forces():
    return _Forces(num_layers=2, num_features=8, radial_mlp_width=16), _molecule()


def trained():
    model = _Loss(num_layers=2, num_features=8, radial_mlp_width=16)
    return model, (*_molecule(), torch.tensor([[-3.0]]), torch.randn(7, 3) * 0.2)
