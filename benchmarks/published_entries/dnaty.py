"""Entry points of dnaty: its networks of changing shape for tables and images, before and after they were changed."""

import torch
from dnaty.core.arch import DynamicMLP
from dnaty.core.arch_cnn import DynamicCNN
from dnaty.core.individual import Individual
from dnaty.operators.mutations_cnn import apply_cnn_operator


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, labels):
        return torch.nn.functional.cross_entropy(self.model(x), labels)


def _blocks():
    blocks = [("conv", 3, 4, 1), ("depthwise", 4, 8, 2), ("conv", 8, 8, 2)]
    return [dict(zip(("type", "in_ch", "out_ch", "stride"), block, strict=True)) for block in blocks]


def _images():
    return torch.rand(2, 3, 16, 16), torch.tensor([3, 0])


def convolutions():
    return _Trained(DynamicCNN(_blocks(), fc_sizes=[6], n_classes=4)), _images()


def changed_convolutions():
    changed = Individual(DynamicCNN(_blocks(), fc_sizes=[6], n_classes=4))
    for operator in "swap_conv_to_dw", "add_fc_neuron", "duplicate_conv_block":
        changed, _ = apply_cnn_operator(changed, operator)
    return _Trained(changed.model), _images()


def table_with_skips():
    model = DynamicMLP([5, 8, 8, 6], activations=["relu", "gelu", "tanh"], n_classes=3)
    model.add_skip_connection(1, 2, None)
    model.add_skip_connection(0, 3, torch.nn.Linear(5, 6))
    return _Trained(model), (torch.randn(6, 5), torch.tensor([0, 2, 1, 1, 0, 2]))
