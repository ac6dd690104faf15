"""Entry points of torchao: networks prepared for training with quantized weights, and networks that are quantized."""

import torch
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, Int8WeightOnlyConfig, quantize_
from torchao.quantization.granularity import PerGroup
from torchao.quantization.qat import IntxFakeQuantizeConfig, QATConfig


class _Classified(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.network(features), labels)


def _network():
    return torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.ReLU(), torch.nn.Linear(32, 3))


def prepared():
    network = _network()
    config = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(32))
    quantize_(network, QATConfig(config, step="prepare"))
    return _Classified(network), (torch.randn(4, 32), torch.tensor([0, 2, 1, 1]))


def prepared_by_parts():
    network = _network()
    activations = IntxFakeQuantizeConfig(torch.int8, "per_token", is_symmetric=False)
    weights = IntxFakeQuantizeConfig(torch.int4, group_size=16)
    quantize_(network, QATConfig(activation_config=activations, weight_config=weights, step="prepare"))
    return _Classified(network), (torch.randn(4, 32), torch.tensor([0, 2, 1, 1]))


def weights_of_bytes():
    network = _network()
    quantize_(network, Int8WeightOnlyConfig())
    return network, (torch.randn(4, 32),)
