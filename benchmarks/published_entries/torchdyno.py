"""Entry points of torchdyno: its echo state networks and assemblies of recurrent networks, with a regression loss."""

import torch
from torchdyno.models import initializers
from torchdyno.models.esn import EchoStateNetwork
from torchdyno.models.rnn_assembly import RNNAssembly


def _series(features=2, steps=8, outputs=1):
    return torch.randn(steps, 4, features), torch.randn(steps, 4, outputs)


class _Trained(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, series, wanted):
        given = self.network(series)
        given = given[0] if isinstance(given, tuple) else given
        return torch.nn.functional.mse_loss(given, wanted)


def stacked():
    return _Trained(EchoStateNetwork(input_size=2, output_size=1, layer_sizes=[8, 8])), _series()


def leaky_reservoirs():
    network = EchoStateNetwork(
        input_size=2, output_size=1, layer_sizes=[6, 6], arch_type="multi", leakage=0.5, bias=True
    )
    return _Trained(network), _series()


def with_gain():
    network = EchoStateNetwork(input_size=2, output_size=1, layer_sizes=[8], net_gain_and_bias=True)
    return _Trained(network), _series()


def _assembly(**options):
    def coupled(shape, dtype):
        return initializers.uniform(shape, -0.1, 0.1)

    blocks = {"block_init_fn": "orthogonal", "coupling_block_init_fn": coupled, "coupling_topology": "ring"}
    return RNNAssembly.from_initializers(12, 1, block_sizes=[4, 4, 4], **blocks, **options)


def assembly():
    return _Trained(_assembly()), _series(12)


def bounded_assembly():
    return _Trained(_assembly(constrained_blocks="tanh", eul_step=0.1)), _series(12)
