"""Entry points of torch-compose: modules in a graph whose batches carry what each takes and gives."""

import torch
from torch_compose.module import DirectedModule, ModuleGraph


class _Layer(DirectedModule):
    def __init__(self, inputs, outputs, **keys):
        super().__init__(**keys)
        self.layer = torch.nn.Linear(inputs, outputs)

    def forward(self, *features):
        return torch.relu(self.layer(torch.cat(features, -1)))


class _Loss(DirectedModule):
    def forward(self, logits, labels):
        return torch.nn.functional.cross_entropy(logits, labels)


class _Graph(torch.nn.Module):
    def __init__(self, graph, keys, result):
        super().__init__()
        self.graph, self.keys, self.result = graph, keys, result

    def forward(self, *tensors):
        return self.graph(dict(zip(self.keys, tensors, strict=True)))[self.result]


def classified():
    graph = ModuleGraph(
        {
            "image": _Layer(8, 6, input_keys="image", output_keys="seen"),
            "text": _Layer(5, 6, input_keys="text", output_keys="read"),
            "head": _Layer(12, 3, input_keys=("seen", "read"), output_keys="logits"),
            "loss": _Loss(input_keys=("logits", "labels"), output_keys="loss"),
        }
    )
    batch = torch.rand(4, 8), torch.randn(4, 5), torch.tensor([0, 2, 1, 1])
    return _Graph(graph, ("image", "text", "labels"), "loss"), batch


def chain():
    graph = ModuleGraph(
        {
            "first": _Layer(4, 8, input_keys="rows", output_keys="hidden"),
            "second": _Layer(8, 2, input_keys="hidden", output_keys="result"),
        }
    )
    return _Graph(graph, ("rows",), "result"), (torch.randn(3, 4),)
